/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hooks that compilers call at the start of functions, for x86-64. They preserve the
 * general registers that a call may change: the registers of arguments and return values,
 * and r10 and r11, which nested functions and thunks use. rec_call uses only general
 * registers, and does not need an aligned stack.
 */
#ifdef __x86_64__
	.text

/* self, from, frame, pointer are the arguments of rec_call (see calls.h). */
.macro HOOK from, frame, pointer
	.cfi_startproc
	endbr64
	push %rax
	push %rcx
	push %rdx
	push %rsi
	push %rdi
	push %r8
	push %r9
	push %r10
	push %r11
	.cfi_adjust_cfa_offset 72
	mov 72(%rsp), %rdi
	mov \from, %rsi
	lea \frame, %rdx
	mov \pointer, %rcx
	call rec_call
	pop %r11
	pop %r10
	pop %r9
	pop %r8
	pop %rdi
	pop %rsi
	pop %rdx
	pop %rcx
	pop %rax
	.cfi_adjust_cfa_offset -72
	ret
	.cfi_endproc
.endm

/* mcount is called after the prologue, so rbp is the frame pointer. */
	.globl mcount, _mcount
	.type mcount, @function
	.type _mcount, @function
	.p2align 4
mcount:
_mcount:
	HOOK from=8(%rbp), frame=(%rbp), pointer=(%rbp)
	.size mcount, . - mcount
	.size _mcount, . - _mcount

/* __fentry__ is called before the prologue: rbp still belongs to the caller, and the
 * function's return address is in the word above the hook's. The frame address is where
 * the prologue would save rbp: the place of the hook's return address. */
	.globl __fentry__
	.type __fentry__, @function
	.p2align 4
__fentry__:
	HOOK from=80(%rsp), frame=72(%rsp), pointer=%rbp
	.size __fentry__, . - __fentry__

/* void rec_preserve(void (*function)(void *), void *argument): calls a function of the C
 * library and preserves x87, SSE, AVX and AVX-512 registers. */
	.globl rec_preserve
	.hidden rec_preserve
	.type rec_preserve, @function
	.p2align 4
rec_preserve:
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	push %rbx
	push %r12
	.cfi_offset %rbx, -24
	.cfi_offset %r12, -32
	mov %rdi, %r12
	mov %rsi, %rdi
	sub $2752, %rsp
	and $-64, %rsp
	mov $1, %eax
	cpuid
	bt $27, %ecx            /* OSXSAVE */
	jnc 1f
	xor %eax, %eax
	xor %ebx, %ebx
0:	mov %rax, 512(%rsp,%rbx,8)
	inc %ebx
	cmp $8, %ebx
	jne 0b
	mov $0xe7, %eax
	xor %edx, %edx
	xsave64 (%rsp)
	call *%r12
	mov $0xe7, %eax
	xor %edx, %edx
	xrstor64 (%rsp)
	jmp 2f
1:	fxsave64 (%rsp)
	call *%r12
	fxrstor64 (%rsp)
2:	lea -16(%rbp), %rsp
	pop %r12
	pop %rbx
	pop %rbp
	.cfi_def_cfa %rsp, 8
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
	mov %rdx, %r10
	mov %rcx, %r9
	mov $56, %eax           /* clone */
	syscall
	test %eax, %eax
	jz 3f
	ret
	.cfi_endproc
3:	xor %ebp, %ebp
	call *%r9
	xor %edi, %edi
	mov $60, %eax           /* exit */
	syscall
	hlt
	.size rec_clone, . - rec_clone

#endif

	.section .note.GNU-stack, "", %progbits
