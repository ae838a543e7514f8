package rule

import (
	"fmt"
	"strings"

	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// memorySets is one way of getting memory and giving it back.
type memorySets struct {
	name            string // of giving it back
	makes, releases setID
	apart           bool
}

// memoryCost is what an entry's samples, or those of a program, have of it.
type memoryCost struct{ made, released int64 }

// addMemory books the walked sample. of may be nil, and is where nothing is got or given back.
func (e *engine) addMemory(of []memoryCost, sm *profile.Sample) []memoryCost {
	for i, m := range e.memory {
		makes, releases := e.met(m.makes), e.met(m.releases)
		if m.apart && makes {
			releases = false
		}
		if !makes && !releases {
			continue
		}
		if of == nil {
			of = make([]memoryCost, len(e.memory))
		}
		if makes {
			of[i].made += sm.Value
		}
		if releases {
			of[i].released += sm.Value
		}
	}
	return of
}

// leastMade is the part of a program's allocation that must be beneath an entry's
// frames for its part of the freeing to be worth a word.
const leastMade = 0.05

// alongWith is the share of all CPU that a verdict's cause has elsewhere: of what
// gives memory back outside the matched samples, the part that corresponds to the
// memory that was got within them.
//
// Example. Of the 10 % of the CPU spent in malloc, 4 % are beneath a JSON parser;
// 5 % are spent in free, none of it in the parser. Two fifths of the 5 %, 2 % of
// the CPU, go with the parser.
//
// It is an upper bound, for an object that lives on is freed by nobody, and it is
// asked only where the fix is another use of memory: a faster allocator, a flag or
// another build leaves the number of objects as it is.
func (e *engine) alongWith(v *verdict) (share float64, text string) {
	if k := v.entry.Swap.Kind; k != "code" && k != "package" || v.entry.Fallback || v.cost.memory == nil {
		return 0, ""
	}
	total := float64(e.p.Total())
	var along strings.Builder
	for i, m := range e.memory {
		c, all := v.cost.memory[i], v.program.memory[i]
		made, outside := float64(all.made), float64(all.released-c.released)
		if made <= 0 || float64(c.made) < leastMade*made {
			continue
		}
		part := float64(c.made) / made
		if s := part * outside / total; s >= leastAlong {
			share += s
			fmt.Fprintf(&along, " and up to %s in %s, for %s of the allocation is done there,", percent.Text(s), m.name, percent.Text(part))
		}
	}
	return share, along.String()
}

// leastAlong is the share of all CPU below which nothing is said.
const leastAlong = 0.005
