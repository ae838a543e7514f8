package wire_test

import (
	"bytes"
	"slices"
	"testing"

	"whyhot/internal/profile/wire"
)

func TestTexts(t *testing.T) {
	texts := wire.NewTexts()
	var numbers []int
	for _, s := range []string{"b", "", "a", "b"} {
		numbers = append(numbers, texts.Number(s))
	}
	if !slices.Equal(numbers, []int{1, 0, 2, 1}) || !slices.Equal(texts.List, []string{"", "b", "a"}) {
		t.Errorf("%v %q", numbers, texts.List)
	}
}

func TestHeader(t *testing.T) {
	out, err := wire.AppendHeader([]byte("x"), map[string]int{"n": 1})
	if want := []byte("x\x07\x00\x00\x00{\"n\":1}"); err != nil || !bytes.Equal(out, want) {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := wire.AppendHeader(nil, func() {}); err == nil {
		t.Error("a function is no header")
	}
}

// A tree's depths, and what is written of them.
func TestSteps(t *testing.T) {
	var out []byte
	before := int32(-1)
	for _, depth := range []int32{0, 1, 2, 3, 1, 2, 2} {
		out = wire.AppendStep(out, before, depth)
		before = depth
	}
	if want := []byte{0, 0, 0, 0, 3, 0, 1}; !bytes.Equal(out, want) {
		t.Errorf("%v, not %v", out, want)
	}
}
