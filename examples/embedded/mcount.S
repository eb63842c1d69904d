/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The function that gcc -pg calls on ARM at the start of each function, with "push
 * {lr}" and "bl __gnu_mcount_nc". The pushed value is the function's return address; lr
 * is an address in the function. All argument registers are preserved; lr is restored
 * from the stack, and the pushed word is removed. Uses only instructions that every
 * Thumb core has, including Cortex-M0.
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
        movs    r2, #1                  /* bit 0 marks Thumb code; clear it */
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
