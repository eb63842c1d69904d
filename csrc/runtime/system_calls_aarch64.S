/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The C library's function syscall(), which makes any system call. Those that execute a
 * program, or confine or end this one, go to seccomp.c. It has no frame, because a system
 * call may return on another stack.
 */
#ifdef __aarch64__

	.text

	.globl syscall
	.type syscall, @function
	.p2align 4
syscall:
	.cfi_startproc
	cmp x0, 221             // execve
	b.eq 5f
	cmp x0, 167             // prctl
	b.eq 5f
	cmp x0, 94              // exit_group
	b.eq 5f
	cmp x0, 277             // seccomp
	b.eq 5f
	cmp x0, 281             // execveat
	b.eq 5f
	mov x8, x0
	mov x0, x1
	mov x1, x2
	mov x2, x3
	mov x3, x4
	mov x4, x5
	mov x5, x6
	svc 0
	cmn x0, 4095
	b.hs 6f
	ret
5:	b rec_system_call
6:	b rec_failed_call
	.cfi_endproc
	.size syscall, . - syscall

#endif

	.section .note.GNU-stack, "", %progbits
