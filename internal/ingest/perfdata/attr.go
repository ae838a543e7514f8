package perfdata

import (
	"fmt"
	"math/bits"
	"strings"
)

// Bits of perf_event_attr.sample_type, in the order of the UAPI header, which
// is not the order of the fields in a sample.
const (
	sampleIP = 1 << iota
	sampleTID
	sampleTime
	sampleAddr
	sampleRead
	sampleCallchain
	sampleID
	sampleCPU
	samplePeriod
	sampleStreamID
	sampleRaw
	sampleBranchStack
	sampleRegsUser
	sampleStackUser
	sampleWeight
	sampleDataSrc
	sampleIdentifier
	sampleTransaction
	sampleRegsIntr
	samplePhysAddr
	sampleAux
	sampleCgroup
	sampleDataPageSize
	sampleCodePageSize
	sampleWeightStruct

	sampleKnown = sampleWeightStruct<<1 - 1
)

// Bits of perf_event_attr.read_format.
const (
	readTimeEnabled = 1 << iota
	readTimeRunning
	readID
	readGroup
	readLost
)

// Bits of perf_event_attr.branch_sample_type.
const (
	branchHWIndex  = 1 << 17
	branchCounters = 1 << 19
)

// Values of perf_event_attr.type.
const (
	typeHardware   = 0
	typeSoftware   = 1
	typeTracepoint = 2
	typeRaw        = 4
)

const (
	attrFlagFreq        = 1 << 10
	attrFlagSampleIDAll = 1 << 18

	attrMinSize = 64 // PERF_ATTR_SIZE_VER0
)

// event is one perf_event_attr with its name and the positions that follow
// from its sample_type.
type event struct {
	name         string
	typ          uint32
	config       uint64
	samplePeriod uint64 // a frequency in Hz when freq is set
	freq         bool
	sampleType   uint64
	readFormat   uint64
	branchType   uint64
	regsUser     uint64
	regsIntr     uint64
	sampleIDAll  bool
	ids          []uint64

	timePos int // of TIME in a sample's body, -1 when there is none
	idPos   int // of the event ID in a sample's body, -1 when there is none
	// The same from the end of the body of other records; 0 when there is none.
	timeBack int
	idBack   int
}

// parseAttr reads a perf_event_attr that takes up the whole of b. Fields that
// an older perf did not write are zero.
func parseAttr(b []byte) (*event, error) {
	if len(b) < attrMinSize {
		return nil, fmt.Errorf("event attribute of %d bytes, the shortest there is has %d", len(b), attrMinSize)
	}
	full := make([]byte, max(len(b), 112))
	copy(full, b)
	c := cursor{b: full}
	e := &event{}
	e.typ = c.u32()
	c.u32() // size
	e.config = c.u64()
	e.samplePeriod = c.u64()
	e.sampleType = c.u64()
	e.readFormat = c.u64()
	flags := c.u64()
	c.u32() // wakeup
	c.u32() // bp_type
	c.u64() // config1
	c.u64() // config2
	e.branchType = c.u64()
	e.regsUser = c.u64()
	c.u32() // sample_stack_user: each sample carries its own size
	c.u32() // clockid
	e.regsIntr = c.u64()
	e.freq = flags&attrFlagFreq != 0
	e.sampleIDAll = flags&attrFlagSampleIDAll != 0
	e.name = defaultName(e.typ, e.config)
	e.place()
	return e, nil
}

// place works out where time and ID are, in samples and in other records.
func (e *event) place() {
	e.timePos, e.idPos = -1, -1
	pos := 0
	for _, bit := range [...]uint64{sampleIdentifier, sampleIP, sampleTID, sampleTime, sampleAddr, sampleID} {
		if e.sampleType&bit == 0 {
			continue
		}
		switch bit {
		case sampleTime:
			e.timePos = pos
		case sampleIdentifier:
			e.idPos = pos
		case sampleID:
			if e.idPos < 0 {
				e.idPos = pos
			}
		}
		pos += 8
	}
	if !e.sampleIDAll {
		return
	}
	back := 0
	for _, bit := range [...]uint64{sampleIdentifier, sampleCPU, sampleStreamID, sampleID, sampleTime} {
		if e.sampleType&bit == 0 {
			continue
		}
		back += 8
		switch bit {
		case sampleTime:
			e.timeBack = back
		case sampleIdentifier:
			e.idBack = back
		case sampleID:
			if e.idBack == 0 {
				e.idBack = back
			}
		}
	}
}

var hardwareNames = [...]string{
	"cycles", "instructions", "cache-references", "cache-misses", "branches",
	"branch-misses", "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
}

var softwareNames = [...]string{
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults",
	"major-faults", "alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches",
}

func defaultName(typ uint32, config uint64) string {
	// On machines with two kinds of core the upper half says which.
	short := config & 0xffffffff
	switch {
	case typ == typeHardware && short < uint64(len(hardwareNames)):
		return hardwareNames[short]
	case typ == typeSoftware && config < uint64(len(softwareNames)):
		return softwareNames[config]
	case typ == typeTracepoint:
		return fmt.Sprintf("tracepoint:%d", config)
	case typ == typeRaw:
		return fmt.Sprintf("r%x", config)
	}
	return fmt.Sprintf("pmu%d/config=%#x/", typ, config)
}

// family is the name without the PMU and the modifiers, so that "cycles:u",
// "cycles:k" and "cpu_core/cycles/P" are one event.
func (e *event) family() string {
	if e.typ == typeTracepoint {
		return e.name
	}
	name := e.name
	if pmu, rest, ok := strings.Cut(name, "/"); ok {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			rest = rest[:i]
		}
		name = rest
		if name == "" {
			name = pmu
		}
	}
	name, _, _ = strings.Cut(name, ":")
	return name
}

// isClock says that the period is nanoseconds.
func (e *event) isClock() bool { return e.typ == typeSoftware && e.config <= 1 }

func (e *event) isDummy() bool { return e.typ == typeSoftware && e.config == 9 }

// isCPU says that the event fires as CPU time passes.
func (e *event) isCPU() bool {
	if e.isClock() || e.typ == typeHardware && (e.config&0xffffffff == 0 || e.config&0xffffffff == 9) {
		return true
	}
	if e.typ == typeTracepoint {
		return false
	}
	f := e.family()
	return strings.HasSuffix(f, "cycles") && !strings.Contains(f, "stalled") || f == "ibs_op" ||
		strings.Contains(f, "cpu_clk_unhalted")
}

// readSize is the size of the READ field of a sample; the group form starts
// with its number of values.
func (e *event) skipRead(c *cursor) {
	times := uint64(bits.OnesCount64(e.readFormat & (readTimeEnabled | readTimeRunning)))
	each := uint64(1 + bits.OnesCount64(e.readFormat&(readID|readLost)))
	n := uint64(1)
	if e.readFormat&readGroup != 0 {
		n = c.u64()
	}
	c.bytes(times * 8)
	c.array(n, each*8)
}
