package machineview

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"whyhot/internal/explain/build"
	"whyhot/internal/explain/machine"
	"whyhot/internal/profile"
	"whyhot/internal/report/term"
)

func input() Input {
	b := profile.NewBuilder()
	m := profile.Mapping{Path: "/p/app", BuildID: "ab"}
	id := b.Mapping(m)
	loc := b.Location(id, 0x1000, profile.KindNative)
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 100, Value: 100})
	l := machine.Loop{Function: "f\x1b[31m", Mapping: &m, File: "/src/a.c", Line: 3, EndLine: 5, Start: 0x100, End: 0x140, Self: 40, Total: 40, Innermost: true}
	for i := range 20 {
		l.Instructions = append(l.Instructions, machine.Instruction{Address: 0x100 + uint64(i), Text: "nop"})
	}
	l.Instructions[8] = machine.Instruction{Address: 0x108, Text: "div %rsi"}
	l.Instructions[9] = machine.Instruction{Address: 0x109, Text: "add %rax,%rdx", Self: 40, For: 0x108}
	small := machine.Loop{Function: "g", Mapping: &m, Start: 0x200, End: 0x204, Self: 10, Total: 10, Innermost: true}
	return Input{
		Profile: b.Build(profile.Meta{}), Answer: machine.Answer{Loops: []machine.Loop{l, small}}, Rows: 1,
		Builds: []build.Quality{{Binary: "/p/app", Share: 1, Compilers: []string{"gcc 12.2.0"}, Level: "-O2"}},
	}
}

func TestHotInstructionsAreShown(t *testing.T) {
	var out bytes.Buffer
	p := term.New(&out, nil)
	Print(p, input())
	Builds(p, input())
	text := out.String()
	for _, want := range []string{"40.0%", "/src/a.c:3-5", "↑ for 108", "← 40.0%", "and 1 more, 10.0% together", "gcc 12.2.0 · -O2"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b[31m") {
		t.Error("a name changes the terminal's colours")
	}
	if strings.Contains(text, "│ 107") || strings.Contains(text, "│ 10a") {
		t.Error("an instruction without samples is shown")
	}
	if !strings.Contains(text, "┌ 100") || !strings.Contains(text, "└ 113") {
		t.Error("the ends of the loop are not shown")
	}
	long := input()
	long.Long = true
	out.Reset()
	Print(p, long)
	if !strings.Contains(out.String(), "│ 107") {
		t.Error("--long does not show every instruction")
	}
}

func TestJSONHasEveryInstruction(t *testing.T) {
	var out bytes.Buffer
	if err := JSON(&out, input()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Total int64 `json:"total"`
		Loops []struct {
			Function     string `json:"function"`
			Binary       string `json:"binary"`
			File         string `json:"file"`
			Line         int    `json:"line"`
			Start        uint64 `json:"start"`
			End          uint64 `json:"end"`
			Self         int64  `json:"self"`
			Instructions []struct {
				Address uint64 `json:"address"`
				For     uint64 `json:"for"`
				Self    int64  `json:"self"`
			} `json:"instructions"`
		} `json:"loops"`
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Loops) != 1 || got.Total != 100 {
		t.Fatalf("%+v", got)
	}
	if l := got.Loops[0]; l.Self != 40 || l.Start != 0x100 || l.Line != 3 || len(l.Instructions) != 20 || l.Instructions[9].For != 0x108 || l.Instructions[9].Self != 40 {
		t.Errorf("%+v", l)
	}
}
