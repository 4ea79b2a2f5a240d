/* The functions that constants are folded with, the same to the last bit on every host. */
#ifndef QPUCC_PASSES_CONSTANT_MATH_H
#define QPUCC_PASSES_CONSTANT_MATH_H

/* As the C library's functions of these names, for arguments that are floats; within some units of the last
 * place of a double, so nearly always rounded correctly to a float. */
double constant_exp2(double x);
double constant_log2(double x);
double constant_pow(double x, double y);
double constant_sin(double x); /* |x| < 2^23 */
double constant_cos(double x);
double constant_atan(double x);
double constant_atan2(double y, double x);
double constant_asin(double x);
double constant_acos(double x);

#endif
