/* The conversation between a program's preloaded library, or a program that speaks for itself
 * (tools/selftest/remote.c), and qpusim-device: packets over a Unix socket, the same for every little-endian
 * architecture that aligns numbers of 64 bits. The program's side knows nothing of the calls that it
 * forwards: while one is answered, the device asks for the memory and descriptors that it needs. */
#ifndef DEVICE_WIRE_H
#define DEVICE_WIRE_H

#include <stdint.h>

/* Environment: the folder with the device's files. Its socket, and what is seen as /dev and /sys. */
#define WIRE_FOLDER_VARIABLE "QPUSIM_DEVICE"
#define WIRE_SOCKET "socket"
/* Environment, when set: the program's time follows its frames. */
#define WIRE_CLOCK_VARIABLE "QPUSIM_FRAME_CLOCK"

enum wire_kind {
    /* From the program; each is answered by WIRE_DONE, some after questions. */
    WIRE_OPEN,   /* number: minor. Answer: the descriptor that stands for the file; value: its inode */
    WIRE_ATTACH, /* value: inode of such a descriptor, in a process that did not open it. Answer: the minor */
    WIRE_IOCTL,  /* number: descriptor's inode; value: request; data: the structure. Answer: the structure */
    WIRE_MAP,    /* number: inode; value: offset; size of the mapping in `other`. Answer: a descriptor */
    /* From the device. */
    WIRE_DONE,    /* status: 0 or a negative errno */
    WIRE_READ,    /* value: address, other: bytes. Answer: WIRE_DATA */
    WIRE_WRITE,   /* value: address, data. No answer */
    WIRE_TAKE_FD, /* value: descriptor number. Answer: WIRE_DATA with the descriptor, or status */
    WIRE_GIVE_FD, /* a descriptor. Answer: WIRE_DATA; value: its number in the program */
    WIRE_DATA,
};

struct wire_packet {
    uint32_t kind;
    int32_t status;
    uint64_t number, value, other;
    uint32_t size; /* of the data that follow in the same packet */
    uint32_t padding;
};

enum { WIRE_MOST_DATA = 64 << 10 }; /* larger memory goes in pieces */

#endif
