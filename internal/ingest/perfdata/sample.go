package perfdata

import "math/bits"

// sample is the part of a SAMPLE record that becomes a row of the profile. The
// slices point into the record.
type sample struct {
	ip       uint64
	pid, tid uint32
	time     uint64
	period   uint64
	cgroup   uint64 // ID of the control group, 0 where it was not recorded
	chain    []byte // of uint64
	regsABI  uint64
	regs     []byte // of uint64, one a bit of regsUser
	stack    []byte // from the stack pointer up; only what was copied
	full     bool   // the recorder copied as much as it was allowed to: the stack goes on
}

// parseSample reads the body of a SAMPLE record. ok is false when the record is
// shorter than its own fields say.
func (e *event) parseSample(body []byte) (s sample, ok bool) {
	c := cursor{b: body}
	st := e.sampleType
	if st&sampleIdentifier != 0 {
		c.u64()
	}
	if st&sampleIP != 0 {
		s.ip = c.u64()
	}
	if st&sampleTID != 0 {
		s.pid = c.u32()
		s.tid = c.u32()
	}
	if st&sampleTime != 0 {
		s.time = c.u64()
	}
	skipWords(&c, st, sampleAddr, sampleID, sampleStreamID, sampleCPU)
	s.period = 1
	if !e.freq && e.samplePeriod != 0 {
		s.period = e.samplePeriod
	}
	if st&samplePeriod != 0 {
		s.period = c.u64()
	}
	if st&sampleRead != 0 {
		e.skipRead(&c)
	}
	if st&sampleCallchain != 0 {
		s.chain = c.array(c.u64(), 8)
	}
	if st&sampleRaw != 0 {
		// The size field is four bytes and is padded together with the data.
		c.bytes(uint64(c.u32()))
	}
	if st&sampleBranchStack != 0 {
		e.skipBranches(&c)
	}
	if st&sampleRegsUser != 0 {
		s.regsABI = c.u64()
		if s.regsABI != 0 {
			s.regs = c.array(uint64(bits.OnesCount64(e.regsUser)), 8)
		}
	}
	if st&sampleStackUser != 0 {
		s.userStack(&c)
	}
	s.cgroup = e.tail(&c)
	return s, !c.short
}

func (s *sample) userStack(c *cursor) {
	size := c.u64()
	if size == 0 {
		return // a kernel thread: not even the dynamic size follows
	}
	s.stack = c.bytes(size)
	used := c.u64()
	if used < uint64(len(s.stack)) {
		s.stack = s.stack[:used]
	} else {
		s.full = true
	}
}

func (e *event) skipBranches(c *cursor) {
	n := c.u64()
	if e.branchType&branchHWIndex != 0 {
		c.u64()
	}
	c.array(n, 24)
	if e.branchType&branchCounters != 0 {
		c.array(n, 8)
	}
}

// tail walks the fields behind the user stack. Of them only the control group is
// used, but a sample that ends inside them is corrupt.
func (e *event) tail(c *cursor) (cgroup uint64) {
	st := e.sampleType
	if st&^sampleKnown != 0 {
		return 0 // a newer kernel's field may stand anywhere
	}
	if st&(sampleWeight|sampleWeightStruct) != 0 {
		c.u64()
	}
	skipWords(c, st, sampleDataSrc, sampleTransaction)
	if st&sampleRegsIntr != 0 && c.u64() != 0 {
		c.array(uint64(bits.OnesCount64(e.regsIntr)), 8)
	}
	skipWords(c, st, samplePhysAddr)
	if st&sampleCgroup != 0 {
		cgroup = c.u64()
	}
	skipWords(c, st, sampleDataPageSize, sampleCodePageSize)
	if st&sampleAux != 0 {
		c.bytes(c.u64())
	}
	return cgroup
}

func skipWords(c *cursor, sampleType uint64, fields ...uint64) {
	for _, f := range fields {
		if sampleType&f != 0 {
			c.u64()
		}
	}
}
