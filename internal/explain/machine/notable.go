package machine

// What of a loop is worth a look where there is no room for all of it.
const (
	around = 1    // instructions beside a hot one
	hot    = 0.02 // of the loop
	few    = 12   // instructions of a loop that is shown as it is
)

// Notable says which instructions are worth a look: the hot ones with those beside them,
// and those that their samples are meant for.
func (l *Loop) Notable() []bool {
	out := make([]bool, len(l.Instructions))
	for n, i := range l.Instructions {
		if len(out) <= few {
			out[n] = true
			continue
		}
		if !l.IsHot(i.Self) {
			continue
		}
		for k := max(0, n-around); k <= min(len(out)-1, n+around); k++ {
			out[k] = true
		}
		for k := range l.Instructions {
			if l.Instructions[k].Address == i.For {
				out[k] = true
			}
		}
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
