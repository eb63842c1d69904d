/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hook that compilers call in the prologue of functions, for AArch64. It counts calls
 * that were made before, and leaves all others to rec_call (see calls.h). It works like
 * the hooks in entry_x86_64.S.
 *
 * Not all compilers pass the function's return address, so the hook reads it from the
 * frame record. Functions keep the record at different places in their frames, but each
 * record points to the caller's record. The hook preserves the registers of arguments,
 * and x18. It changes x9 to x17, as any function may.
 */
#ifdef __aarch64__

#include "runtime/table_layout.h"

/* x29 is the callee's frame, x30 the hook's return address. */
#define TABLE x9
#define SLOT x10
#define RECORD x11
#define RETURNS x12 /* the callee's return address as stored */
#define FROM x13    /* the same without a signature */
#define POINTER x14 /* the caller's frame */

	.text

/* Sets x16 to the address of a place in a cache. */
.macro PLACE key, shift, cache, places
	lsr x16, \key, \shift
	and x16, x16, \places - 1
	add x16, TABLE, x16, lsl 3
	add x16, x16, \cache
.endm

	.globl mcount, _mcount
	.type mcount, @function
	.type _mcount, @function
	.p2align 6
mcount:
_mcount:
	.cfi_startproc
	hint 34                 /* bti c */
	adrp x15, rec_state
	ldr w15, [x15, :lo12:rec_state]
	cmp w15, STATE_RECORDING
	b.ne .Lslow
	adrp x15, :gottprel:rec_own
	ldr x15, [x15, :gottprel_lo12:rec_own]
	mrs x16, tpidr_el0
	ldr TABLE, [x16, x15]
	cbz TABLE, .Lslow
	ldr x15, [TABLE, THREAD_HOLDER]
	cbnz x15, .Lslow
	mov x15, sp
	str x15, [TABLE, THREAD_HOLDER]
	ldp POINTER, RETURNS, [x29]

	ldrb w15, [TABLE, THREAD_INSTRUMENTED]
	cbnz w15, .Lby_order
	PLACE POINTER, 4, THREAD_CACHED_SLOTS, CACHED_SLOTS
	ldr SLOT, [x16]
	ldp x15, x16, [SLOT, SLOT_FRAME]
	cmp x15, POINTER
	b.ne .Lby_order
	ldr x17, [TABLE, THREAD_TOP]
	cmp SLOT, x17
	b.hi .Lleave
	cmp POINTER, x29
	b.ls .Lleave
	ldr x17, [TABLE, THREAD_LOW]
	cmp x29, x17
	b.lo .Lleave
	ldr x15, [POINTER, 8]
	cmp x15, x16
	b.ne .Lleave

.Lfind:
	mov x15, x30
	mov x30, RETURNS
	hint 7                  /* xpaclri: removes the signature */
	mov FROM, x30
	mov x30, x15
	add x15, FROM, x29
	PLACE x15, 0, THREAD_CACHED_CALLS, CACHED_CALLS
	ldr RECORD, [x16]
	ldr x15, [SLOT, SLOT_CONTEXT]
	ldp x16, x17, [RECORD, RECORD_CONTEXT] /* and RECORD_FROM */
	cmp x16, x15
	ccmp x17, FROM, 0, eq
	ldr x16, [RECORD, RECORD_SELF]
	ccmp x16, x30, 0, eq
	b.ne .Lguess

.Lcount:
	add SLOT, SLOT, SLOT_BYTES
	ldr x15, [TABLE, THREAD_END]
	cmp SLOT, x15
	b.hs .Lleave
	ldp x15, x16, [RECORD, RECORD_ENTERED] /* and RECORD_COUNT */
	add x16, x16, 1
	str x16, [RECORD, RECORD_COUNT]
	stp x29, RETURNS, [SLOT, SLOT_FRAME]
	stp x15, RECORD, [SLOT, SLOT_CONTEXT]
	str SLOT, [TABLE, THREAD_TOP]
	PLACE x29, 4, THREAD_CACHED_SLOTS, CACHED_SLOTS
	str SLOT, [x16]
	str xzr, [TABLE, THREAD_HOLDER]
	ret

.Lguess:
	add x16, SLOT, SLOT_BYTES
	ldr x17, [TABLE, THREAD_END]
	cmp x16, x17
	b.hs .Lleave
	ldr RECORD, [SLOT, SLOT_CALL + SLOT_BYTES]
	cbz RECORD, .Lsearch
	ldr RECORD, [RECORD, RECORD_FOLLOWER]
	ldp x16, x17, [RECORD, RECORD_CONTEXT]
	cmp x16, x15
	ccmp x17, FROM, 0, eq
	ldr x16, [RECORD, RECORD_SELF]
	ccmp x16, x30, 0, eq
	b.ne .Lsearch
	add x15, FROM, x29
	PLACE x15, 0, THREAD_CACHED_CALLS, CACHED_CALLS
	str RECORD, [x16]
	b .Lcount

.Lsearch:
	ldr x16, =HASH_FROM
	madd x16, FROM, x16, x15
	add x16, x16, x30
	ldr x17, =HASH_KEY
	mul x16, x16, x17
	rev x16, x16
	ldr x17, [TABLE, THREAD_MASK]
	and x16, x16, x17
	ldr x17, [TABLE, THREAD_BUCKETS]
	add RECORD, x17, x16, lsl 3
	sub RECORD, RECORD, RECORD_NEXT
.Lnext:
	ldr RECORD, [RECORD, RECORD_NEXT]
	cbz RECORD, .Lleave
	ldp x16, x17, [RECORD, RECORD_CONTEXT]
	cmp x16, x15
	ccmp x17, FROM, 0, eq
	ldr x16, [RECORD, RECORD_SELF]
	ccmp x16, x30, 0, eq
	b.ne .Lnext
	ldrb w15, [RECORD, RECORD_INSIDE]
	cbz w15, .Lleave
	add x15, FROM, x29
	PLACE x15, 0, THREAD_CACHED_CALLS, CACHED_CALLS
	str RECORD, [x16]
	ldr x15, [SLOT, SLOT_CALL + SLOT_BYTES]
	cbz x15, .Lcount
	str RECORD, [x15, RECORD_FOLLOWER]
	b .Lcount

.Lby_order:
	ldp x15, x16, [TABLE, THREAD_LOW] /* and THREAD_SIZE */
	sub x17, x29, x15
	cmp x17, x16
	b.hs .Lleave
	ldrb w15, [TABLE, THREAD_UNKNOWN]
	cbnz w15, .Lleave
	ldr SLOT, [TABLE, THREAD_TOP]
	add SLOT, SLOT, SLOT_BYTES
.Lpop:
	ldp x15, x16, [SLOT, SLOT_FRAME - SLOT_BYTES]
	sub SLOT, SLOT, SLOT_BYTES
	cmp x15, x29
	b.ls .Lpop
	cbz x16, .Lfind
	ldr x17, [x15, 8]
	cmp x17, x16
	b.ne .Lleave
	cmp x15, POINTER
	b.eq .Lfind
	ldp x15, x16, [TABLE, THREAD_LOW]
	sub x17, POINTER, x15
	cmp x17, x16
	b.hs .Lfind

.Lleave:
	str xzr, [TABLE, THREAD_HOLDER]
.Lslow:
	stp x29, x30, [sp, -96]!
	.cfi_adjust_cfa_offset 96
	.cfi_offset x29, -96
	.cfi_offset x30, -88
	stp x0, x1, [sp, 16]
	stp x2, x3, [sp, 32]
	stp x4, x5, [sp, 48]
	stp x6, x7, [sp, 64]
	stp x8, x18, [sp, 80]
	mov x0, x30
	ldr x30, [x29, 8]
	hint 7
	mov x1, x30
	mov x2, x29
	ldr x3, [x29]
	mov x29, sp
	bl rec_call
	ldp x0, x1, [sp, 16]
	ldp x2, x3, [sp, 32]
	ldp x4, x5, [sp, 48]
	ldp x6, x7, [sp, 64]
	ldp x8, x18, [sp, 80]
	ldp x29, x30, [sp], 96
	.cfi_restore x29
	.cfi_restore x30
	.cfi_adjust_cfa_offset -96
	ret
	.ltorg
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
