/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hook that compilers call in the prologue of functions, for AArch64. Not all
 * compilers pass the function's return address, so the hook reads it from the frame
 * record. Functions keep the record at different places in their frames, but each record
 * points to the caller's record.
 */
#ifdef __aarch64__
	.text
	.globl mcount, _mcount
	.type mcount, @function
	.type _mcount, @function
	.p2align 4
mcount:
_mcount:
	.cfi_startproc
	hint 34                 /* bti c */
	stp x29, x30, [sp, -176]!
	.cfi_adjust_cfa_offset 176
	.cfi_offset x29, -176
	.cfi_offset x30, -168
	stp x0, x1, [sp, 16]
	stp x2, x3, [sp, 32]
	stp x4, x5, [sp, 48]
	stp x6, x7, [sp, 64]
	stp x8, x9, [sp, 80]
	stp x10, x11, [sp, 96]
	stp x12, x13, [sp, 112]
	stp x14, x15, [sp, 128]
	stp x16, x17, [sp, 144]
	str x18, [sp, 160]
	mov x0, x30
	ldr x30, [x29, 8]
	hint 7                  /* xpaclri: removes the signature */
	mov x1, x30
	mov x2, x29
	ldr x3, [x29]
	mov x29, sp
	bl rec_call
	ldp x0, x1, [sp, 16]
	ldp x2, x3, [sp, 32]
	ldp x4, x5, [sp, 48]
	ldp x6, x7, [sp, 64]
	ldp x8, x9, [sp, 80]
	ldp x10, x11, [sp, 96]
	ldp x12, x13, [sp, 112]
	ldp x14, x15, [sp, 128]
	ldp x16, x17, [sp, 144]
	ldr x18, [sp, 160]
	ldp x29, x30, [sp], 176
	.cfi_restore x29
	.cfi_restore x30
	.cfi_adjust_cfa_offset -176
	ret
	.cfi_endproc
	.size mcount, . - mcount
	.size _mcount, . - _mcount

/* void rec_preserve(void (*function)(void *), void *argument): calls a function of the C
 * library and preserves the vector registers. */
	.globl rec_preserve
	.hidden rec_preserve
	.type rec_preserve, @function
	.p2align 4
rec_preserve:
	.cfi_startproc
	sub sp, sp, 528
	.cfi_adjust_cfa_offset 528
	stp x29, x30, [sp]
	.cfi_offset x29, -528
	.cfi_offset x30, -520
	mov x29, sp
	stp q0, q1, [sp, 16]
	stp q2, q3, [sp, 48]
	stp q4, q5, [sp, 80]
	stp q6, q7, [sp, 112]
	stp q8, q9, [sp, 144]
	stp q10, q11, [sp, 176]
	stp q12, q13, [sp, 208]
	stp q14, q15, [sp, 240]
	stp q16, q17, [sp, 272]
	stp q18, q19, [sp, 304]
	stp q20, q21, [sp, 336]
	stp q22, q23, [sp, 368]
	stp q24, q25, [sp, 400]
	stp q26, q27, [sp, 432]
	stp q28, q29, [sp, 464]
	stp q30, q31, [sp, 496]
	mov x9, x0
	mov x0, x1
	blr x9
	ldp q0, q1, [sp, 16]
	ldp q2, q3, [sp, 48]
	ldp q4, q5, [sp, 80]
	ldp q6, q7, [sp, 112]
	ldp q8, q9, [sp, 144]
	ldp q10, q11, [sp, 176]
	ldp q12, q13, [sp, 208]
	ldp q14, q15, [sp, 240]
	ldp q16, q17, [sp, 272]
	ldp q18, q19, [sp, 304]
	ldp q20, q21, [sp, 336]
	ldp q22, q23, [sp, 368]
	ldp q24, q25, [sp, 400]
	ldp q26, q27, [sp, 432]
	ldp q28, q29, [sp, 464]
	ldp q30, q31, [sp, 496]
	ldp x29, x30, [sp]
	.cfi_restore x29
	.cfi_restore x30
	add sp, sp, 528
	.cfi_adjust_cfa_offset -528
	ret
	.cfi_endproc
	.size rec_preserve, . - rec_preserve

/* int rec_clone(long flags, void *stack, int *tid, void (*run)(void)): makes a thread,
 * which ends when `run` returns. The kernel clears *tid after the thread's end. Returns
 * the thread's id or a negative errno. */
	.globl rec_clone
	.hidden rec_clone
	.type rec_clone, @function
	.p2align 4
rec_clone:
	.cfi_startproc
	mov x4, x2
	mov x9, x3
	mov x8, 220             // clone
	svc 0
	cbz w0, 1f
	ret
	.cfi_endproc
1:	mov x29, 0
	mov x30, 0
	blr x9
	mov x0, 0
	mov x8, 93              // exit
	svc 0
	.size rec_clone, . - rec_clone

#endif

	.section .note.GNU-stack, "", %progbits
