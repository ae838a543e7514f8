package passes

import (
	"os"
	"reflect"
	"runtime"
	"testing"
	"time"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/elfinfo/instruction"
	"whyhot/internal/profile"
)

const goLoop = `
func total(rows []row) (sum float64) {
	for _, r := range rows {  @1
		sum += r.Total  @3
	}
	return sum
}
`

func TestElementsThatGoCopies(t *testing.T) {
	checkAll(t, map[string]written{
		"by the runtime":   {"/me/a.go", goLoop, "total@1 runtime.duffcopy", "total@3", profile.KindNative, RuleElements, "@1 rows;"},
		"small elements":   {"/me/a.go", goLoop, "total@1", "total@3", profile.KindNative, "", ""},
		"another function": {"/me/a.go", goLoop, "total@1 runtime.chanrecv", "total@3", profile.KindNative, "", ""},
	})
}

type large struct{ _ [31]int }

//go:noinline
func copyLarge(to, from *large) { *to = *from }

// compiled is a program whose code can be read: that of the test.
type compiled struct {
	*program

	file *elffile.File
}

func (b compiled) Code(_ *profile.Mapping, address uint64) (*elffile.File, uint64, bool) {
	return b.file, address, true
}

// TestElementsCopiedByInstructions: samples in instructions that copy memory, as the compiler
// puts them into the loop.
func TestElementsCopiedByInstructions(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the instructions are those of x86-64")
	}
	f, err := elffile.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	copyLarge(&large{}, &large{})
	entry := uint64(reflect.ValueOf(copyLarge).Pointer())
	var copies, others []uint64
	for _, s := range instruction.Steps(f.At(entry, 64), entry) {
		if in, ok := instruction.At(f, s.Address); ok && moveOps.MatchString(in.Text) {
			copies = append(copies, s.Address)
		} else {
			others = append(others, s.Address)
		}
	}
	if len(copies) == 0 || len(others) == 0 {
		t.Skipf("the compiler copies in another way: %d instructions do, %d do not", len(copies), len(others))
	}
	for name, x := range map[string]struct {
		at   uint64
		want string
	}{"copies": {copies[0], "@1 rows;"}, "others": {others[0], ""}} {
		p := read("/me/a.go", goLoop, profile.KindNative)
		m := p.b.Mapping(profile.Mapping{Path: "/me/app", Limit: 1 << 40})
		fn := p.b.Function(profile.Function{Name: "total", Kind: profile.KindNative, File: p.path, Mapping: m})
		hot := p.b.Stack([]profile.LocationID{p.b.Location(m, x.at, profile.KindNative, profile.Line{Function: fn, Line: p.at["@1"]})})
		for range 300 {
			p.tick++
			p.b.Sample(profile.Sample{Stack: hot, Count: 1, Value: int64(time.Millisecond), Time: 1 + p.tick*int64(time.Millisecond)})
		}
		p.add(100, "total@3")
		found := p.foundBy(t, compiled{p, f})
		if (len(found) == 1) != (x.want != "") {
			t.Errorf("%s: %d findings", name, len(found))
		}
	}
}
