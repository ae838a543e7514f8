package pprof

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Protocol buffer wire types.
const (
	wireVarint = 0
	wireFixed8 = 1
	wireBytes  = 2
	wireFixed4 = 5
)

var (
	errVarint    = errors.New("a number is cut off or longer than 10 bytes")
	errTruncated = errors.New("a field is longer than the message that holds it")
)

// cursor walks over the fields of one message.
type cursor struct {
	b     []byte
	field int
	wire  int
	num   uint64 // of a varint or fixed field
	bytes []byte // of a length-delimited field
}

// next moves to the next field. It returns false at the end of the message.
func (c *cursor) next() (bool, error) {
	if len(c.b) == 0 {
		return false, nil
	}
	tag, err := c.varint()
	if err != nil {
		return false, err
	}
	c.field, c.wire = int(tag>>3), int(tag&7)
	if c.field == 0 || tag>>3 > 1<<29-1 {
		return false, fmt.Errorf("field number %d does not exist", tag>>3)
	}
	switch c.wire {
	case wireVarint:
		c.num, err = c.varint()
		return err == nil, err
	case wireBytes:
		n, err := c.varint()
		if err != nil {
			return false, err
		}
		if n > uint64(len(c.b)) {
			return false, errTruncated
		}
		c.bytes, c.b = c.b[:n], c.b[n:]
	case wireFixed8:
		if len(c.b) < 8 {
			return false, errTruncated
		}
		c.num, c.b = binary.LittleEndian.Uint64(c.b), c.b[8:]
	case wireFixed4:
		if len(c.b) < 4 {
			return false, errTruncated
		}
		c.num, c.b = uint64(binary.LittleEndian.Uint32(c.b)), c.b[4:]
	default:
		return false, fmt.Errorf("wire type %d is not used by profiles", c.wire)
	}
	return true, nil
}

func (c *cursor) varint() (uint64, error) {
	if len(c.b) > 0 && c.b[0] < 0x80 {
		v := uint64(c.b[0])
		c.b = c.b[1:]
		return v, nil
	}
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		return 0, errVarint
	}
	c.b = c.b[n:]
	return v, nil
}

// number gives the value of a field that must be one number.
func (c *cursor) number() (uint64, error) {
	if c.wire == wireBytes {
		return 0, fmt.Errorf("field %d holds bytes where a number belongs", c.field)
	}
	return c.num, nil
}

// message gives the value of a field that must be a message or a string.
func (c *cursor) message() ([]byte, error) {
	if c.wire != wireBytes {
		return nil, fmt.Errorf("field %d holds a number where bytes belong", c.field)
	}
	return c.bytes, nil
}

// numbers appends the values of a repeated number, packed or not.
func numbers[T uint64 | int64](c *cursor, to []T) ([]T, error) {
	if c.wire != wireBytes {
		return append(to, T(c.num)), nil
	}
	b := c.bytes
	for len(b) > 0 {
		if b[0] < 0x80 {
			to = append(to, T(b[0]))
			b = b[1:]
			continue
		}
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return to, errVarint
		}
		to = append(to, T(v))
		b = b[n:]
	}
	return to, nil
}
