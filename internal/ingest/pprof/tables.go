package pprof

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"whyhot/internal/profile"
)

// Field numbers of message Profile.
const (
	fieldSampleType  = 1
	fieldSample      = 2
	fieldMapping     = 3
	fieldLocation    = 4
	fieldFunction    = 5
	fieldString      = 6
	fieldTime        = 9
	fieldDuration    = 10
	fieldPeriodType  = 11
	fieldPeriod      = 12
	fieldComment     = 13
	fieldDefaultType = 14
)

// tables is message Profile without its samples; strings are still indices.
type tables struct {
	most        int // entries of all tables together, 0 for any number
	strings     []string
	sampleTypes []rawType
	mappings    []rawMapping
	locations   []rawLocation
	lines       []rawLine
	functions   []rawFunction
	comments    []int64
	periodType  rawType
	period      int64
	timeNanos   int64
	duration    int64
	defaultType int64
}

type rawType struct{ typ, unit int64 }

type rawMapping struct {
	id, start, limit, offset uint64
	file, buildID            int64
}

type rawLocation struct {
	id, mapping, addr uint64
	firstLine, nLines uint32
}

type rawLine struct {
	function uint64
	line     int64
}

type rawFunction struct {
	id                       uint64
	name, system, file, line int64
}

// scalar takes over a top-level number.
func (t *tables) scalar(field int, v uint64) error {
	switch field {
	case fieldTime:
		if t.timeNanos != 0 && v != 0 {
			return errors.New("the time of recording comes twice: these are several profiles in one file; give them one at a time")
		}
		t.timeNanos = int64(v)
	case fieldDuration:
		t.duration = int64(v)
	case fieldPeriod:
		t.period = int64(v)
	case fieldComment:
		t.comments = append(t.comments, int64(v))
	case fieldDefaultType:
		t.defaultType = int64(v)
	case fieldSampleType, fieldSample, fieldMapping, fieldLocation, fieldFunction, fieldString, fieldPeriodType:
		return fmt.Errorf("field %d holds a number where bytes belong", field)
	}
	return nil
}

// message takes over a top-level message or string. Samples are not its
// business.
func (t *tables) message(field int, b []byte) (err error) {
	switch field {
	case fieldSampleType:
		var vt rawType
		vt, err = parseType(b)
		t.sampleTypes = append(t.sampleTypes, vt)
	case fieldPeriodType:
		t.periodType, err = parseType(b)
	case fieldMapping:
		err = t.mapping(b)
	case fieldLocation:
		err = t.location(b)
	case fieldFunction:
		err = t.function(b)
	case fieldString:
		t.strings = append(t.strings, string(b))
	case fieldComment:
		c := cursor{wire: wireBytes, bytes: b}
		t.comments, err = numbers(&c, t.comments)
	}
	return cmp.Or(err, t.full())
}

// full is the error for tables with more entries than they may have.
func (t *tables) full() error {
	n := len(t.strings) + len(t.sampleTypes) + len(t.mappings) + len(t.locations) + len(t.lines) + len(t.functions) + len(t.comments)
	if t.most > 0 && n > t.most {
		return fmt.Errorf("%w: more than %d strings, functions, locations and lines", profile.ErrTooLarge, t.most)
	}
	return nil
}

// fields calls set for every number of a message that holds numbers only.
func fields(b []byte, set func(field int, v uint64)) error {
	c := cursor{b: b}
	for {
		ok, err := c.next()
		if !ok {
			return err
		}
		if c.wire == wireBytes {
			if c.field <= 10 {
				return fmt.Errorf("field %d holds bytes where a number belongs", c.field)
			}
			continue
		}
		set(c.field, c.num)
	}
}

func parseType(b []byte) (rt rawType, err error) {
	err = fields(b, func(field int, v uint64) {
		switch field {
		case 1:
			rt.typ = int64(v)
		case 2:
			rt.unit = int64(v)
		}
	})
	return rt, err
}

func (t *tables) mapping(b []byte) error {
	var m rawMapping
	err := fields(b, func(field int, v uint64) {
		switch field {
		case 1:
			m.id = v
		case 2:
			m.start = v
		case 3:
			m.limit = v
		case 4:
			m.offset = v
		case 5:
			m.file = int64(v)
		case 6:
			m.buildID = int64(v)
		}
	})
	t.mappings = append(t.mappings, m)
	return err
}

func (t *tables) function(b []byte) error {
	var f rawFunction
	err := fields(b, func(field int, v uint64) {
		switch field {
		case 1:
			f.id = v
		case 2:
			f.name = int64(v)
		case 3:
			f.system = int64(v)
		case 4:
			f.file = int64(v)
		case 5:
			f.line = int64(v)
		}
	})
	t.functions = append(t.functions, f)
	return err
}

func (t *tables) location(b []byte) error {
	l := rawLocation{firstLine: uint32(len(t.lines))}
	c := cursor{b: b}
	for {
		ok, err := c.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if c.field == 4 {
			body, err := c.message()
			if err != nil {
				return err
			}
			line, err := parseLine(body)
			if err != nil {
				return fmt.Errorf("line %d: %w", l.nLines+1, err)
			}
			t.lines = append(t.lines, line)
			if err := t.full(); err != nil {
				return err
			}
			l.nLines++
			continue
		}
		if c.field > 3 {
			continue
		}
		v, err := c.number()
		if err != nil {
			return err
		}
		switch c.field {
		case 1:
			l.id = v
		case 2:
			l.mapping = v
		case 3:
			l.addr = v
		}
	}
	t.locations = append(t.locations, l)
	return nil
}

func parseLine(b []byte) (l rawLine, err error) {
	err = fields(b, func(field int, v uint64) {
		switch field {
		case 1:
			l.function = v
		case 2:
			l.line = int64(v)
		}
	})
	return l, err
}

// str resolves an index into the string table.
func (t *tables) str(i int64) (string, error) {
	if i == 0 {
		return "", nil // string 0 is empty by definition, even where there is no table
	}
	if i < 0 || i >= int64(len(t.strings)) {
		return "", fmt.Errorf("string %d does not exist: the string table has %d", i, len(t.strings))
	}
	return t.strings[i], nil
}

func (t *tables) valueType(r rawType) (profile.ValueType, error) {
	typ, err := t.str(r.typ)
	if err != nil {
		return profile.ValueType{}, err
	}
	unit, err := t.str(r.unit)
	return profile.ValueType{Type: typ, Unit: unit}, err
}

// line32 narrows a line number; what no source file has becomes "not known".
func line32(n int64) int32 {
	if n < 0 || n > math.MaxInt32 {
		return 0
	}
	return int32(n)
}

// start is the time of recording, zero when not known.
func (t *tables) start() time.Time {
	if t.timeNanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, t.timeNanos)
}
