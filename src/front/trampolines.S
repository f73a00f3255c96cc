/* SPDX-License-Identifier: Apache-2.0 */
/* A function for each name of the driver: one jump to where its place in g_front_targets points. */
#if defined(__x86_64__)
#define JUMP jmp *g_front_targets+8*\@(%rip)
#elif defined(__aarch64__)
#define JUMP adrp x16, g_front_targets+8*\@; ldr x16, [x16, #:lo12:g_front_targets+8*\@]; br x16
#else
#error "no trampoline for this processor"
#endif
    .text
    .hidden g_front_targets
    /* \@ counts the names. */
    .macro forward name
    .globl \name
    .type \name, %function
    .balign 16
\name:
    JUMP
    .size \name, . - \name
    .endm
#define F(name) forward name;
#include "front/driver_names.inc"
    .section .note.GNU-stack, "", %progbits
