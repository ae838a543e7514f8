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

var errNesting = fmt.Errorf("messages are nested more than %d deep", maxNesting)

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

// attributeIndices is a field of several message types.
const attributeIndices = "attribute_indices"

// shape is the part of a message type that decides on memory: its fields of bytes.
// Others take no more than the message itself.
type shape struct {
	name     string   // of the type
	names    []string // of all its fields, from number 1 on; none where they are not checked
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
	valueType := &shape{name: "ValueType", names: []string{"type_strindex", "unit_strindex"}}
	line := &shape{name: "Line", names: []string{"function_index", "line", "column"}}
	function := &shape{name: "Function", names: []string{"name_strindex", "system_name_strindex", "filename_strindex", "start_line"}}
	link := &shape{name: "Link", names: []string{"trace_id", "span_id"}}
	sample := &shape{
		name: "Sample", names: []string{"stack_index", attributeIndices, "link_index", "values", "timestamps_unix_nano"},
		sample: true, fields: map[protowire.Number]field{2: {role: labels}, 4: packed, 5: packed},
	}
	profile := &shape{
		name: "Profile", names: []string{
			"sample_type", "samples", "time_unix_nano", "duration_nano", "period_type", "period", "profile_id",
			"dropped_attributes_count", "original_payload_format", "original_payload", attributeIndices,
		},
		fields: map[protowire.Number]field{1: sub(valueType), 2: sub(sample), 5: sub(valueType), 11: packed},
	}
	scope := &shape{fields: map[protowire.Number]field{3: sub(keyValue)}}
	scopeProfiles := &shape{
		name: "ScopeProfiles", names: []string{"scope", "profiles", "schema_url"},
		fields: map[protowire.Number]field{1: sub(scope), 2: sub(profile)},
	}
	resource := &shape{fields: map[protowire.Number]field{1: sub(keyValue), 3: sub(&shape{})}}
	resourceProfiles := &shape{
		name: "ResourceProfiles", names: []string{"resource", "scope_profiles", "schema_url"},
		resource: true, fields: map[protowire.Number]field{1: sub(resource), 2: sub(scopeProfiles)},
	}
	mapping := &shape{
		name: "Mapping", names: []string{"memory_start", "memory_limit", "file_offset", "filename_strindex", attributeIndices},
		fields: map[protowire.Number]field{5: packed},
	}
	location := &shape{
		name: "Location", names: []string{"mapping_index", "address", "lines", attributeIndices},
		fields: map[protowire.Number]field{3: sub(line), 4: packed},
	}
	attribute := &shape{
		name: "KeyValueAndUnit", names: []string{"key_strindex", "value", "unit_strindex"},
		fields: map[protowire.Number]field{2: sub(value)},
	}
	stack := &shape{name: "Stack", names: []string{"location_indices"}, fields: map[protowire.Number]field{1: packed}}
	dictionary := &shape{
		name: "ProfilesDictionary", names: []string{
			"mapping_table", "location_table", "function_table", "link_table", "string_table", "attribute_table", "stack_table",
		},
		fields: map[protowire.Number]field{1: sub(mapping), 2: sub(location), 3: sub(function), 4: sub(link), 6: sub(attribute), 7: sub(stack)},
	}
	return &shape{
		name: "ExportProfilesServiceRequest", names: []string{"resource_profiles", "dictionary"},
		fields: map[protowire.Number]field{1: sub(resourceProfiles), 2: sub(dictionary)},
	}
}

// budget is what parsing may still take.
type budget struct {
	left    int
	unknown string // the first field that the protocol does not have
}

var errMemory = errors.New("its parsed form would take too much memory; send smaller batches")

func (b *budget) spend(n int) error {
	if b.left -= n; b.left < 0 {
		return errMemory
	}
	return nil
}

// checkBounds refuses a request whose parsed form would take more than limit bytes,
// or whose messages are nested too deep, without parsing it. unknown names the first
// field that this version of the protocol does not have, "" where all are known.
func checkBounds(data []byte, limit int) (unknown string, err error) {
	b := &budget{left: limit}
	err = b.message(data, requestShape, 0, 0)
	return b.unknown, err
}

// knows tells whether the message type has a field of that number.
func (s *shape) knows(n protowire.Number) bool {
	return s.names == nil || int(n) <= len(s.names)
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
		if b.unknown == "" && !s.knows(n) {
			b.unknown = fmt.Sprintf("field %d of %s", n, s.name)
		}
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
		return fmt.Errorf("a sample has %d attributes; at most %d are accepted", ofSample, maxAttributes)
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
		err = fmt.Errorf("a resource has %d attributes; at most %d are accepted", n, maxAttributes)
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
