package otlp

import (
	"fmt"
	"math"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"whyhot/internal/profile"
)

// Encode converts a profile: one resource for each process. It fails only where
// the profile has more rows than the protocol can number.
func Encode(p *profile.Profile) (pprofile.Profiles, error) {
	e := newEncoder(p)
	for i := range p.Samples() {
		e.sample(&p.Samples()[i])
	}
	if n := e.size(); n > math.MaxInt32 {
		return pprofile.Profiles{}, fmt.Errorf("the profile has %d rows, more than OTLP can number", n)
	}
	return e.out, nil
}

// Marshal is Encode in the protobuf form.
func Marshal(p *profile.Profile) ([]byte, error) {
	pd, err := Encode(p)
	if err != nil {
		return nil, err
	}
	return MarshalProto(pd)
}

// encoder fills one request. The rows of its tables are interned.
type encoder struct {
	p          *profile.Profile
	out        pprofile.Profiles
	dict       pprofile.ProfilesDictionary
	strings    map[string]int32
	attributes map[attribute]int32
	mappings   map[profile.MappingID]int32
	functions  map[profile.FunctionID]int32
	locations  map[profile.LocationID]int32
	stacks     map[profile.StackID]int32
	resources  map[resource]pprofile.Profile
	weighted   bool // values are counts of periods
}

// attribute is a row of the attribute table.
type attribute struct {
	key, text, unit string
	number          int64
}

// resource is what samples of one process share.
type resource struct {
	process, container, service string
	pid                         int64
}

func newEncoder(p *profile.Profile) *encoder {
	e := &encoder{
		p: p, out: pprofile.NewProfiles(),
		strings: map[string]int32{"": 0}, attributes: map[attribute]int32{}, mappings: map[profile.MappingID]int32{0: 0},
		functions: map[profile.FunctionID]int32{0: 0}, locations: map[profile.LocationID]int32{}, stacks: map[profile.StackID]int32{},
		resources: map[resource]pprofile.Profile{},
	}
	e.dict = e.out.Dictionary()
	// Row 0 of every table is the zero value.
	e.dict.StringTable().Append("")
	e.dict.AttributeTable().AppendEmpty()
	e.dict.MappingTable().AppendEmpty()
	e.dict.FunctionTable().AppendEmpty()
	e.dict.LocationTable().AppendEmpty()
	e.dict.StackTable().AppendEmpty()
	e.dict.LinkTable().AppendEmpty()
	e.weighted = p.Meta.Period > 0 && p.Meta.PeriodType == p.Meta.ValueType
	for i := range p.Samples() {
		s := &p.Samples()[i]
		e.weighted = e.weighted && s.Value/p.Meta.Period == s.Count && s.Value%p.Meta.Period == 0
	}
	return e
}

// size is the longest table.
func (e *encoder) size() int {
	return max(len(e.strings), len(e.attributes), e.dict.LocationTable().Len(), e.dict.StackTable().Len(), e.dict.FunctionTable().Len())
}

func (e *encoder) text(s string) int32 {
	i, ok := e.strings[s]
	if !ok {
		i = int32(len(e.strings))
		e.strings[s] = i
		e.dict.StringTable().Append(s)
	}
	return i
}

func (e *encoder) attribute(to pcommon.Int32Slice, a attribute) {
	i, ok := e.attributes[a]
	if !ok {
		i = int32(e.dict.AttributeTable().Len())
		e.attributes[a] = i
		row := e.dict.AttributeTable().AppendEmpty()
		row.SetKeyStrindex(e.text(a.key))
		row.SetUnitStrindex(e.text(a.unit))
		if a.text != "" {
			row.Value().SetStr(a.text)
		} else {
			row.Value().SetInt(a.number)
		}
	}
	to.Append(i)
}

// at is when a sample was taken, 0 where that is not known.
func (e *encoder) at(s *profile.Sample) int64 {
	switch {
	case s.Time <= 0 || !e.p.Meta.Elapsed:
		return s.Time
	case e.p.Meta.Start.IsZero():
		return 0
	}
	return e.p.Meta.Start.UnixNano() + s.Time
}

// sample adds one row.
func (e *encoder) sample(s *profile.Sample) {
	labels := e.p.Labels(s.Labels)
	to := e.profileOf(labels).Samples().AppendEmpty()
	to.SetStackIndex(e.stack(s.Stack))
	number := s.Value
	if e.weighted {
		number = s.Count
	}
	if at := e.at(s); at > 0 {
		to.TimestampsUnixNano().Append(uint64(at))
	}
	to.Values().Append(number)
	for _, l := range labels {
		switch l.Key {
		case profile.LabelPID, profile.LabelProcess, profile.LabelContainer, profile.LabelService: // of the resource
			continue
		}
		a := attribute{key: l.Key, text: l.Str, number: l.Num, unit: l.Unit}
		if theirs, ok := attributeByLabel[l.Key]; ok {
			a.key = theirs
		}
		e.attribute(to.AttributeIndices(), a)
	}
	if !e.weighted && (e.p.Meta.ValueType.Unit != countUnit || s.Count != s.Value) {
		e.attribute(to.AttributeIndices(), attribute{key: attrCount, number: s.Count})
	}
}

// profileOf is the profile that takes the samples of a process.
func (e *encoder) profileOf(labels []profile.Label) pprofile.Profile {
	var r resource
	for _, l := range labels {
		switch l.Key {
		case profile.LabelPID:
			r.pid = l.Num
		case profile.LabelProcess:
			r.process = l.Str
		case profile.LabelContainer:
			r.container = l.Str
		case profile.LabelService:
			r.service = l.Str
		}
	}
	if p, ok := e.resources[r]; ok {
		return p
	}
	first := len(e.resources) == 0
	rp := e.out.ResourceProfiles().AppendEmpty()
	attrs := rp.Resource().Attributes()
	if r.process != "" {
		attrs.PutStr(attrExecutable, r.process)
		attrs.PutStr(attrComm, r.process)
	}
	if r.pid != 0 {
		attrs.PutInt(attrPID, r.pid)
	}
	if r.container != "" {
		attrs.PutStr(attrContainer, r.container)
	}
	if r.service != "" {
		attrs.PutStr(profile.LabelService, r.service)
	}
	sp := rp.ScopeProfiles().AppendEmpty()
	sp.Scope().SetName(scopeName)
	p := sp.Profiles().AppendEmpty()
	e.describe(p)
	if first && e.p.Meta.Lost > 0 {
		e.attribute(p.AttributeIndices(), attribute{key: attrLost, number: int64(min(e.p.Meta.Lost, math.MaxInt64))})
	}
	e.resources[r] = p
	return p
}

// describe says what the numbers of a profile mean.
func (e *encoder) describe(p pprofile.Profile) {
	m := &e.p.Meta
	sample := m.ValueType
	if e.weighted {
		sample = profile.ValueType{Type: samplesType, Unit: countUnit}
	}
	p.SampleType().SetTypeStrindex(e.text(sample.Type))
	p.SampleType().SetUnitStrindex(e.text(sample.Unit))
	p.PeriodType().SetTypeStrindex(e.text(m.PeriodType.Type))
	p.PeriodType().SetUnitStrindex(e.text(m.PeriodType.Unit))
	p.SetPeriod(m.Period)
	if !m.Start.IsZero() {
		p.SetTime(pcommon.NewTimestampFromTime(m.Start))
		p.SetDurationNano(uint64(max(m.Duration, 0)))
	}
}

func (e *encoder) stack(id profile.StackID) int32 {
	if i, ok := e.stacks[id]; ok {
		return i
	}
	locs := e.p.Stack(id)
	if len(locs) == 0 {
		return 0
	}
	indices := make([]int32, 0, len(locs))
	for _, l := range locs {
		indices = append(indices, e.location(l))
	}
	i := int32(e.dict.StackTable().Len())
	e.dict.StackTable().AppendEmpty().LocationIndices().FromRaw(indices)
	e.stacks[id] = i
	return i
}

func (e *encoder) location(id profile.LocationID) int32 {
	if i, ok := e.locations[id]; ok {
		return i
	}
	from := e.p.Location(id)
	mapping := e.mapping(from.Mapping)
	i := int32(e.dict.LocationTable().Len())
	to := e.dict.LocationTable().AppendEmpty()
	e.locations[id] = i
	to.SetAddress(from.Address)
	to.SetMappingIndex(mapping)
	lines := e.p.Lines(id)
	outermost := e.p.Function(lines[len(lines)-1].Function)
	if frame, ok := frameByKind[outermost.Kind]; ok {
		e.attribute(to.AttributeIndices(), attribute{key: attrFrame, text: frame})
	}
	if len(lines) == 1 && outermost.Name == "" && outermost.File == "" && lines[0].Line == 0 {
		return i // not named: the protocol then has no line
	}
	for _, l := range lines {
		line := to.Lines().AppendEmpty()
		line.SetFunctionIndex(e.function(l.Function))
		line.SetLine(int64(l.Line))
	}
	return i
}

func (e *encoder) function(id profile.FunctionID) int32 {
	if i, ok := e.functions[id]; ok {
		return i
	}
	f := e.p.Function(id)
	i := int32(e.dict.FunctionTable().Len())
	to := e.dict.FunctionTable().AppendEmpty()
	e.functions[id] = i
	to.SetNameStrindex(e.text(f.Name))
	to.SetSystemNameStrindex(e.text(f.SystemName))
	to.SetFilenameStrindex(e.text(f.File))
	to.SetStartLine(int64(f.StartLine))
	return i
}

func (e *encoder) mapping(id profile.MappingID) int32 {
	if i, ok := e.mappings[id]; ok {
		return i
	}
	m := e.p.Mapping(id)
	i := int32(e.dict.MappingTable().Len())
	to := e.dict.MappingTable().AppendEmpty()
	e.mappings[id] = i
	to.SetFilenameStrindex(e.text(m.Path))
	to.SetMemoryStart(m.Start)
	to.SetMemoryLimit(m.Limit)
	to.SetFileOffset(m.Offset)
	switch {
	case m.BuildID == "":
	case strings.Trim(m.BuildID, "0123456789abcdef") == "":
		e.attribute(to.AttributeIndices(), attribute{key: attrBuildGNU, text: m.BuildID})
	default:
		e.attribute(to.AttributeIndices(), attribute{key: attrBuildGo, text: m.BuildID})
	}
	return i
}
