package folded

import (
	"slices"

	"whyhot/internal/profile"
)

// resolver turns frame texts into locations and labels, each text once.
type resolver struct {
	b      *profile.Builder
	d      dialect
	texts  []seen
	frames []frame
	locs   []profile.LocationID // of frames that are not inlined
	done   []bool
	lead   map[uint32]*[]profile.Label
	comms  map[uint32]profile.LabelSetID
}

func newResolver(b *profile.Builder, d dialect, texts []seen) *resolver {
	return &resolver{
		b: b, d: d, texts: texts,
		frames: make([]frame, len(texts)),
		locs:   make([]profile.LocationID, len(texts)),
		done:   make([]bool, len(texts)),
		lead:   map[uint32]*[]profile.Label{},
		comms:  map[uint32]profile.LabelSetID{},
	}
}

// labels takes the frames that name a process or thread off the root end.
func (r *resolver) labels(stack []uint32) (profile.LabelSetID, []uint32) {
	if len(stack) == 0 {
		return 0, stack
	}
	var all []profile.Label
	n := 0
	for n < len(stack) {
		l := r.explicit(stack[n])
		if l == nil {
			break
		}
		for _, label := range *l { // of nested processes the innermost ran
			all = slices.DeleteFunc(all, func(o profile.Label) bool { return o.Key == label.Key })
			all = append(all, label)
		}
		n++
	}
	if n == 0 && !r.d.commFirst {
		return 0, stack
	}
	if n == 0 {
		id, known := r.comms[stack[0]]
		if !known {
			id = r.b.Labels(comm(r.texts[stack[0]].text))
			r.comms[stack[0]] = id
		}
		return id, stack[1:]
	}
	return r.b.Labels(all), stack[n:]
}

// explicit is dialect.explicit, each text once; nil is no label.
func (r *resolver) explicit(i uint32) *[]profile.Label {
	l, known := r.lead[i]
	if !known {
		if labels, ok := r.d.explicit(r.texts[i].text); ok {
			l = &labels
		}
		r.lead[i] = l
	}
	return l
}

// stack appends the locations of a stack, given root first, leaf first. An
// inlined frame shares the location of the frame that it was inlined into.
func (r *resolver) stack(locs []profile.LocationID, stack []uint32) []profile.LocationID {
	for i := len(stack) - 1; i >= 0; i-- {
		f := r.frame(stack[i])
		if !f.inlined || i == 0 {
			locs = append(locs, r.locs[stack[i]])
			continue
		}
		outer := i
		for outer > 0 && r.frame(stack[outer]).inlined {
			outer--
		}
		locs = append(locs, r.inlined(stack[outer:i+1]))
		i = outer
	}
	return locs
}

// inlined makes one location of a frame and those inlined into it.
func (r *resolver) inlined(chain []uint32) profile.LocationID {
	outer := r.frame(chain[0])
	m := r.mapping(outer)
	lines := make([]profile.Line, 0, len(chain))
	for _, c := range slices.Backward(chain) {
		f := r.frame(c)
		fn := f.fn
		fn.Mapping = m
		if fn.Kind == profile.KindUnknown {
			fn.Kind = outer.fn.Kind
		}
		lines = append(lines, profile.Line{Function: r.b.Function(fn), Line: f.line})
	}
	return r.b.Location(m, outer.addr, profile.KindUnknown, lines...)
}

func (r *resolver) frame(i uint32) *frame {
	f := &r.frames[i]
	if !r.done[i] {
		r.done[i] = true
		*f = r.d.parse(r.texts[i].text)
		m := r.mapping(f)
		fn := f.fn
		fn.Mapping = m
		r.locs[i] = r.b.Location(m, f.addr, fn.Kind, profile.Line{Function: r.b.Function(fn), Line: f.line})
	}
	return f
}

func (r *resolver) mapping(f *frame) profile.MappingID {
	if f.mapping == "" {
		return 0
	}
	return r.b.Mapping(profile.Mapping{Path: f.mapping})
}
