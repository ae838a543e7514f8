package finding

import "slices"

// Waits are where a recorded command waits, and for what.
type Waits struct {
	// Mostly: it waits more than it computes, and Text says how much. Less CPU shortens the
	// run by the part Busy at most.
	Mostly bool   `json:"mostly"`
	Text   string `json:"text,omitempty"` // a sentence; "" of a command that computes
	// Busy is the CPU time per elapsed time: 1 is one CPU all the time.
	Busy    float64 `json:"busy"`
	Elapsed float64 `json:"elapsed_seconds"`
	// Lines are those that waited longest first, then what a loop of the source waits for on
	// each pass.
	Lines []Wait `json:"lines"`
}

// Wait is a line of the program that waits.
type Wait struct {
	Place

	For string `json:"for,omitempty"` // "the network", "a lock", …; "" where nobody knows
	// Seconds are those of all threads together, or goroutines, Times and Threads how many; 0
	// where the source alone says that the line waits.
	Seconds float64 `json:"seconds,omitempty"`
	Times   int64   `json:"times,omitempty"`
	Threads int     `json:"threads,omitempty"`
	// Idle: threads that have nothing to do wait so, too.
	Idle bool   `json:"idle,omitempty"`
	Text string `json:"text"` // one sentence
	// Advice is what to change, a sentence; "" where nothing but the line is known.
	Advice string `json:"advice,omitempty"`
}

// leastOfRun is the part of the time that a line of a command that waits itself waits for.
const leastOfRun = 0.35

// WaitsItself says that the command mostly waits, and not only for others to ask something of it.
func (w *Waits) WaitsItself() bool {
	return w.Mostly && slices.ContainsFunc(w.Lines, func(l Wait) bool { return !l.Idle && l.Seconds >= leastOfRun*w.Elapsed })
}

// Sentences say all of it in prose, for reports that have no place of their own for it.
func (w *Waits) Sentences() []string {
	if w == nil {
		return nil
	}
	var out []string
	if w.Text != "" {
		out = append(out, w.Text)
	}
	for i := range w.Lines {
		text := w.Lines[i].Text
		if a := w.Lines[i].Advice; a != "" {
			text += ". " + a
		}
		out = append(out, text)
	}
	return out
}
