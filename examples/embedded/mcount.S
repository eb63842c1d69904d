/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What gcc -pg calls at the start of each function on ARM, by "push {lr}" and
 * "bl __gnu_mcount_nc". On the stack is where the function returns to, in lr where it
 * goes on. Arguments in registers stay as they are, and lr gets back what was pushed. The
 * instructions are those that every Thumb has, that of Cortex-M0, too.
 */
        .syntax unified
        .thumb
        .text
        .align  2
        .globl  __gnu_mcount_nc
        .thumb_func
        .type   __gnu_mcount_nc, %function
__gnu_mcount_nc:
        push    {r0, r1, r2, r3, lr}
        ldr     r0, [sp, #20]
        mov     r1, lr
        movs    r2, #1                  /* bit 0 says that code is Thumb */
        bics    r0, r2
        bics    r1, r2
        bl      gmon_call
        ldr     r0, [sp, #16]
        mov     ip, r0
        ldr     r0, [sp, #20]
        mov     lr, r0
        pop     {r0, r1, r2, r3}
        add     sp, #8
        bx      ip
        .size   __gnu_mcount_nc, . - __gnu_mcount_nc
