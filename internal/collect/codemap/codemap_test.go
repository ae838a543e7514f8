package codemap

import (
	"os"
	"reflect"
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	const text = `55d0a0000000-55d0a0001000 r--p 00000000 fe:01 123 /opt/a b/app
55d0a0001000-55d0a0002000 r-xp 00001000 fe:01 123                        /opt/a  b/app
7f0000000000-7f0000001000 r-xp 00000000 00:00 0
7f0000002000-7f0000003000 r-xp 00002000 fe:01 9 /lib/x.so (deleted)
7f0000004000-7f0000005000 r-xp 00004000 fe:01 9 /lib/x.so (deleted)
7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0 [vdso]
nonsense-7ffd00001000 r-xp 00000000 00:00 0 /lib/y.so
`
	got := Parse(text)
	want := []Region{
		{0x55d0a0001000, 0x55d0a0002000, 0x1000, "/opt/a  b/app"},
		{0x7f0000002000, 0x7f0000003000, 0x2000, "/lib/x.so (deleted)"},
		{0x7f0000004000, 0x7f0000005000, 0x4000, "/lib/x.so (deleted)"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if files := Files(got); !slices.Equal(files, []string{"/opt/a  b/app", "/lib/x.so (deleted)"}) {
		t.Errorf("%q", files)
	}
}

func TestOfThisProcess(t *testing.T) {
	regions, err := Of(os.Getpid())
	self, _ := os.Executable()
	if err != nil || !slices.Contains(Files(regions), self) {
		t.Errorf("%q, %v", Files(regions), err)
	}
}
