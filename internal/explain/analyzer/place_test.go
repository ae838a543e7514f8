package analyzer

import (
	"testing"

	"whyhot/internal/explain/compdb"
)

func TestPlacesHaveNamesWithoutLines(t *testing.T) {
	build := func(shift int) Outcome {
		loops := func(at ...[2]int) [][2]int {
			for i := range at {
				at[i][0] += shift
			}
			return at
		}
		return Outcome{Unit: compdb.Unit{Directory: "/b"}, Reply: Reply{ASTReply: ASTReply{Functions: []Function{
			{File: "../a.h", Line: 8 + shift, EndLine: 20 + shift, Key: "f", Loops: loops([2]int{9, 3}, [2]int{12, 3}, [2]int{12, 30})},
			{File: "/a.h", Line: 14 + shift, EndLine: 14 + shift, Key: "g"}, // written in f's lines by a macro
			{File: "/a.h", Line: 14 + shift, EndLine: 14 + shift, Key: "h", Loops: loops([2]int{14, 40})},
		}}}}
	}
	seen := map[string]bool{}
	for _, c := range []struct {
		line, column     int
		function, within string
	}{
		{9, 3, "f", "loop 1"}, {12, 3, "f", "loop 2"}, {12, 30, "f", "loop 3"},
		{8, 1, "f", "0+0:1"}, {9, 5, "f", "1+0:5"}, {16, 5, "f", "3+4:5"},
		{14, 40, "h", "loop 1"}, {14, 5, "g", "0+0:5"},
	} {
		for _, shift := range []int{0, 7} {
			function, within, ok := build(shift).Name("/a.h", c.line+shift, c.column)
			if !ok || function != c.function || within != c.within {
				t.Errorf("%d:%d, moved by %d: %q %q %t, want %q %q", c.line, c.column, shift, function, within, ok, c.function, c.within)
			}
		}
		if name := c.function + c.within; seen[name] {
			t.Errorf("%s twice", name)
		} else {
			seen[name] = true
		}
	}
	for _, file := range []string{"/a.h", "/b/a.h"} {
		if _, _, ok := build(0).Name(file, 21, 1); ok {
			t.Errorf("%s:21 is in a function", file)
		}
	}
}
