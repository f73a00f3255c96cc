// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

// Functions that runtime.cgocall runs, by the calling convention of C, with the address of a struct registers: they call its
// function of C with its arguments and return what that returns. Offsets are those of registers (call_purego.go).
#include "textflag.h"

GLOBL ·trampoline(SB), NOPTR|RODATA, $8
DATA ·trampoline(SB)/8, $callC(SB)
GLOBL ·trampolineAsk(SB), NOPTR|RODATA, $8
DATA ·trampolineAsk(SB)/8, $askC(SB)

// Six arguments in registers and two on the stack, which is aligned to 16 bytes at the call.
TEXT callC(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	MOVQ  DI, R11
	PUSHQ 64(R11)
	PUSHQ 56(R11)
	MOVQ  48(R11), R9
	MOVQ  40(R11), R8
	MOVQ  32(R11), CX
	MOVQ  24(R11), DX
	MOVQ  16(R11), SI
	MOVQ  8(R11), DI
	MOVQ  0(R11), R11
	CALL  R11
	POPQ  CX
	POPQ  CX
	POPQ  BP
	RET

// The second argument is the address of 32 bits here; -1 if they are not 0 and the status is.
TEXT askC(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	PUSHQ $0
	PUSHQ $0
	MOVQ  0(DI), R11
	MOVQ  8(DI), DI
	MOVQ  SP, SI
	CALL  R11
	POPQ  CX
	POPQ  R11
	POPQ  BP
	TESTL AX, AX
	JNE   done
	TESTL CX, CX
	JEQ   done
	MOVL  $-1, AX

done:
	RET
