package machine

// What of a loop is worth a look where there is no room for all of it.
const (
	hot = 0.02 // of the loop
	few = 12   // instructions of a loop that is shown as it is
)

// Notable says which instructions are worth a look: the hot ones, those that their
// samples are meant for, and the two ends of the loop.
func (l *Loop) Notable() []bool {
	out := make([]bool, len(l.Instructions))
	meant := map[uint64]bool{}
	for n, i := range l.Instructions {
		out[n] = len(out) <= few || n == 0 || n == len(out)-1
		if l.IsHot(i.Self) {
			out[n] = true
			meant[i.For] = true
		}
	}
	for n, i := range l.Instructions {
		out[n] = out[n] || meant[i.Address]
	}
	return out
}

// IsHot says whether a value of samples counts in the loop.
func (l *Loop) IsHot(value int64) bool { return value > 0 && float64(value) >= hot*float64(l.Self) }

// Meant is the value of samples behind an instruction that are meant for it, by address.
func (l *Loop) Meant() map[uint64]int64 {
	out := map[uint64]int64{}
	for _, i := range l.Instructions {
		if i.For != 0 {
			out[i.For] += i.Self
		}
	}
	return out
}
