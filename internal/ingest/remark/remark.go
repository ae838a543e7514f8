// Package remark is the noun of what compilers report of their own work: what they
// could not optimise, where, and why.
//
// It owns the form that all of them are read into. Each format is a sub-package that
// takes bytes and gives remarks; report finds out which one it is. It must never
// import a profile, judge what a remark is worth, or run a compiler.
package remark

import (
	"regexp"
	"strconv"
)

// Kind is what a remark is about.
type Kind string

// The kinds. What a compiler did well is not kept.
const (
	Escape       Kind = "escape"        // a value is allocated on the heap
	CannotInline Kind = "cannot-inline" // a function that is never inlined; Where is its declaration
	Bounds       Kind = "bounds-check"  // an index is checked when it runs
	NilCheck     Kind = "nil-check"     // a pointer is checked when it runs
	Missed       Kind = "missed"        // a pass did not do what it could have
	Analysis     Kind = "analysis"      // why, in the words of the pass
	Deoptimized  Kind = "deoptimized"   // compiled code was left for the interpreter
	NotCompiled  Kind = "not-compiled"  // a just-in-time compiler gave up on a method
	Megamorphic  Kind = "megamorphic"   // an access to a property of more shapes than its cache holds
	Interpreted  Kind = "interpreted"   // a method that no just-in-time compiler may compile
)

// The compilers.
const (
	Go      = "go"
	Clang   = "clang" // and all others that LLVM optimises for, where they do not say
	GCC     = "gcc"
	Rust    = "rustc"
	V8      = "v8"
	HotSpot = "hotspot"
)

// Position is a place in a source file as the compiler wrote it. Line 0 is unknown.
type Position struct {
	File         string
	Line, Column int
}

// Remark is what a compiler said once.
type Remark struct {
	Compiler string
	Kind     Kind
	// Pass and Name are what LLVM and gcc call the pass and the remark.
	Pass, Name string
	// Package is that of Go.
	Package string
	// Function and Callee are as the compiler writes them: a linkage name, Class.method.
	Function, Callee string
	// Where is the place, the innermost inlined one first, then the calls it was
	// inlined by. Empty where the compiler gives none.
	Where   []Position
	Message string
	// Why is how the compiler came to it, a line for each step.
	Why []string
	// Count is how often it happened where that is known, else 0.
	Count int64
}

// At is the innermost place.
func (r *Remark) At() Position {
	if len(r.Where) == 0 {
		return Position{}
	}
	return r.Where[0]
}

// happened is where V8 says that a reason was: "wrong map at b.js:9:33".
var happened = regexp.MustCompile(` at ([^/]+):(\d+):\d+$`)

// Happened is where in a function it happened, where the message ends in that: Where is
// the function's declaration. The file has no directory.
func (r *Remark) Happened() (Position, bool) {
	p := happened.FindStringSubmatch(r.Message)
	if p == nil {
		return Position{}, false
	}
	line, err := strconv.Atoi(p[2])
	return Position{File: p[1], Line: line}, err == nil
}
