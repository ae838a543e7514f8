package passes

import (
	"fmt"
	"regexp"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleBits is of checksums that take one bit at a time.
const RuleBits = "crc-bitwise"

// bits is a loop over the eight bits of a byte that shifts a checksum.
type bits struct {
	spot

	loop text.Loop
}

var (
	// eight is the header of a loop with eight passes.
	eight = regexp.MustCompile(`(?:<\s*8\b|<=\s*7\b|>\s*0\b.*\b8\b|\b8\b.*(?:>\s*0\b|--)|\b0\.\.(?:=7|<?8)\b|\brange\(\s*8\s*\)|\b8\.times\b|\b[01]\s*\.\.\s*[78]\b|\b[01]\s*,\s*[78]\b)`)
	// shiftedBack shifts a name by one and stores it.
	shiftedBack = regexp.MustCompile(`>>>?=?\s*1\b|<<=?\s*1\b`)
	// withPolynomial is an exclusive or with a constant, or with a name that is written as one.
	withPolynomial = regexp.MustCompile(`\^=?\s*(?:\(?\s*(?:-?\s*\(?)?(?:0[xX][0-9A-Fa-f]{2,}|[A-Z][A-Z0-9_]{2,}|\w*[pP]oly\w*|\w+\s*&))|\bxor\b`)
)

// mostOfBits are the lines of such a loop.
const mostOfBits = 8

// bitByBit gives them, the dearest first.
//
// Example. for (k = 0; k < 8; k++) crc = crc & 1 ? (crc >> 1) ^ 0xEDB88320 : crc >> 1;
func (r *reader) bitByBit() []bits {
	var out []bits
	for _, t := range r.byLoop(bitLoop) {
		if !r.isOften(t.events) || !r.isSure(t.share, leastShare) {
			continue
		}
		out = append(out, bits{spot: spot{line: lineOf(t.best.Function, t.loop.First).line, rows: t.rows, share: t.share}, loop: t.loop})
	}
	sortDearest(out)
	return out
}

// bitLoop is the loop over bits around a line, or that the loop around it has in it.
func bitLoop(f *text.File, line profile.Line) (l text.Loop, ok bool) {
	is := func(l text.Loop) bool {
		if l.Last-l.First > mostOfBits || !eight.MatchString(l.Header) {
			return false
		}
		var body strings.Builder
		for n := l.First; n <= l.Last; n++ {
			body.WriteString(f.Code(n) + "\n")
		}
		code := body.String()
		return shiftedBack.MatchString(code) && withPolynomial.MatchString(code)
	}
	for _, l := range f.Loops(int(line.Line)) {
		if !l.Within && is(l) {
			return l, true
		}
	}
	return onlyInside(f, line, is)
}

func (r *reader) bitsFinding(s judge.Subject, x bits) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleBits, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.8, why: "takes a step for each bit; a table takes one for each byte"}, "bits")
	f.Title = fmt.Sprintf("Checksum goes bit by bit; use a table or an instruction (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{
		"A table of 256 values, made once by this loop: crc = table[(crc ^ byte) & 0xff] ^ (crc >> 8); eight tables take eight bytes at a time",
		"A library: crc32 of zlib, zlib-ng or libdeflate; CRC-32C has an instruction (SSE4.2, ARMv8), others carry-less multiplication",
	}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: "the loop shifts by one bit and adds the polynomial where a bit was set: eight steps that wait for each other for each byte"},
	}
	return f
}
