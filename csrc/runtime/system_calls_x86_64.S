/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The C library's function syscall(), which makes any system call. Those that execute a
 * program, or confine or end this one, go to seccomp.c. It has no frame, because a system
 * call may return on another stack.
 */
#ifdef __x86_64__

	.text

	.globl syscall
	.type syscall, @function
	.p2align 4
syscall:
	.cfi_startproc
	cmp $59, %rdi           /* execve */
	je rec_system_call
	cmp $157, %rdi          /* prctl */
	je rec_system_call
	cmp $231, %rdi          /* exit_group */
	je rec_system_call
	cmp $317, %rdi          /* seccomp */
	je rec_system_call
	cmp $322, %rdi          /* execveat */
	je rec_system_call
	mov %rdi, %rax
	mov %rsi, %rdi
	mov %rdx, %rsi
	mov %rcx, %rdx
	mov %r8, %r10
	mov %r9, %r8
	mov 8(%rsp), %r9
	syscall
	cmp $-4095, %rax
	jae 4f
	ret
4:	mov %rax, %rdi
	jmp rec_failed_call
	.cfi_endproc
	.size syscall, . - syscall

#endif

	.section .note.GNU-stack, "", %progbits
