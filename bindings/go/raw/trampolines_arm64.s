// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

// Functions that runtime.cgocall runs, by the calling convention of C, with the address of a struct registers: they call its
// function of C with its arguments and return what that returns. Offsets are those of registers (call_purego.go).
#include "textflag.h"

GLOBL ·trampoline(SB), NOPTR|RODATA, $8
DATA ·trampoline(SB)/8, $callC(SB)
GLOBL ·trampolineAsk(SB), NOPTR|RODATA, $8
DATA ·trampolineAsk(SB)/8, $askC(SB)

// Eight arguments in registers.
TEXT callC(SB), NOSPLIT|NOFRAME, $0
	STP.W (R29, R30), -16(RSP)
	MOVD  RSP, R29
	MOVD  R0, R9
	MOVD  0(R9), R10
	LDP   8(R9), (R0, R1)
	LDP   24(R9), (R2, R3)
	LDP   40(R9), (R4, R5)
	LDP   56(R9), (R6, R7)
	BL    (R10)
	LDP.P 16(RSP), (R29, R30)
	RET

// The second argument is the address of 32 bits here; -1 if they are not 0 and the status is.
TEXT askC(SB), NOSPLIT|NOFRAME, $0
	STP.W (R29, R30), -32(RSP)
	MOVD  RSP, R29
	MOVD  ZR, 16(RSP)
	MOVD  0(R0), R10
	MOVD  8(R0), R0
	ADD   $16, RSP, R1
	BL    (R10)
	MOVWU 16(RSP), R9
	LDP.P 32(RSP), (R29, R30)
	CBNZW R0, done
	CBZW  R9, done
	MOVW  $-1, R0

done:
	RET
