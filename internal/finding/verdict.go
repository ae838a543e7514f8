package finding

// Verdict is what a trial says of a variant: one of the first four by its numbers,
// one of the others whatever its numbers are.
type Verdict string

// The verdicts.
const (
	Faster  Verdict = "faster" // for memory and faults: less
	Slower  Verdict = "slower"
	Same    Verdict = "no difference"
	Unclear Verdict = "unclear"

	Different Verdict = "different output" // computes something else
	Failed    Verdict = "failed"           // fails where the baseline does not
	NoEffect  Verdict = "no effect"        // the program does not take the change
	// LayoutNoise: layouts of one and the same program differ by as much.
	LayoutNoise Verdict = "within layout noise"
)
