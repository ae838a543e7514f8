package generated

import (
	"encoding/binary"
	"runtime"
)

// CallBytes is how many bytes before a return address tell whether it is one.
const CallBytes = 7

// AfterCall tells whether an instruction that calls ends at the end of code, which are
// CallBytes bytes of this machine's kind. True is no proof: bytes of other instructions may
// look like it.
func AfterCall(code []byte) bool {
	if runtime.GOARCH == "arm64" {
		return afterCallARM64(code)
	}
	return afterCallAMD64(code)
}

// afterCallAMD64 looks for call rel32 (E8) and for call r/m64 (FF /2), whose length is in its
// second and third byte. Intel, Software Developer's Manual, volume 2, tables 2-2 and 2-3.
func afterCallAMD64(code []byte) bool {
	const near = 5
	n := len(code)
	if n >= near && code[n-near] == 0xe8 {
		return true
	}
	for length := 2; length <= min(n, CallBytes); length++ {
		c := code[n-length:]
		if c[0] == 0xff && c[1]>>3&7 == 2 && indirectLength(c) == length {
			return true
		}
	}
	return false
}

// indirectLength is that of a call with such an operand.
func indirectLength(c []byte) int {
	const withSIB, wide = 4, 4
	mode, rm := c[1]>>6, c[1]&7
	length := 2
	if mode != 3 && rm == withSIB {
		length++
		if mode == 0 && len(c) > 2 && c[2]&7 == 5 {
			length += wide
		}
	}
	switch {
	case mode == 1:
		length++
	case mode == 2, mode == 0 && rm == 5:
		length += wide
	}
	return length
}

// afterCallARM64 looks for BL, BLR and BLR with pointer authentication. Arm Architecture
// Reference Manual, C6.2.
func afterCallARM64(code []byte) bool {
	const bytes = 4
	if len(code) < bytes {
		return false
	}
	w := binary.LittleEndian.Uint32(code[len(code)-bytes:])
	return w&0xfc000000 == 0x94000000 || w&0xfffffc1f == 0xd63f0000 || w&0xfefff800 == 0xd63f0800
}
