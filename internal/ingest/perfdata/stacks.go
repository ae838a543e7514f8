package perfdata

import "whyhot/internal/profile"

// labelKey is the label set of a sample. What is not known or not wanted is ""
// or noID.
type labelKey struct {
	process, thread, container string
	pid, tid                   uint32
}

const noID = ^uint32(0)

// stacks gathers the samples.
type stacks struct {
	b         *profile.Builder
	intern    interner
	labels    map[labelKey]profile.LabelSetID
	truncated profile.LocationID
	cut       bool // truncated was made
	places    places
}

func newStacks() *stacks {
	b := profile.NewBuilder()
	return &stacks{b: b, intern: interner{b: b}, labels: map[labelKey]profile.LabelSetID{}, places: newPlaces()}
}

// frame is the location of an address of the profile in bin.
func (s *stacks) frame(bin *image, addr uint64) profile.LocationID {
	return s.places.id(bin.index, addr, func() profile.LocationID { return s.newFrame(bin, addr) })
}

func (s *stacks) newFrame(bin *image, addr uint64) profile.LocationID {
	if !bin.listed {
		bin.listed = true
		if bin.index != unknownImage {
			// How far it reaches is known at the end.
			bin.mapping = s.b.Mapping(profile.Mapping{Path: bin.path, BuildID: bin.buildID})
		}
		bin.function = s.b.Function(profile.Function{Name: bin.name, Mapping: bin.mapping, Kind: bin.kind})
	}
	return s.b.Location(bin.mapping, addr, bin.kind, profile.Line{Function: bin.function})
}

// expect makes room for what usually is in that many bytes of records, before the first
// of them. Room that
// is not used costs nothing: the memory is not touched.
func (s *stacks) expect(size uint64) {
	const sample, frame, location, most = 250, 32, 128, 64 << 20 // bytes for each of them, and in all
	n := int(min(size, most))
	s.b.Grow(profile.Size{Stacks: n / sample, Frames: n / frame, Samples: n / sample, Locations: n / location})
}

// truncatedFrame stands for the outer part of a cut stack.
func (s *stacks) truncatedFrame() profile.LocationID {
	if !s.cut {
		s.cut = true
		fn := s.b.Function(profile.Function{Name: profile.TruncatedStack})
		s.truncated = s.b.Location(0, 0, profile.KindUnknown, profile.Line{Function: fn})
	}
	return s.truncated
}

// label interns a label set.
func (s *stacks) label(k labelKey) profile.LabelSetID {
	id, ok := s.labels[k]
	if !ok {
		id = s.b.Labels(k.labels())
		s.labels[k] = id
	}
	return id
}

func (k *labelKey) labels() []profile.Label {
	var out []profile.Label
	if k.process != "" {
		out = append(out, profile.Label{Key: profile.LabelProcess, Str: k.process})
	}
	if k.thread != "" {
		out = append(out, profile.Label{Key: profile.LabelThread, Str: k.thread})
	}
	if k.container != "" {
		out = append(out, profile.Label{Key: profile.LabelContainer, Str: k.container})
	}
	if k.pid != noID {
		out = append(out, profile.Label{Key: profile.LabelPID, Num: int64(k.pid)})
	}
	if k.tid != noID {
		out = append(out, profile.Label{Key: profile.LabelTID, Num: int64(k.tid)})
	}
	return out
}

// complete fills in what is known of each binary now. ids are build IDs by
// path.
func (s *stacks) complete(bins []*image, ids map[string]string) {
	for _, bin := range bins {
		if bin.listed && bin.index != unknownImage {
			s.b.Complete(bin.mapping, bin.extent(ids))
		}
	}
}
