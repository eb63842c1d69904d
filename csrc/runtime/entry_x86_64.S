/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hooks that compilers call at the start of functions, for x86-64. They count calls
 * that were made before, and leave all others to rec_call (see calls.h).
 *
 * The hooks preserve all general registers, as glibc's mcount does. gcc relies on that:
 * it does not see the calls of mcount that it adds, and with -fipa-ra, part of -O2, a
 * caller keeps values in any register that the called function does not seem to use.
 */
#ifdef __x86_64__

#include "runtime/table_layout.h"

	.text

/* `saved` is the distance in bytes from the stack pointer to the return address. */
.macro SAVE registers:vararg
	.irp register, \registers
	push %\register
	.cfi_adjust_cfa_offset 8
	.set saved, saved + 8
	.endr
.endm

.macro RESTORE registers:vararg
	.irp register, \registers
	pop %\register
	.cfi_adjust_cfa_offset -8
	.endr
.endm

/* Restores what a hook has saved, but for r11: rdi only if it contains the frame. */
.macro RESTORE_ALL frame
	RESTORE rsi, rax, rdx, rcx
	.ifc \frame, %rdi
	RESTORE rdi
	.endif
.endm

/* Counts a call with rec_call, which uses only general registers, and does not need an
 * aligned stack. */
.macro CALL_C frame, pointer
	.set saved, 0
	SAVE rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
	mov saved(%rsp), %rdi
	lea \frame, %rdx
	mov 8(%rdx), %rsi
	mov \pointer, %rcx
	call rec_call
	RESTORE r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	ret
.endm

/* The arguments are those of rec_call: the register `frame`, which is rdi if the frame
 * begins below the hook's return address, and the operand `pointer`.
 *
 * The frame pointer leads to the caller's slot. If the caller has no frame pointer, its
 * slot is the innermost one. In each case, the caller's return address must still be in
 * its frame. If some functions announce their end, the innermost slot decides: it must
 * be the caller's, or that of such a function. On an unknown stack, the frame of the
 * innermost slot may be unmapped.
 *
 * The call's record is looked for in the cache; then as the follower of the call that was
 * last in the callee's slot, which finds it if a program makes many calls in turn; and
 * then in the hash table.
 *
 * r11 is the table, rcx a slot, rax a record, rsi its context. */
.macro HOOK frame, pointer
	.set saved, 0
	cmpl $STATE_RECORDING, rec_state(%rip)
	jne .Lslow\@
	SAVE r11
	mov rec_own@gottpoff(%rip), %r11
	mov %fs:(%r11), %r11
	test %r11, %r11
	jz .Lbusy\@
	cmpq $0, THREAD_HOLDER(%r11)
	jne .Lbusy\@
	.ifc \frame, %rdi
	SAVE rdi
	lea saved(%rsp), %rdi
	.endif
	SAVE rcx, rdx, rax, rsi
	mov %rsp, THREAD_HOLDER(%r11)
	mov \pointer, %rdx
	cmpb $0, THREAD_INSTRUMENTED(%r11)
	jne .Lby_order\@
	mov %edx, %ecx
	shr %ecx
	and $8 * (CACHED_SLOTS - 1), %ecx
	mov THREAD_CACHED_SLOTS(%r11,%rcx), %rcx
	cmp SLOT_FRAME(%rcx), %rdx
	jne .Lby_order\@
	cmp THREAD_TOP(%r11), %rcx
	ja .Lleave\@
	cmp \frame, %rdx
	jbe .Lleave\@
	cmp THREAD_LOW(%r11), \frame
	jb .Lleave\@
	mov 8(%rdx), %rdx
	cmp SLOT_RETURNS(%rcx), %rdx
	jne .Lleave\@

.Lfind\@:
	mov 8(\frame), %rdx
	add $SLOT_BYTES, %rcx
	cmp THREAD_END(%r11), %rcx
	jae .Lleave\@
	lea (%rdx,\frame), %eax
	and $CACHED_CALLS - 1, %eax
	mov SLOT_CONTEXT - SLOT_BYTES(%rcx), %rsi
	mov THREAD_CACHED_CALLS(%r11,%rax,8), %rax
	cmp RECORD_FROM(%rax), %rdx
	jne .Lguess\@
	cmp RECORD_CONTEXT(%rax), %rsi
	jne .Lguess\@
	mov saved(%rsp), %rsi
	cmp RECORD_SELF(%rax), %rsi
	jne .Lguess\@

.Lcount\@:
	incq RECORD_COUNT(%rax)
	mov RECORD_ENTERED(%rax), %rsi
	mov \frame, SLOT_FRAME(%rcx)
	mov %rdx, SLOT_RETURNS(%rcx)
	mov %rsi, SLOT_CONTEXT(%rcx)
	mov %rax, SLOT_CALL(%rcx)
	mov %rcx, THREAD_TOP(%r11)
	mov \frame, %rdx
	shr %edx
	and $8 * (CACHED_SLOTS - 1), %edx
	mov %rcx, THREAD_CACHED_SLOTS(%r11,%rdx)
	movq $0, THREAD_HOLDER(%r11)
	.cfi_remember_state
	RESTORE_ALL \frame
	RESTORE r11
	ret
	.cfi_restore_state

.Lguess\@:
	mov SLOT_CALL(%rcx), %rax
	test %rax, %rax
	jz .Lsearch\@
	mov RECORD_FOLLOWER(%rax), %rax
	mov SLOT_CONTEXT - SLOT_BYTES(%rcx), %rsi
	cmp RECORD_FROM(%rax), %rdx
	jne .Lsearch\@
	cmp RECORD_CONTEXT(%rax), %rsi
	jne .Lsearch\@
	mov saved(%rsp), %rsi
	cmp RECORD_SELF(%rax), %rsi
	jne .Lsearch\@
	lea (%rdx,\frame), %esi
	and $CACHED_CALLS - 1, %esi
	mov %rax, THREAD_CACHED_CALLS(%r11,%rsi,8)
	jmp .Lcount\@

.Lsearch\@:
	imul $HASH_FROM, %rdx, %rax
	add SLOT_CONTEXT - SLOT_BYTES(%rcx), %rax
	add saved(%rsp), %rax
	imul hash_key(%rip), %rax
	bswap %rax
	and THREAD_MASK(%r11), %rax
	shl $3, %rax
	add THREAD_BUCKETS(%r11), %rax
	sub $RECORD_NEXT, %rax
.Lnext\@:
	mov RECORD_NEXT(%rax), %rax
	test %rax, %rax
	jz .Lleave\@
	cmp RECORD_FROM(%rax), %rdx
	jne .Lnext\@
	mov SLOT_CONTEXT - SLOT_BYTES(%rcx), %rsi
	cmp RECORD_CONTEXT(%rax), %rsi
	jne .Lnext\@
	mov saved(%rsp), %rsi
	cmp RECORD_SELF(%rax), %rsi
	jne .Lnext\@
	cmpb $0, RECORD_INSIDE(%rax)
	je .Lleave\@
	lea (%rdx,\frame), %esi
	and $CACHED_CALLS - 1, %esi
	mov %rax, THREAD_CACHED_CALLS(%r11,%rsi,8)
.Lfound\@:
	mov SLOT_CALL(%rcx), %rsi
	test %rsi, %rsi
	jz .Lcount\@
	mov %rax, RECORD_FOLLOWER(%rsi)
	jmp .Lcount\@

.Lby_order\@:
	mov \frame, %rdx
	sub THREAD_LOW(%r11), %rdx
	cmp THREAD_SIZE(%r11), %rdx
	jae .Lleave\@
	cmpb $0, THREAD_UNKNOWN(%r11)
	jne .Lleave\@
	mov THREAD_TOP(%r11), %rcx
	add $SLOT_BYTES, %rcx
.Lpop\@:
	sub $SLOT_BYTES, %rcx
	cmp \frame, SLOT_FRAME(%rcx)
	jbe .Lpop\@
	mov SLOT_RETURNS(%rcx), %rdx
	test %rdx, %rdx
	jz .Lfind\@
	mov SLOT_FRAME(%rcx), %rsi
	cmp 8(%rsi), %rdx
	jne .Lleave\@
	cmp \pointer, %rsi
	je .Lfind\@
	mov \pointer, %rdx
	sub THREAD_LOW(%r11), %rdx
	cmp THREAD_SIZE(%r11), %rdx
	jae .Lfind\@

.Lleave\@:
	movq $0, THREAD_HOLDER(%r11)
	RESTORE_ALL \frame
.Lbusy\@:
	RESTORE r11
.Lslow\@:
.endm

/* mcount is called after the prologue, so rbp is the frame pointer. */
	.globl mcount, _mcount
	.type mcount, @function
	.type _mcount, @function
	.p2align 6
mcount:
_mcount:
	.cfi_startproc
	endbr64
	HOOK frame=%rbp, pointer=(%rbp)
	CALL_C frame=(%rbp), pointer=(%rbp)
	.cfi_endproc
	.size mcount, . - mcount
	.size _mcount, . - _mcount

/* __fentry__ is called before the prologue: rbp still belongs to the caller, and the
 * function's return address is in the word above the hook's. The frame address is where
 * the prologue would save rbp: the place of the hook's return address. */
	.globl __fentry__
	.type __fentry__, @function
	.p2align 6
__fentry__:
	.cfi_startproc
	endbr64
	HOOK frame=%rdi, pointer=%rbp
	CALL_C frame=saved(%rsp), pointer=%rbp
	.cfi_endproc
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
	movzbl xsave(%rip), %eax
	test %eax, %eax
	jnz 3f
	mov $1, %eax
	cpuid                   /* takes microseconds in a virtual machine */
	bt $27, %ecx            /* OSXSAVE */
	mov $1, %eax
	adc $0, %eax
	mov %al, xsave(%rip)
3:	cmp $2, %eax
	jne 1f
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

/* Whether the processor has the instruction xsave: 2 if it has, 1 if not, 0 if unknown. */
	.local xsave
	.comm xsave, 1

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

	.section .rodata
	.p2align 3
hash_key:
	.quad HASH_KEY

#endif

	.section .note.GNU-stack, "", %progbits
