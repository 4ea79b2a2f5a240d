/* Tables of the special function unit: one quadratic per sixteenth of the mantissa and a table of squares.
 * Source: Broadcom's published table code of the bcm21553 GL driver (glsl_fpu_4.c), whose comments say it was
 * taken from the hardware's own description; it reproduces every published measurement on a Raspberry Pi 2.
 * Numbers only. */
#ifndef SIM_SFU_TABLES_H
#define SIM_SFU_TABLES_H

#include <stdint.h>

static const uint8_t sfu_square[64] = {
    0,  4,  8,  11, 15, 18, 22, 25, 28, 31, 34, 36, 39, 41, 44, 46, 48, 50, 52, 53, 55, 56,
    58, 59, 60, 61, 62, 62, 63, 63, 63, 63, 63, 63, 63, 63, 63, 62, 62, 61, 60, 59, 58, 56,
    55, 53, 52, 50, 48, 46, 44, 41, 39, 36, 34, 31, 28, 25, 22, 18, 15, 11, 8,  4,
};

static const uint16_t sfu_recip_c0[16] = {
    32764, 28910, 25484, 22418, 19659, 17163, 14894, 12821, 10922, 9174, 7562, 6068, 4681, 3390, 2185, 1057,
};
static const uint16_t sfu_recip_c1[16] = {
    3851, 3424, 3064, 2757, 2495, 2268, 2072, 1898, 1747, 1612, 1494, 1387, 1291, 1205, 1128, 1057,
};
static const uint8_t sfu_recip_c2[16] = {
    29, 24, 21, 18, 15, 13, 12, 10, 9, 8, 7, 6, 6, 5, 5, 4,
};

static const uint16_t sfu_rsqrt_c0[16] = {
    32763, 29016, 25846, 23119, 20740, 18642, 16772, 15092, 13569, 10920, 8679, 6751, 5068, 3584, 2261, 1075,
};
static const uint16_t sfu_rsqrt_c1[16] = {
    3742, 3167, 2725, 2377, 2097, 1869, 1679, 1519, 2646, 2239, 1927, 1682, 1483, 1322, 1186, 1075,
};
static const uint8_t sfu_rsqrt_c2[16] = {
    41, 31, 24, 19, 16, 13, 11, 9, 29, 22, 17, 14, 11, 9, 8, 7,
};

static const uint16_t sfu_log2_c0[16] = {
    32767, 29901, 27199, 24643, 22219, 19913, 17713, 15612, 13600, 11670, 9816, 8032, 6313, 4654, 3051, 1501,
};
static const uint16_t sfu_log2_c1[16] = {
    2865, 2701, 2555, 2424, 2306, 2200, 2101, 2012, 1930, 1854, 1784, 1719, 1659, 1603, 1550, 1501,
};
static const uint8_t sfu_log2_c2[16] = {
    11, 10, 9, 8, 7, 6, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3,
};

static const uint16_t sfu_exp2_c0[16] = {
    0, 1451, 2966, 4548, 6200, 7925, 9727, 11608, 13573, 15625, 17767, 20005, 22341, 24781, 27329, 29988,
};
static const uint16_t sfu_exp2_c1[16] = {
    1451, 1515, 1582, 1652, 1725, 1802, 1881, 1965, 2052, 2142, 2238, 2336, 2440, 2548, 2660, 2780,
};
static const uint8_t sfu_exp2_c2[16] = {
    4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 8,
};

#endif
