package perfdata

import (
	"encoding/hex"
	"errors"
	"time"
)

// Header features that are read; the others are passed over.
const (
	featBuildID   = 2
	featCmdline   = 11
	featEventDesc = 12
	featClockData = 29
)

var errFeature = errors.New("it is shorter than its own fields say; the file is corrupt")

// facts is what the header features and the records that replace them in pipes
// tell.
type facts struct {
	buildIDs map[string]string // by file name; "" where one name has several
	cmdline  []string
	descs    []eventDesc
	clock    *clockData
}

// eventDesc names an event.
type eventDesc struct {
	name string
	ids  []uint64
}

// clockData ties the clock of the samples to the wall clock.
type clockData struct{ wall, clock uint64 }

func (f *facts) feature(id int, b []byte) error {
	c := cursor{b: b}
	switch id {
	case featBuildID:
		return f.buildIDTable(b)
	case featCmdline:
		return f.commandLine(&c)
	case featEventDesc:
		return f.eventDescs(&c)
	case featClockData:
		c.u64() // version and clock
		f.clock = &clockData{wall: c.u64(), clock: c.u64()}
		if c.short {
			return errFeature
		}
	}
	return nil
}

func (f *facts) buildIDTable(b []byte) error {
	for len(b) > 0 {
		if len(b) < recordHeaderSize {
			return errFeature
		}
		_, misc, size := parseHeader(b)
		if size < recordHeaderSize || size > len(b) {
			return errFeature
		}
		if !f.buildID(misc, b[recordHeaderSize:size]) {
			return errFeature
		}
		b = b[size:]
	}
	return nil
}

// buildID takes one entry of the table, or the body of a HEADER_BUILD_ID
// record.
func (f *facts) buildID(misc uint16, b []byte) bool {
	c := cursor{b: b}
	c.u32() // pid
	raw := c.bytes(24)
	name := cString(c.b)
	if c.short {
		return false
	}
	id := raw[:20]
	if misc&miscBuildIDSized != 0 && raw[20] <= 20 {
		id = raw[:raw[20]]
	} else {
		id = trimBuildID(id)
	}
	f.addBuildID(name, hex.EncodeToString(id))
	return true
}

// trimBuildID drops whole zero words at the end: an older perf stored a shorter
// ID (lld writes 8 bytes, md5 has 16) without its size.
func trimBuildID(id []byte) []byte {
	for len(id) >= 4 && string(id[len(id)-4:]) == "\x00\x00\x00\x00" {
		id = id[:len(id)-4]
	}
	return id
}

// addBuildID notes a build ID. A name that stands for different files (in
// containers) gets none, since records do not say which of them they mean.
func (f *facts) addBuildID(name, id string) {
	if id == "" {
		return
	}
	if f.buildIDs == nil {
		f.buildIDs = map[string]string{}
	}
	if old, ok := f.buildIDs[name]; ok && old != id {
		id = ""
	}
	f.buildIDs[name] = id
}

func (f *facts) commandLine(c *cursor) error {
	var args []string
	for n := c.u32(); n > 0 && !c.short; n-- {
		args = append(args, c.text())
	}
	if c.short {
		return errFeature
	}
	f.cmdline = args
	return nil
}

func (f *facts) eventDescs(c *cursor) error {
	n, attrSize := c.u32(), c.u32()
	var descs []eventDesc
	for ; n > 0 && !c.short; n-- {
		c.bytes(uint64(attrSize))
		ids := uint64(c.u32())
		d := eventDesc{name: c.text()}
		d.ids = words(c.array(ids, 8))
		descs = append(descs, d)
	}
	if c.short {
		return errFeature
	}
	f.descs = descs
	return nil
}

// start is the wall-clock time of a sample's time.
func (d *clockData) start(sample uint64) time.Time {
	if d == nil || sample == 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(d.wall)+int64(sample)-int64(d.clock)).UTC()
}
