package instruction

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestSteps(t *testing.T) {
	// A loop: add (%rdi),%eax; add $4,%rdi; vaddps 0x20(%rsp),%ymm0,%ymm0; cmp; jne to its begin;
	// ja far; ret.
	code := []byte{0x03, 0x07, 0x48, 0x83, 0xc7, 0x04, 0xc5, 0xfc, 0x58, 0x44, 0x24, 0x20, 0x48, 0x39, 0xf7, 0x75, 0xef, 0x0f, 0x87, 0x00, 0x01, 0x00, 0x00, 0xc3}
	steps := Steps(code, 0x1000)
	if len(steps) != 7 {
		t.Fatalf("%+v", steps)
	}
	if s := steps[4]; s.Address != 0x100f || s.Target != 0x1000 || !s.Conditional || s.Condition != 5 {
		t.Errorf("jne: %+v", s)
	}
	if s := steps[5]; s.Target != 0x1117 || !s.Conditional || s.Condition != 7 || s.Size != 6 {
		t.Errorf("ja: %+v", s)
	}
	for n := range code {
		if got := Steps(code[:n], 0); len(got) > 6 {
			t.Errorf("%d bytes: %+v", n, got)
		}
	}
}

// How instructions use general registers, whatever part of them they name.
func TestUse(t *testing.T) {
	const ax, cx, dx, bx, si, r9, r10 = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 6, 1 << 9, 1 << 10
	for text, x := range map[string]struct {
		code []byte
		want Use
	}{
		"cmp $-1,%r9d":              {[]byte{0x41, 0x83, 0xf9, 0xff}, Use{Tested: r9, From: r9}},
		"test %eax,%eax":            {[]byte{0x85, 0xc0}, Use{Tested: ax, From: ax}},
		"test %eax,%ecx":            {[]byte{0x85, 0xc1}, Use{From: ax | cx}},
		"cmp %rsi,%rdx":             {[]byte{0x48, 0x39, 0xf2}, Use{From: si | dx}},
		"mov %r9d,%ebx":             {[]byte{0x44, 0x89, 0xcb}, Use{From: r9, To: bx}},
		"lea (%rbx,%rbx,4),%rbx":    {[]byte{0x48, 0x8d, 0x1c, 0x9b}, Use{From: bx, To: bx}},
		"mov %esi,0xc(%r10,%rbx,4)": {[]byte{0x41, 0x89, 0x74, 0x9a, 0x0c}, Use{From: si, Address: r10 | bx}},
		"movzbl %ah,%ecx":           {[]byte{0x0f, 0xb6, 0xcc}, Use{From: ax, To: cx}},
		"add (%rdx),%eax":           {[]byte{0x03, 0x02}, Use{From: ax, To: ax, Address: dx}},
		"mov (%rdx),%rdx":           {[]byte{0x48, 0x8b, 0x12}, Use{To: dx, Address: dx}},
		"vaddps 0x20(%rsp),%ymm0,…": {[]byte{0xc5, 0xfc, 0x58, 0x44, 0x24, 0x20}, Use{}},
		"nopw 0x0(%rax,%rax,1)":     {[]byte{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}, Use{}},
		"movslq 0x8(%rax),%rcx":     {[]byte{0x48, 0x63, 0x48, 0x08}, Use{To: cx, Address: ax}},
		"jne":                       {[]byte{0x75, 0xef}, Use{}},
	} {
		if got := Steps(x.code, 0); len(got) != 1 || got[0].Use != x.want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// Beside objdump, on the C library's mathematics, which has code for each kind of processor.
func TestStepsOfAFile(t *testing.T) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("needs objdump")
	}
	files, _ := filepath.Glob("/lib/x86_64-linux-gnu/lib[cm].so.6")
	if len(files) == 0 {
		t.Skip("needs a C library of x86-64")
	}
	for _, file := range files {
		out, err := exec.CommandContext(t.Context(), objdump, "-d", "-w", "--section=.text", file).Output()
		if err != nil {
			t.Fatal(err)
		}
		read, unread := 0, map[string]int{}
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			at, raw, text, ok := listed(lines.Text())
			if !ok || strings.HasPrefix(text, "data16") || strings.HasPrefix(text, "(bad)") || raw[0] == 0x9b { // fwait is an instruction of its own
				continue
			}
			s, ok := stepAt(raw, at)
			name, _, _ := strings.Cut(text, " ")
			switch {
			case !ok:
				unread[name]++
				continue
			case s.Size != len(raw):
				t.Errorf("%s: %x: %s: %d bytes of % x", file, at, text, s.Size, raw)
			case s.Conditional != (name[0] == 'j' && name != "jmp" && name != "jrcxz" && name != "jecxz"):
				t.Errorf("%s: %x: %s: %+v", file, at, text, s)
			case s.Conditional && !strings.Contains(text, strconv.FormatUint(s.Target, 16)):
				t.Errorf("%s: %x: %s: to %x", file, at, text, s.Target)
			}
			read++
		}
		all := 0
		for _, n := range unread {
			all += n
		}
		if read < 50_000 || all*200 > read {
			t.Errorf("%s: %d read, %d not: %v", file, read, all, unread)
		}
		t.Logf("%s: %d read, %d not: %v", file, read, all, unread)
	}
}

// listed is a line of objdump: "  1000:\t03 07\tadd (%rdi),%eax".
func listed(line string) (at uint64, raw []byte, text string, ok bool) {
	parts := strings.Split(line, "\t")
	if len(parts) < 3 {
		return 0, nil, "", false
	}
	at, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(parts[0]), ":"), 16, 64)
	if err != nil {
		return 0, nil, "", false
	}
	raw, err = hex.DecodeString(strings.ReplaceAll(parts[1], " ", ""))
	return at, raw, strings.TrimSpace(parts[2]), err == nil
}
