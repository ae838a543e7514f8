package receive

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// What the parts of a request take in memory once parsed and converted, in bytes:
// upper bounds of the sizes of pdata's and the model's structures.
const (
	messageCost = 192
	textCost    = 32 // beside the text
	numberCost  = 8
	labelCost   = 64 // one attribute of one sample
)

const (
	// maxAttributes is how many attributes one sample, or one resource, may have:
	// OpenTelemetry's own default limit.
	maxAttributes = 128
	// maxNesting is how deep messages may lie in each other. Profiles need nine
	// levels; a parser that follows an attribute's lists into lists needs a stack
	// as deep as they are.
	maxNesting = 24
)

var errNesting = fmt.Errorf("messages lie more than %d deep in each other", maxNesting)

// role is what a field of bytes holds.
type role uint8

const (
	text role = iota
	message
	numbers
	labels // of a sample: attribute indices
)

// field is one field of a message type.
type field struct {
	role role
	to   *shape
}

// shape is the part of a message type that decides on memory: its fields of bytes.
// Others take no more than the message itself.
type shape struct {
	fields   map[protowire.Number]field
	sample   bool // is a sample: it gets the labels of its resource, too
	resource bool // holds a resource and its samples
}

func sub(s *shape) field { return field{role: message, to: s} }

// requestShape is ExportProfilesServiceRequest of the protocol
// (opentelemetry/proto/profiles/v1development).
var requestShape = newRequestShape()

func newRequestShape() *shape {
	packed := field{role: numbers}
	value := &shape{}
	keyValue := &shape{fields: map[protowire.Number]field{2: sub(value)}}
	value.fields = map[protowire.Number]field{
		5: sub(&shape{fields: map[protowire.Number]field{1: sub(value)}}),
		6: sub(&shape{fields: map[protowire.Number]field{1: sub(keyValue)}}),
	}
	leaf := &shape{}
	sample := &shape{sample: true, fields: map[protowire.Number]field{2: {role: labels}, 4: packed, 5: packed}}
	profile := &shape{fields: map[protowire.Number]field{1: sub(leaf), 2: sub(sample), 5: sub(leaf), 11: packed}}
	scope := &shape{fields: map[protowire.Number]field{3: sub(keyValue)}}
	scopeProfiles := &shape{fields: map[protowire.Number]field{1: sub(scope), 2: sub(profile)}}
	resource := &shape{fields: map[protowire.Number]field{1: sub(keyValue), 3: sub(leaf)}}
	resourceProfiles := &shape{resource: true, fields: map[protowire.Number]field{1: sub(resource), 2: sub(scopeProfiles)}}
	withAttributes := func(number protowire.Number) *shape {
		return &shape{fields: map[protowire.Number]field{number: packed}}
	}
	location := &shape{fields: map[protowire.Number]field{3: sub(leaf), 4: packed}}
	dictionary := &shape{fields: map[protowire.Number]field{
		1: sub(withAttributes(5)), 2: sub(location), 3: sub(leaf), 4: sub(leaf), 6: sub(keyValue), 7: sub(withAttributes(1)),
	}}
	return &shape{fields: map[protowire.Number]field{1: sub(resourceProfiles), 2: sub(dictionary)}}
}

// budget is what parsing may still take.
type budget struct {
	left int
}

var errMemory = errors.New("its parsed form would take too much memory; send smaller batches")

func (b *budget) spend(n int) error {
	if b.left -= n; b.left < 0 {
		return errMemory
	}
	return nil
}

// checkBounds refuses a request whose parsed form would take more than limit bytes,
// or whose messages are nested too deep, without parsing it.
func checkBounds(data []byte, limit int) error {
	b := &budget{left: limit}
	return b.message(data, requestShape, 0, 0)
}

// message counts one message. inherited is how many labels a sample in it gets
// from its resource.
func (b *budget) message(data []byte, s *shape, inherited, depth int) error {
	if depth > maxNesting {
		return errNesting
	}
	if s.resource {
		var err error
		if inherited, err = resourceAttributes(data); err != nil {
			return err
		}
	}
	if err := b.spend(messageCost); err != nil {
		return err
	}
	ofSample := inherited
	if err := eachField(data, func(n protowire.Number, kind protowire.Type, inner []byte) error {
		f, known := s.fields[n]
		switch {
		case !known && kind == protowire.BytesType:
			return b.spend(textCost + len(inner))
		case known && f.role == message && kind == protowire.BytesType:
			return b.message(inner, f.to, inherited, depth+1)
		case known && f.role == labels:
			ofSample += count(kind, inner)
			return b.spend(numberCost * count(kind, inner))
		case known:
			return b.spend(numberCost * count(kind, inner))
		}
		return nil
	}); err != nil {
		return err
	}
	if !s.sample {
		return nil
	}
	if ofSample > 2*maxAttributes {
		return fmt.Errorf("a sample has %d attributes; more than %d are not taken", ofSample, maxAttributes)
	}
	return b.spend(labelCost * ofSample)
}

// count is how many numbers a field may hold: a packed one has a byte for each at
// least.
func count(kind protowire.Type, inner []byte) int {
	if kind == protowire.BytesType {
		return len(inner)
	}
	return 1
}

// resourceAttributes counts the attributes of the resource in ResourceProfiles.
func resourceAttributes(data []byte) (n int, err error) {
	err = eachField(data, func(number protowire.Number, kind protowire.Type, inner []byte) error {
		if number != 1 || kind != protowire.BytesType {
			return nil
		}
		return eachField(inner, func(number protowire.Number, _ protowire.Type, _ []byte) error {
			if number == 1 {
				n++
			}
			return nil
		})
	})
	if err == nil && n > maxAttributes {
		err = fmt.Errorf("a resource has %d attributes; more than %d are not taken", n, maxAttributes)
	}
	return n, err
}

// eachField calls f with every field of a message. inner is the content of a field
// of bytes.
func eachField(data []byte, f func(n protowire.Number, kind protowire.Type, inner []byte) error) error {
	for at := 0; at < len(data); {
		number, kind, size := protowire.ConsumeTag(data[at:])
		if size < 0 {
			return fmt.Errorf("no protobuf message: %w", protowire.ParseError(size))
		}
		at += size
		var inner []byte
		if kind == protowire.BytesType {
			inner, size = protowire.ConsumeBytes(data[at:])
		} else {
			size = protowire.ConsumeFieldValue(number, kind, data[at:])
		}
		if size < 0 {
			return fmt.Errorf("no protobuf message: %w", protowire.ParseError(size))
		}
		if err := f(number, kind, inner); err != nil {
			return err
		}
		at += size
	}
	return nil
}
