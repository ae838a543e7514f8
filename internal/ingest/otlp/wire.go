package otlp

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pprofile"
	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of the protocol's common messages.
const (
	fieldResourceProfiles = 1 // ProfilesData
	fieldResource         = 1 // ResourceProfiles
	fieldAttributes       = 1 // Resource
	fieldKey              = 1 // KeyValue
	fieldValue            = 2
	fieldKeyIndex         = 3
	fieldText             = 1 // AnyValue
	fieldTextIndex        = 8
)

// MarshalProto gives the protobuf form of a request. The names of its resources'
// attributes, and the values that are text, are written out, where pdata writes
// indices into the string table: Collectors up to 0.162 keep such indices when they
// join requests, whose tables differ, and so mix up the processes. It changes pd.
func MarshalProto(pd pprofile.Profiles) ([]byte, error) {
	data, err := (&pprofile.ProtoMarshaler{}).MarshalProfiles(pd)
	if err != nil {
		return nil, fmt.Errorf("encoding as OTLP: %w", err)
	}
	w := writer{texts: pd.Dictionary().StringTable().AsRaw()}
	return w.within(data, fieldResourceProfiles, func(rp []byte) []byte {
		return w.within(rp, fieldResource, func(r []byte) []byte {
			return w.within(r, fieldAttributes, w.attribute)
		})
	}), w.err
}

// writer rewrites messages.
type writer struct {
	texts []string
	err   error
}

// within copies a message with the fields of that number changed.
func (w *writer) within(message []byte, field protowire.Number, change func([]byte) []byte) []byte {
	out := make([]byte, 0, len(message)+len(message)/8)
	w.each(message, func(n protowire.Number, whole, inner []byte) {
		if n != field {
			out = append(out, whole...)
			return
		}
		out = protowire.AppendTag(out, n, protowire.BytesType)
		out = protowire.AppendBytes(out, change(inner))
	})
	return out
}

// each calls f with every field of a message, with its tag and, of a field of bytes,
// its content.
func (w *writer) each(message []byte, f func(n protowire.Number, whole, inner []byte)) {
	for len(message) > 0 && w.err == nil {
		n, kind, size := protowire.ConsumeField(message)
		if size < 0 {
			w.err = protowire.ParseError(size)
			return
		}
		var inner []byte
		if kind == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(message)
			inner, _ = protowire.ConsumeBytes(message[tag:])
		}
		f(n, message[:size], inner)
		message = message[size:]
	}
}

// attribute writes out the name and the value of a KeyValue.
func (w *writer) attribute(kv []byte) []byte {
	var out []byte
	w.each(kv, func(n protowire.Number, whole, inner []byte) {
		if n == fieldKeyIndex {
			out = w.text(out, fieldKey, whole)
			return
		}
		if n != fieldValue {
			out = append(out, whole...)
			return
		}
		out = protowire.AppendTag(out, n, protowire.BytesType)
		out = protowire.AppendBytes(out, w.value(inner))
	})
	return out
}

func (w *writer) value(v []byte) []byte {
	var out []byte
	w.each(v, func(n protowire.Number, whole, _ []byte) {
		if n == fieldTextIndex {
			out = w.text(out, fieldText, whole)
			return
		}
		out = append(out, whole...)
	})
	return out
}

// text appends the text that a field with an index means.
func (w *writer) text(to []byte, field protowire.Number, index []byte) []byte {
	_, _, tag := protowire.ConsumeTag(index)
	i, size := protowire.ConsumeVarint(index[tag:])
	if size < 0 || i >= uint64(len(w.texts)) {
		w.err = fmt.Errorf("encoding as OTLP: index %d into string_table, which has %d rows", i, len(w.texts))
		return to
	}
	return protowire.AppendString(protowire.AppendTag(to, field, protowire.BytesType), w.texts[i])
}
