// Package rawcodec lets gRPC carry messages that are bytes already.
//
// It owns one codec: a message is a []byte to send and a *[]byte to fill, in
// protobuf's wire format. A sender then need not parse what it stored, and a
// receiver parses under its own limits. It imports nothing of ours.
package rawcodec

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// Codec implements encoding.CodecV2.
type Codec struct{}

var _ encoding.CodecV2 = Codec{}

// Name implements encoding.CodecV2: on the wire these are protobuf messages.
func (Codec) Name() string { return "proto" }

// Marshal implements encoding.CodecV2.
func (Codec) Marshal(v any) (mem.BufferSlice, error) {
	data, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("a message of type %T, not bytes", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(data)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (Codec) Unmarshal(data mem.BufferSlice, v any) error {
	to, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("a message of type %T, not bytes", v)
	}
	*to = data.Materialize()
	return nil
}
