package instruction

import "testing"

// The bytes are what GNU as makes of the text.
func TestX86(t *testing.T) {
	for text, test := range map[string]struct {
		code []byte
		want Kind
	}{
		"movsd (%rax,%rcx,8),%xmm1": {[]byte{0xf2, 0x0f, 0x10, 0x0c, 0xc8}, Load},
		"mov %eax,0x8(%rdi)":        {[]byte{0x89, 0x47, 0x08}, Store},
		"add (%rsi),%rax":           {[]byte{0x48, 0x03, 0x06}, Load},
		"cmp %rax,(%rsi)":           {[]byte{0x48, 0x39, 0x06}, Load},
		"idiv %ecx":                 {[]byte{0xf7, 0xf9}, Division},
		"sqrtsd %xmm0,%xmm0":        {[]byte{0xf2, 0x0f, 0x51, 0xc0}, Division},
		"lock cmpxchg %edx,(%rdi)":  {[]byte{0xf0, 0x0f, 0xb1, 0x17}, Atomic},
		"xchg %eax,(%rdi)":          {[]byte{0x87, 0x07}, Atomic},
		"lea 0x1(%rax),%edx":        {[]byte{0x8d, 0x50, 0x01}, Integer},
		"addsd %xmm1,%xmm0":         {[]byte{0xf2, 0x0f, 0x58, 0xc1}, Float},
		"mulps %xmm1,%xmm0":         {[]byte{0x0f, 0x59, 0xc1}, Vector},
		"paddd %xmm1,%xmm0":         {[]byte{0x66, 0x0f, 0xfe, 0xc1}, Vector},
		"retq":                      {[]byte{0xc3}, Call},
		"an AVX instruction":        {[]byte{0xc5, 0xfc, 0x58, 0xc1}, Vector},
	} {
		in, ok := x86(test.code, 0x1000)
		if !ok || in.Text != text || in.Kind != test.want {
			t.Errorf("%q: got %+v, %v; want %s", text, in, ok, test.want)
		}
	}
	if in, ok := x86([]byte{0x75, 0xfe}, 0x1000); !ok || in.Kind != Branch {
		t.Errorf("jne: %+v, %v", in, ok)
	}
	for _, code := range [][]byte{nil, {0x06}, {0x0f}} {
		if in, ok := x86(code, 0); ok {
			t.Errorf("% x is %+v", code, in)
		}
	}
}

func TestARM(t *testing.T) {
	for text, test := range map[string]struct {
		code []byte
		want Kind
	}{
		"ldr x1, [x0,#8]": {[]byte{0x01, 0x04, 0x40, 0xf9}, Load},
		"str w1, [x0]":    {[]byte{0x01, 0x00, 0x00, 0xb9}, Store},
		"udiv x0, x1, x2": {[]byte{0x20, 0x08, 0xc2, 0x9a}, Division},
		"add x0, x1, x2":  {[]byte{0x20, 0x00, 0x02, 0x8b}, Integer},
		"ret":             {[]byte{0xc0, 0x03, 0x5f, 0xd6}, Call},
		"fadd d0, d1, d2": {[]byte{0x20, 0x28, 0x62, 0x1e}, Float},
	} {
		in, ok := arm(test.code)
		if !ok || in.Text != text || in.Kind != test.want {
			t.Errorf("%q: got %+v, %v; want %s", text, in, ok, test.want)
		}
	}
	if _, ok := arm([]byte{1, 2}); ok {
		t.Error("half an instruction")
	}
}
