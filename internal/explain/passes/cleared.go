package passes

import (
	"fmt"
	"regexp"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleCleared is of arrays that are made or cleared whole for each call.
const RuleCleared = "cleared-per-call"

// cleared is a line that makes or clears an array as long as the data, for each call.
type cleared struct {
	spot

	how string
}

// clearing are, by language, forms that make or clear an array whose length the run knows. C and
// C++ have memset in their samples: see clearsWhole, and the entry memset-hot for the rest. Tables
// whose rows are allocated one behind the other are here.
var clearing = map[string]*regexp.Regexp{
	"Python":     regexp.MustCompile(`\[\s*(?:-?\d+(?:\.\d+)?|None|False|True|\w*inf\w*|\[\s*\]|float\([^()]*\))\s*\]\s*\*\s*\(?[A-Za-z_]|\[\s*(?:-?\d+(?:\.\d+)?|None|False|True|\w*inf\w*|\[\s*\]|float\([^()]*\))\s+for\s+_\w*\s+in\s+range\(\s*[A-Za-z_]|\bbytearray\(\s*[A-Za-z_]\w*\s*\)|\b(?:np|numpy)\.(?:zeros|ones|full)\(`),
	"JavaScript": regexp.MustCompile(`\bnew Array\([^()]+\)\.fill\(|\bnew (?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array\(\s*[A-Za-z_][^()]*\)|\bnew Float(?:32|64)Array\(\s*[A-Za-z_][^()]*\)|\bArray\.from\(\{\s*length\b|\w\.fill\(`),
	"Java":       regexp.MustCompile(`\bnew (?:int|long|double|float|boolean|byte|char|short)\[\s*[A-Za-z_][^\]]*\]|\bArrays\.fill\(|\b(?:Int|Long|Double|Float|Boolean|Byte|Char|Short)Array\(\s*[A-Za-z_][^()]*\)`),
	"C":          regexp.MustCompile(`\bnew (?:int|long|double|float|bool|byte|char|short|uint|ulong)\[\s*[A-Za-z_][^\]]*\]|\bArray\.(?:Clear|Fill)\(|\bvector<\s*(?:std::)?vector<[^;()]*>\s*>\s+\w+\s*[({]\s*[A-Za-z_]`),
	"Go":         regexp.MustCompile(`\bmake\(\[\](?:bool|byte|u?int(?:8|16|32|64)?|float(?:32|64)|rune|string|uintptr)\s*,\s*(?:len\(|[A-Za-z_])|\bclear\(`),
	"Rust":       regexp.MustCompile(`\bvec!\[\s*[^;\[\]]+;\s*[A-Za-z_][^\]]*\]|\w\.fill\(`),
	"Ruby":       regexp.MustCompile(`\bArray\.new\(\s*[A-Za-z_]|\w\.fill\(`),
	"PHP":        regexp.MustCompile(`\barray_fill\(\s*\d+\s*,\s*(?:\$|count\()`),
	"Julia":      regexp.MustCompile(`\b(?:zeros|falses|trues|fill!?)\(`),
}

// leastCleared is the part of a function's time that the line has at least: an array of which all
// is used takes as long to use as to clear.
const leastCleared = 0.3

// clearedArrays gives them, the dearest first.
//
// Example. def reaches(graph, a, b): seen = [False] * len(graph) …, for each of many pairs that
// are close to each other.
func (r *reader) clearedArrays() []cleared {
	known := map[profile.Line]*cleared{}
	for _, line := range r.inOrder() {
		f, rows := r.file(line.Function), r.innermost[line]
		if f == nil || line.Line <= 0 {
			continue
		}
		forms := clearing[f.Language()]
		if how := r.clearsWhole(f, line, rows); how != "" {
			gather(known, line, cleared{how: how}, rows)
			continue
		}
		if forms == nil || !forms.MatchString(f.Code(int(line.Line))) || !r.isCalledOften(f, line, rows) {
			continue
		}
		if fn, in := f.Function(int(line.Line)); in && r.p.Share(rows) < leastCleared*r.p.Share(r.runsIn(f.Path, fn.Range)) {
			continue
		}
		gather(known, line, cleared{how: forms.FindString(f.Code(int(line.Line)))}, append(r.freedBehind(line, rows), rows...))
	}
	r.addOnlyCleared(known)
	return enough(r, known)
}

// freesFrame are functions of CPython that take away what a function had when it ends.
var freesFrame = regexp.MustCompile(`^(?:_PyFrame_Clear\w*|frame_dealloc|clear_thread_frame|_PyEvalFrameClearAndPop)$`)

// freedBehind are the samples in which the array is freed when the function has ended: Python
// counts them for the line that called it.
func (r *reader) freedBehind(line profile.Line, rows []int32) []int32 {
	if r.p.Function(line.Function).Kind != profile.KindPython {
		return nil
	}
	caller, ok := r.callerIn(rows, line.Function)
	if !ok {
		return nil
	}
	var out []int32
	for _, row := range r.innermost[caller] {
		if r.hasBelow(row, freesFrame) {
			out = append(out, row)
		}
	}
	return out
}

// hasBelow says whether a sample has a function of some name below the innermost own line.
func (r *reader) hasBelow(row int32, name *regexp.Regexp) bool {
	id := r.p.Samples()[row].Stack
	_, at, ok := r.lines.Innermost(id)
	if !ok {
		return false
	}
	for _, loc := range r.p.Stack(id)[:at] {
		for _, l := range r.p.Lines(loc) {
			if name.MatchString(ownline.WithoutTypes(r.p.Function(l.Function).Name)) {
				return true
			}
		}
	}
	return false
}

// makesArray are functions of V8 that make or fill an array. Optimised code has them below the
// first line of its function, or of the one that it was inlined into.
var makesArray = regexp.MustCompile(`Runtime_NewArray|ArrayPrototypeFill|NewFixedArrayWithFiller|TypedArray|ArrayConstructInitializeElements`)

// addOnlyCleared adds the samples of V8 that make or fill an array, where one line of the file does.
func (r *reader) addOnlyCleared(known map[profile.Line]*cleared) {
	only := map[string]int{}
	for _, line := range r.inOrder() {
		fn := r.p.Function(line.Function)
		f, rows := r.file(line.Function), r.innermost[line]
		if f == nil || f.Language() != "JavaScript" {
			continue
		}
		if _, asked := only[fn.File]; !asked {
			only[fn.File] = onlyCleared(f)
		}
		at := only[fn.File]
		if at == 0 {
			continue
		}
		of := rows[:0:0]
		for _, row := range rows {
			if r.hasBelow(row, makesArray) {
				of = append(of, row)
			}
		}
		if n, timed := turns(r.p, of); len(of) == 0 || timed && n < leastTurns {
			continue
		}
		for k := range known { // one line of the file, whichever function has it
			if r.p.Function(k.Function).File == fn.File {
				line.Function = min(line.Function, k.Function)
			}
		}
		for k, x := range known {
			if r.p.Function(k.Function).File == fn.File && k.Function != line.Function {
				of = joinRows(of, x.rows)
				delete(known, k)
			}
		}
		gather(known, lineOf(line.Function, at).line, cleared{how: clearing["JavaScript"].FindString(f.Code(at))}, of)
	}
}

// onlyCleared is the one line of a file that makes or clears an array, in a loop or in a function
// that is called from one; 0 where there is none, or are several.
func onlyCleared(f *text.File) int {
	found := onlyLine(f, clearing["JavaScript"].MatchString, 0)
	if found == 0 || len(f.Loops(found)) > 0 {
		return found
	}
	fn, in := f.Function(found)
	if in {
		for _, n := range callsOf(f, fn) {
			if len(f.LoopsFrom(n)) > 0 {
				return found
			}
		}
	}
	return 0
}

// isCalledOften says whether a line is in a loop, or its function is called from one; where the
// samples have times, these say it too.
func (r *reader) isCalledOften(f *text.File, line profile.Line, rows []int32) bool {
	if n, known := turns(r.p, rows); known && n < leastTurns {
		return false
	}
	if len(f.Loops(int(line.Line))) > 0 {
		return true
	}
	asked := map[profile.FunctionID]bool{} // functions may call each other
	for caller, ok := r.callerIn(rows, line.Function); ok && !asked[caller.Function]; caller, ok = r.callerIn(rows, caller.Function) {
		asked[caller.Function] = true
		in := r.file(caller.Function)
		if in == nil {
			return false
		}
		if len(in.LoopsFrom(int(caller.Line))) > 0 {
			return true
		}
	}
	return false
}

// moreOfRows is what a flat table gives back of what allocating rows takes, at most: 2.1 times was
// measured.
const moreOfRows = 2.2

// ofRows are tables of which each row is an allocation.
var ofRows = regexp.MustCompile(`vector<\s*(?:std::)?vector<`)

// clearedLess is how a language keeps such an array.
var clearedLess = map[string]string{
	"Python":     "Where a call touches few of them: a dict or a set instead of the array",
	"JavaScript": "Where a call touches few of them: a Map or a Set instead of the array",
	"Java":       "Where a call touches few of them: a hash set of plain ints, or a BitSet that is cleared by its parts",
	"C":          "Where a call touches few of them: a HashSet; ArrayPool<T>.Shared for arrays that need no clearing",
	"Go":         "Where a call touches few of them: a map; sync.Pool for arrays that need no clearing",
	"Rust":       "Where a call touches few of them: a HashSet; keep the Vec in the caller and pass it as &mut",
	"Ruby":       "Where a call touches few of them: a Hash instead of the array",
	"PHP":        "Where a call touches few of them: an array that begins empty, and isset",
	"Julia":      "Where a call touches few of them: a Dict or a Set; keep the array in the caller",
}

func (r *reader) clearedFinding(s judge.Subject, x cleared) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleCleared, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.9, why: "makes or clears the array"}, x.how)
	f.Title = fmt.Sprintf("Whole array cleared for each call; clear what is used (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{
		"Keep the array between calls, with the number of the call in each entry: one with another number is unset; nothing is cleared",
		"Or keep a list of the entries that a call sets, and reset those at its end",
		clearedLess[r.file(x.line.Function).Language()],
	}
	if isWhole(x.how) {
		wholeCleared(&f, at(place.File, place.Line))
	}
	if ofRows.MatchString(x.how) {
		// Each use of an element goes through its row, and the rows are freed at the end.
		f.Gain.Likely, f.Gain.High = x.share, min(1, moreOfRows*x.share)
		f.Title = fmt.Sprintf("Table allocated row by row for each call; keep one (%s)", at(place.File, place.Line))
		f.Fix.Steps = []string{
			"One vector of rows × columns, kept between calls: assign sets it without allocating",
			"Where a row needs only the one before, as in dynamic programming: two rows",
		}
	}
	f.Fix.Caveats = []string{"Calls that run at the same time, or inside each other, need an array each"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: "Every entry is written for each call, and takes this much beside what the call does with them"},
	}
	return f
}
