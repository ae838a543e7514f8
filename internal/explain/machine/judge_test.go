package machine

import (
	"math"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/profile"
)

func samplesOf(threads ...int64) *profile.Profile {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/p/app"})
	loc := b.Location(m, 0x1000, profile.KindNative)
	for _, id := range threads {
		b.Sample(profile.Sample{
			Stack: b.Stack([]profile.LocationID{loc}), Count: 50, Value: 50,
			Labels: b.Labels([]profile.Label{{Key: profile.LabelTID, Num: id}}),
		})
	}
	return b.Build(profile.Meta{})
}

func ruleIn(found []Found, rule string) *Found {
	for i := range found {
		if found[i].Rule == rule {
			return &found[i]
		}
	}
	return nil
}

// The loop for what is left over is a finding only where the vector loop has little.
func TestLeftOver(t *testing.T) {
	for name, test := range map[string]struct {
		vector int64
		want   bool
	}{
		"the vector loop hardly runs": {10, true},
		"the vector loop runs":        {60, false},
	} {
		l := Loop{
			Mapping: &profile.Mapping{Path: "/p/app"}, Start: 0x200, End: 0x220, Self: 90, Count: 90,
			binary:  &binary{at: map[uint64]hits{0x108: {value: test.vector, count: test.vector}, 0x120: {value: 1000, count: 1000}}},
			Matches: []analyzer.MachineMatch{{Rule: "machine-few-iterations", At: []uint64{0x200}, Facts: map[string]string{"vector_low": "100", "vector_high": "120", "elements": "16"}}},
		}
		found := Findings(samplesOf(1, 1), []Loop{l})
		if (ruleIn(found, "machine-few-iterations") != nil) != test.want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// A call through a stub is a finding where what is called is short and has samples that
// this loop called. Its share is the call and the stub alone: the function stays.
func TestStubOfAShortFunction(t *testing.T) {
	for name, test := range map[string]struct {
		callees []callee
		want    bool
	}{
		"short":           {[]callee{{"f", "/p/lib.so", 40, 60, 60}, {"long one", "/p/lib.so", 4000, 70, 70}}, true},
		"long":            {[]callee{{"f", "/p/lib.so", 4000, 60, 60}}, false},
		"size not known":  {[]callee{{"f", "/p/lib.so", 0, 60, 60}}, false},
		"stacks say none": {nil, false},
	} {
		l := Loop{
			Mapping: &profile.Mapping{Path: "/p/app"}, Self: 40, Count: 40, callees: test.callees, stub: hits{12, 12},
			Instructions: []Instruction{{Address: 0x200, Text: "call"}, {Address: 0x205, Self: 8, Count: 8}},
			Matches:      []analyzer.MachineMatch{{Rule: rulePLTCall, At: []uint64{0x200}}},
		}
		f := ruleIn(Findings(samplesOf(1, 1), []Loop{l}), rulePLTCall)
		if (f != nil) != test.want {
			t.Errorf("%s: %+v", name, f)
		}
		if f != nil && f.Share.Main() != 0.2 {
			t.Errorf("%s: the share is %v, not that of the call and its stub", name, f.Share.Main())
		}
	}
}

func TestOneThreadHasNobodyToWaitFor(t *testing.T) {
	l := Loop{
		Mapping: &profile.Mapping{Path: "/p/app"}, Self: 60, Count: 60,
		Instructions: []Instruction{{Address: 0x200, Text: "lock addq"}, {Address: 0x204, Self: 60, Count: 60, For: 0x200}},
		Matches:      []analyzer.MachineMatch{{Rule: "machine-atomic", At: []uint64{0x200}}},
	}
	says := func(p *profile.Profile) bool {
		f := ruleIn(Findings(p, []Loop{l}), "machine-atomic")
		if f == nil {
			t.Fatal("no finding")
		}
		return f.Evidence[len(f.Evidence)-1].Text == "all samples are of one thread: nobody contends, the instruction itself is what costs"
	}
	if !says(samplesOf(7, 7)) || says(samplesOf(7, 8)) {
		t.Error("threads are not told apart")
	}
}

// A call through the library's own stub that never runs is no finding: compilers inline
// the common case.
func TestOwnCallThatNeverRuns(t *testing.T) {
	for name, test := range map[string]struct {
		callee string
		ran    int64
		want   bool
	}{
		"runs":             {"tesseract::Tanh", 20, true},
		"is there":         {"tesseract::Tanh", 1, false},
		"another one runs": {"tesseract::Logistic", 50, false},
	} {
		l := Loop{
			Mapping: &profile.Mapping{Path: "/p/lib.so"}, Self: 90, Count: 90,
			binary:  &binary{at: map[uint64]hits{0x400: {value: test.ran, count: test.ran}}, names: map[uint64]string{0x400: test.callee}},
			Matches: []analyzer.MachineMatch{{Rule: "machine-own-call", At: []uint64{0x200}, Facts: map[string]string{"function": "_ZN9tesseract4TanhEf"}}},
		}
		f := ruleIn(Findings(samplesOf(1, 1), []Loop{l}), "machine-own-call")
		if (f != nil) != test.want {
			t.Errorf("%s: %+v", name, f)
		}
		if f != nil && !strings.Contains(f.Title, " own tesseract::Tanh through") {
			t.Errorf("%s: %s", name, f.Title)
		}
		// All but nothing of the loop waits for one load.
		l.Instructions = []Instruction{{Address: 0x200}, {Address: 0x204, Self: 90, Count: 90, For: 0x200}}
		if f := ruleIn(Findings(samplesOf(1, 1), []Loop{l}), "machine-own-call"); f != nil {
			t.Errorf("%s: a load is what it waits for: %+v", name, f)
		}
	}
}

// x87 instructions that a loop has and does not run are no finding.
func TestX87ThatNeverRuns(t *testing.T) {
	for name, test := range map[string]struct {
		behind int64
		want   bool
	}{"runs": {30, true}, "is there": {1, false}} {
		l := Loop{
			Mapping: &profile.Mapping{Path: "/p/app"}, Self: 90, Count: 90,
			Instructions: []Instruction{{Address: 0x200, Text: "fldt 0x20(%rsp)"}, {Address: 0x204, Text: "movl %eax, %ecx", Self: test.behind}, {Address: 0x206, Text: "cmpl %eax, %ecx", Self: 90 - test.behind}},
			Matches:      []analyzer.MachineMatch{{Rule: "machine-x87", At: []uint64{0x200}}},
		}
		if found := Findings(samplesOf(1, 1), []Loop{l}); (ruleIn(found, "machine-x87") != nil) != test.want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// What another rule is about is not told as a wait for memory too.
func TestStallOfAnotherRule(t *testing.T) {
	m := &profile.Mapping{Path: "/p/app"}
	lines := []profile.Frame{{Function: profile.Function{Name: "f", File: "/home/me/f.c"}, Line: 7}}
	a := Answer{Stalls: []Stall{{Mapping: m, Load: Instruction{Address: 0x200, Lines: lines}, At: 0x204, Kind: "table", Self: 90, Count: 90, Whole: 100}}}
	if ruleIn(Stalls(samplesOf(1, 1), a), StallRule) == nil {
		t.Fatal("no finding")
	}
	a.Loops = []Loop{{Mapping: m, Matches: []analyzer.MachineMatch{{Rule: "machine-checksum", At: []uint64{0x200}}}}}
	if found := Stalls(samplesOf(1, 1), a); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// A binary search whose jumps are guessed rightly has samples behind the comparison, or
// on one of the ways, and not on both.
func TestSearchWhoseGuessesHold(t *testing.T) {
	for name, test := range map[string]struct {
		jump, one, other int64
		want             bool
	}{"wrong": {34, 20, 18, true}, "right": {90, 0, 0, false}, "right, one way": {70, 18, 1, false}} {
		l := Loop{
			Mapping: &profile.Mapping{Path: "/p/app"}, Self: 100, Count: 100,
			Instructions: []Instruction{{Address: 0x200, Text: "jae 0x208", Self: test.jump}, {Address: 0x204, Text: "cmpq %rsi, %rcx", Self: test.one}, {Address: 0x20c, Text: "jmp 0x204", Self: test.other}},
			Matches:      []analyzer.MachineMatch{{Rule: "machine-search", At: []uint64{0x200}, Facts: map[string]string{"one": "204", "other": "20c"}}},
		}
		if found := Findings(samplesOf(1, 1), []Loop{l}); (ruleIn(found, "machine-search") != nil) != test.want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// What uses a quotient waits for the division too: that is in the high end of the estimate,
// and not in the share.
func TestWhatUsesAQuotient(t *testing.T) {
	l := Loop{
		Mapping: &profile.Mapping{Path: "/p/app"}, Start: 0x200, End: 0x220, Self: 60, Count: 60,
		Instructions: []Instruction{
			{Address: 0x200, Text: "divq %rsi"}, {Address: 0x203, Text: "movss (%rdi,%rdx,4), %xmm0", Self: 20, Count: 20, For: 0x200},
			{Address: 0x208, Text: "mulss %xmm2, %xmm0"}, {Address: 0x20e, Text: "addq $0x1, %rcx", Self: 30, Count: 30, For: 0x208},
			{Address: 0x212, Text: "cmpq %r9, %rcx", Self: 10, Count: 10, For: 0x20e},
		},
		Matches: []analyzer.MachineMatch{{Rule: "machine-division", At: []uint64{0x200}, Facts: map[string]string{"bits": "64", "users": "203,208"}}},
	}
	f := ruleIn(Findings(samplesOf(60, 40), []Loop{l}), "machine-division")
	if f == nil {
		t.Fatal("not found")
	}
	if got := *f.Share.Exclusive; math.Abs(got-0.2) > 1e-9 {
		t.Errorf("share %v", got)
	}
	if low, high := f.Gain.Low, f.Gain.High; math.Abs(low-0.06) > 1e-9 || math.Abs(high-0.45) > 1e-9 {
		t.Errorf("%v to %v, want 0.06 to 0.45", low, high)
	}
}

// A loop that calls a function for each element gains nothing by wider vectors.
func TestALoopThatCallsIsNotGeneric(t *testing.T) {
	for calls, want := range map[int]bool{0: true, 1: false} {
		l := Loop{
			Mapping: &profile.Mapping{Path: "/p/app"}, Start: 0x200, End: 0x220, Self: 60, Count: 60, Calls: calls,
			Matches: []analyzer.MachineMatch{{Rule: "machine-generic", At: []uint64{0x200}}},
		}
		if found := Findings(samplesOf(1, 1), []Loop{l}); (ruleIn(found, "machine-generic") != nil) != want {
			t.Errorf("%d calls: %+v", calls, found)
		}
	}
}

func TestOneFunctionIsLookedAt(t *testing.T) {
	for n, want := range map[int]string{1: "the loops of the hottest function (whyhot loops a.pb.gz lists them).", 2: "the loops of the 2 hottest functions (whyhot loops a.pb.gz lists them)."} {
		if got := lookedAt(n, "a.pb.gz"); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
