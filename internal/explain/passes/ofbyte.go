package passes

import (
	"fmt"
	"regexp"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleOfByte is of dear functions whose argument is one byte.
const RuleOfByte = "computed-per-byte"

// ofByte is a call of a dear function whose argument has 256 values at most.
type ofByte struct {
	spot

	call, name string
}

// dearCall is a function of a mathematical library, as a statement calls it.
var dearCall = regexp.MustCompile(`^(?:(?:std::)|(?:[mM]ath\.)|(?:Math::)|(?:f32::|f64::))?(?:[pP]ow|powf|powl|powi|[eE]xp|expf|exp2f?|[lL]og|logf|ln|log2f?|log10f?|[sS]in|sinf|[cC]os|cosf|[tT]an|tanf|[aA]tan2?f?|[cC]brtf?|[tT]anhf?|erff?)$`)

// runsDear is what such a call runs.
var runsDear = regexp.MustCompile(`(?i)(exp|log|sin|cos|tan|pow|cbrt|erf)`)

// bytes are declarations of values of one byte, and of arrays of them.
var bytesOf = map[string]*regexp.Regexp{
	"C":          regexp.MustCompile(`\b(?:uint8_t|int8_t|unsigned char|signed char|std::byte|u8|uint8|guchar|uchar|png_byte|JSAMPLE|byte|sbyte)\b`),
	"Java":       regexp.MustCompile(`\b(?:byte|Byte|ByteArray|UByte|UByteArray)\b`),
	"JavaScript": regexp.MustCompile(`\bU?[Ii]nt8(?:Clamped)?Array\b|\bgetImageData\(`),
	"Go":         regexp.MustCompile(`\b(?:byte|uint8|int8)\b`),
	"Rust":       regexp.MustCompile(`\b(?:u8|i8)\b`),
	"Python":     regexp.MustCompile(`\b(?:bytes|bytearray|memoryview)\b|\.tobytes\(\)|\bread\(\)|\bgetdata\(\)`),
}

// bytewise gives them, the dearest first.
//
// Example. for (auto &p : image) p = std::pow(p / 255.0, gamma) * 255, with vector<uint8_t> image.
func (r *reader) bytewise() []ofByte {
	known := map[profile.Line]*ofByte{}
	look := func(line profile.Line, rows []int32) {
		f := r.file(line.Function)
		if f == nil || bytesOf[f.Language()] == nil || line.Line <= 0 {
			return
		}
		statement, lines := f.Statement(int(line.Line))
		for _, c := range f.Calls(statement) {
			name, ok := r.byteArgument(f, lines, c)
			if ok {
				gather(known, lineOf(line.Function, lines.First).line, ofByte{call: c.Name, name: name}, rows)
				return
			}
		}
	}
	for _, h := range r.hottest {
		if h.calls && r.runs(h, runsDear.MatchString) {
			look(h.line, h.rows)
		}
	}
	for _, line := range r.inOrder() {
		look(line, r.innermost[line])
	}
	return enough(r, known)
}

// byteArgument is the one value of a call's arguments that a loop changes, where it has one byte.
func (r *reader) byteArgument(f *text.File, lines text.Range, c text.Call) (name string, ok bool) {
	loops := f.Loops(lines.First)
	if !dearCall.MatchString(c.Name) || len(loops) == 0 {
		return "", false
	}
	b := bytesIn{r: r, f: f, loop: loops[0]}
	b.fn, _ = f.Function(lines.First)
	return b.one(c.Args, lines, mostMade)
}

// mostMade are the assignments that are followed from an argument to the byte that it is made of.
const mostMade = 3

// bytesIn looks for values of one byte in a loop.
type bytesIn struct {
	r    *reader
	f    *text.File
	fn   text.Function
	loop text.Loop
}

// indexed is an element of an array.
var indexed = regexp.MustCompile(`([A-Za-z_]\w*)\s*\[[^\[\]]*\]`)

// one is the byte of which an expression is made, beside what stays the same in the loop.
func (b bytesIn) one(expression string, lines text.Range, steps int) (name string, ok bool) {
	expression = indexed.ReplaceAllStringFunc(expression, func(element string) string {
		if of := indexed.FindStringSubmatch(element)[1]; b.isByte(of) {
			return of // whichever it is
		}
		return element
	})
	header := text.Names(b.loop.Header)
	for _, n := range text.Names(expression) {
		of, is := b.made(n, lines, steps)
		switch {
		case is && (name == "" || name == of):
			name = of
		case is, slices.Contains(header, n), b.f.Changes(n, b.loop.Range, text.Range{}):
			return "", false // of two bytes, or of more than a byte
		}
	}
	return name, name != ""
}

// made is the byte that a name is, or is made of.
func (b bytesIn) made(name string, lines text.Range, steps int) (of string, ok bool) {
	if b.isByte(name) {
		return name, true
	}
	for _, loop := range b.f.Loops(lines.First) {
		if bound := elementOf.FindStringSubmatch(loop.Header); bound != nil && bound[1] == name && b.isByte(bound[2]) {
			return name, true
		}
	}
	if steps == 0 {
		return "", false
	}
	at := b.f.Assignments(name, text.Range{First: b.loop.First, Last: lines.First - 1})
	if len(at) != 1 {
		return "", false
	}
	statement, from := b.f.Statement(at[0])
	m := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\s*:?=([^=].*)$`).FindStringSubmatch(statement)
	if m == nil {
		return "", false
	}
	return b.one(m[1], from, steps-1)
}

// isByte says whether a file declares a name as a byte or as an array of bytes: the type stands
// right before it, or behind it as the language has it.
func (b bytesIn) isByte(name string) bool {
	form := bytesOf[b.f.Language()]
	lines := b.r.declaring(b.f, form)
	if len(lines) == 0 {
		return false
	}
	quoted := regexp.QuoteMeta(name)
	declared := regexp.MustCompile(`(?:` + form.String() + `)(?:\s*(?:>|\*|&|\[\]|const\b|,\s*\w+\s*>))*\s*\b` + quoted + `\b`)
	if b.f.Language() != "C" {
		declared = regexp.MustCompile(declared.String() + `|\b` + quoted + `\s*(?::=|[:=\s])\s*[^,;(){}]{0,40}?(?:` + form.String() + `)`)
	}
	return slices.ContainsFunc(lines, func(n int) bool { return declared.MatchString(b.f.Code(n)) })
}

// elementOf is a loop over the elements of an array.
var elementOf = regexp.MustCompile(`([A-Za-z_]\w*)\s*(?::|\bin\b|\bof\b|:=\s*range\b)\s*&?(?:mut\s+)?([A-Za-z_]\w*)`)

func (r *reader) ofByteFinding(s judge.Subject, x ofByte) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleOfByte, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.9, why: "computes one of 256 values each time"}, x.call)
	f.Title = fmt.Sprintf("%s of a byte for each element; use a table of 256 (%s)", x.call, at(place.File, place.Line))
	f.Fix.Steps = []string{
		fmt.Sprintf("Compute the result for each of the 256 values of %s before the loop, and take it from that table", x.name),
		"Where what stays the same in the loop changes between calls (a factor, an exponent): fill the table again then, or keep it by that value",
	}
	f.Fix.Caveats = []string{"For fewer elements than 256 the table costs more than it saves"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("%s has one byte, and nothing else in the arguments changes in the loop: there are 256 results", x.name)},
	}
	return f
}
