package otlp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.opentelemetry.io/collector/pdata/pprofile"

	"whyhot/internal/profile"
)

// maxFile bounds what is read of one file: it is held in memory.
const maxFile = 1 << 30

// Tags of the protocol's outer messages.
const (
	tagResourceProfiles = 0x0a // ProfilesData.resource_profiles
	tagDictionary       = 0x12 // ProfilesData.dictionary
	tagResource         = 0x0a // ResourceProfiles.resource
	tagScopeProfiles    = 0x12 // ResourceProfiles.scope_profiles
	tagSchemaURL        = 0x1a // ResourceProfiles.schema_url
	tagLinkTable        = 0x22 // ProfilesDictionary.link_table
	tagStackTable       = 0x3a // ProfilesDictionary.stack_table, the last one
)

// Detect tells whether head, the first bytes of an uncompressed file, is the
// start of OTLP profiles: a protobuf message, length-prefixed messages as the
// Collector's file exporter writes them, or JSON.
func Detect(head []byte) bool {
	return detectProto(head) || detectProto(frame(head)) || DetectJSON(string(head[:min(len(head), 4<<10)]))
}

// blank is what may stand before and between JSON texts: white space and the
// bytes of a byte order mark.
const blank = " \t\r\n\xef\xbb\xbf"

// DetectJSON tells the same of the start of a JSON text.
func DetectJSON(text string) bool {
	trimmed := strings.TrimLeft(text, blank)
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return false
	}
	return strings.Contains(trimmed, `"resourceProfiles"`) || strings.Contains(trimmed, `"resource_profiles"`)
}

// detectProto looks at the first field. In a pprof file field 1 is a message of
// numbers, and field 2 one without a fourth field; writers that put the dictionary
// first put the last of its tables first, too.
func detectProto(head []byte) bool {
	if len(head) < 2 || head[0] != tagResourceProfiles && head[0] != tagDictionary {
		return false
	}
	size, n := binary.Uvarint(head[1:])
	if n <= 0 || size == 0 {
		return false
	}
	inner := head[1+n:]
	if uint64(len(inner)) > size {
		if next := inner[size]; next != tagResourceProfiles && next != tagDictionary {
			return false
		}
		inner = inner[:size]
	}
	if len(inner) < 2 {
		return false
	}
	first := inner[0]
	if head[0] == tagDictionary {
		if first < tagLinkTable || first > tagStackTable || first&7 != wireBytes {
			return false
		}
	} else if first != tagResource && first != tagScopeProfiles && first != tagSchemaURL {
		return false
	}
	size, n = binary.Uvarint(inner[1:])
	return n > 0 && (size <= uint64(len(inner)-1-n) || len(head) >= maxHead)
}

// wireBytes is the wire type of strings and messages.
const wireBytes = 2

// maxHead is how long a head is when the file may go on behind it.
const maxHead = 512

// frame is the first length-prefixed message, nil when there is none.
func frame(data []byte) []byte {
	if len(data) < 4 {
		return nil
	}
	size := binary.BigEndian.Uint32(data)
	if size == 0 || size > maxFile {
		return nil
	}
	return data[4:min(uint64(len(data)), 4+uint64(size))]
}

// Read reads OTLP profiles from r up to its end. Several requests in one file
// become one profile.
func Read(ctx context.Context, r io.Reader, o Options) (*profile.Profile, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("more than %d MiB of OTLP profiles in one file; split it", maxFile>>20)
	}
	return Unmarshal(ctx, data, o)
}

// Unmarshal converts the bytes of one file or request.
func Unmarshal(ctx context.Context, data []byte, o Options) (*profile.Profile, error) {
	d := newDecoder(o)
	for at := 0; at < len(data); {
		pd, n, err := next(data[at:])
		if err == nil {
			err = d.add(ctx, pd)
		}
		if err != nil {
			return nil, fmt.Errorf("OTLP profiles at byte %d: %w", at, err)
		}
		at += n
	}
	return d.profile()
}

// next parses the first request in data and tells how long it is.
func next(data []byte) (pd pprofile.Profiles, n int, err error) {
	switch {
	case data[0] == '{':
		n = len(data)
		if i := bytes.IndexByte(data, '\n'); i >= 0 && DetectJSON(string(data[i+1:min(len(data), i+4<<10)])) {
			n = i + 1 // one JSON object a line
		}
		pd, err = ParseJSON(data[:n])
	case blankPrefix(data) > 0:
		return pprofile.NewProfiles(), blankPrefix(data), nil
	case !detectProto(data) && detectProto(frame(data)):
		message := frame(data)
		if n = 4 + len(message); uint64(len(message)) < uint64(binary.BigEndian.Uint32(data)) {
			return pd, n, io.ErrUnexpectedEOF
		}
		pd, err = ParseProto(message)
	default:
		n = len(data)
		pd, err = ParseProto(data)
	}
	return pd, n, err
}

// blankPrefix is how much white space stands before a JSON text or the end. It is
// told from a protobuf message, the tag of whose first field is a line feed.
func blankPrefix(data []byte) int {
	n := 0
	for n < len(data) && strings.IndexByte(blank, data[n]) >= 0 {
		n++
	}
	if n < len(data) && data[n] != '{' || detectProto(data) {
		return 0
	}
	return n
}

// ParseProto parses the protobuf form of one request.
func ParseProto(data []byte) (pd pprofile.Profiles, err error) {
	defer guard(&err)
	return (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(data)
}

// ParseJSON parses the JSON form of one request.
func ParseJSON(data []byte) (pd pprofile.Profiles, err error) {
	defer guard(&err)
	return (&pprofile.JSONUnmarshaler{}).UnmarshalProfiles(data)
}

var errDamaged = errors.New("damaged: it has dangling references")

// guard turns a panic of the parser into an error: it follows the references of
// attributes without checking all of them.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = errDamaged
	}
}
