package pprof

import (
	"bytes"
	"encoding/binary"
)

// Detect tells whether head, the first bytes of an uncompressed file, can be
// the start of a pprof protocol buffer. Every field that lies whole in head has
// to have the shape that profile.proto gives it.
func Detect(head []byte) bool {
	telling := false
	for b := head; len(b) > 0; {
		tag, n := binary.Uvarint(b)
		if n == 0 {
			return telling // cut inside a tag
		}
		field := int(tag >> 3)
		if n < 0 || field < 1 || field > 15 {
			return false
		}
		b = b[n:]
		message := field <= fieldString || field == fieldPeriodType
		if !message {
			if tag&7 != wireVarint && (tag&7 != wireBytes || field != fieldComment) {
				return false
			}
		} else if tag&7 != wireBytes {
			return false
		}
		v, n := binary.Uvarint(b)
		if n == 0 {
			return telling
		}
		if n < 0 {
			return false
		}
		b = b[n:]
		if tag&7 == wireVarint {
			continue
		}
		if v > uint64(len(b)) {
			// A long last message is cut by the end of head.
			return telling && v <= maxMessage
		}
		if !plausible(field, b[:v]) {
			return false
		}
		telling = telling || message
		b = b[v:]
	}
	return telling
}

// plausible checks one whole message.
func plausible(field int, b []byte) bool {
	var t tables
	if field != fieldSample {
		return t.message(field, b) == nil && (field != fieldSampleType || len(b) > 0)
	}
	c := cursor{b: b}
	for {
		ok, err := c.next()
		if err != nil || ok && c.field > 3 {
			return false
		}
		if !ok {
			return true
		}
	}
}

var legacyText = [...]string{
	"heap profile: ", "heapprofile", "heap_v2/", "--- contention", "--- mutex", "--- threadz", "--- Thread",
	"--- heapz", "--- growthz", "goroutine profile: total ", "threadcreate profile: total ", "block profile: total ",
}

// DetectLegacy tells whether head starts a profile in one of the older formats.
func DetectLegacy(head []byte) bool {
	for _, s := range legacyText {
		if bytes.HasPrefix(head, []byte(s)) {
			return true
		}
	}
	return legacyCPU(head)
}

// legacyCPU recognises the header of a binary CPU profile: the words 0, 3, 0
// (native) or 1 (Java), the period in microseconds, 0; words are of the
// machine's size and byte order.
func legacyCPU(head []byte) bool {
	for _, order := range [...]binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, size := range [...]int{4, 8} {
			if len(head) < 5*size {
				continue
			}
			var w [5]uint64
			for i := range w {
				if size == 4 {
					w[i] = uint64(order.Uint32(head[i*size:]))
				} else {
					w[i] = order.Uint64(head[i*size:])
				}
			}
			if w[0] == 0 && w[1] == 3 && w[2] <= 1 && w[3] > 0 && w[4] == 0 {
				return true
			}
		}
	}
	return false
}
