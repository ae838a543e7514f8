// Package wire is the protocol by which debug information is uploaded:
// parca.debuginfo.v1alpha1.DebuginfoService, which Parca and its relatives speak.
//
// It owns the names of the methods, the messages and their protobuf form. It takes and
// gives bytes and values. It must never import anything of ours.
//
// A client asks whether a file is wanted (ShouldInitiateUpload), announces it
// (InitiateUpload) and is told to stream it (Upload) or to PUT it to a URL, and says
// when that is done (MarkUploadFinished).
//
// Numbers of fields: parca-dev/parca, proto/parca/debuginfo/v1alpha1/debuginfo.proto.
package wire

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// The service and its methods.
const (
	Service        = "parca.debuginfo.v1alpha1.DebuginfoService"
	MethodShould   = "ShouldInitiateUpload"
	MethodInitiate = "InitiateUpload"
	MethodUpload   = "Upload"
	MethodFinished = "MarkUploadFinished"
)

// Path is a method as gRPC names it.
func Path(method string) string { return "/" + Service + "/" + method }

// TypeDebuginfo is the kind of file that debug information is; other numbers are
// programs, sources and source maps.
const TypeDebuginfo = 0

// Kinds of build ID.
const (
	IDUnknown = 0
	IDGNU     = 1
)

// Ways to upload.
const (
	ByGRPC      = 1
	BySignedURL = 2
)

// ReasonInProgress is the reason by which clients of the protocol know that somebody
// else is uploading the file, and that they may ask again later.
const ReasonInProgress = "A previous upload is still in-progress and not stale yet (only stale uploads can be retried)."

// ShouldRequest asks whether a file is wanted.
type ShouldRequest struct {
	BuildID, Hash string
	Force         bool
	Type, IDType  int64
}

// ShouldResponse says so.
type ShouldResponse struct {
	Should bool
	Reason string
}

// InitiateRequest announces a file.
type InitiateRequest struct {
	BuildID      string
	Size         int64
	Hash         string
	Force        bool
	Type, IDType int64
}

// InitiateResponse says how to upload it.
type InitiateResponse struct {
	Instructions Instructions
	Has          bool
}

// Instructions are the way and what it needs.
type Instructions struct {
	BuildID, UploadID string
	Strategy          int64
	SignedURL         string
	Type              int64
}

// UploadRequest is one message of the stream: Info first, then Chunk by Chunk.
type UploadRequest struct {
	Info    UploadInfo
	HasInfo bool
	Chunk   []byte
}

// UploadInfo says what the chunks are.
type UploadInfo struct {
	BuildID, UploadID string
	Type              int64
}

// UploadResponse ends the stream.
type UploadResponse struct {
	BuildID string
	Size    int64
}

// FinishedRequest says that the upload is done.
type FinishedRequest struct {
	BuildID, UploadID string
	Type              int64
}

// FinishedResponse is empty.
type FinishedResponse struct{}

// Message is one of the above.
type Message interface{ fields() []field }

// field is a place in a message: a *string, *bool, *int64, *[]byte, or a Message with
// the mark of its presence.
type field struct {
	number protowire.Number
	value  any
	has    *bool
}

func (m *ShouldRequest) fields() []field {
	return []field{{1, &m.BuildID, nil}, {2, &m.Hash, nil}, {3, &m.Force, nil}, {4, &m.Type, nil}, {5, &m.IDType, nil}}
}

func (m *ShouldResponse) fields() []field { return []field{{1, &m.Should, nil}, {2, &m.Reason, nil}} }

func (m *InitiateRequest) fields() []field {
	return []field{
		{1, &m.BuildID, nil}, {2, &m.Size, nil}, {3, &m.Hash, nil}, {4, &m.Force, nil}, {5, &m.Type, nil}, {6, &m.IDType, nil},
	}
}

func (m *InitiateResponse) fields() []field { return []field{{1, &m.Instructions, &m.Has}} }

func (m *Instructions) fields() []field {
	return []field{{1, &m.BuildID, nil}, {2, &m.UploadID, nil}, {3, &m.Strategy, nil}, {4, &m.SignedURL, nil}, {5, &m.Type, nil}}
}

func (m *UploadRequest) fields() []field {
	return []field{{1, &m.Info, &m.HasInfo}, {2, &m.Chunk, nil}}
}

func (m *UploadInfo) fields() []field {
	return []field{{1, &m.BuildID, nil}, {2, &m.UploadID, nil}, {3, &m.Type, nil}}
}

func (m *UploadResponse) fields() []field { return []field{{1, &m.BuildID, nil}, {2, &m.Size, nil}} }

func (m *FinishedRequest) fields() []field {
	return []field{{1, &m.BuildID, nil}, {2, &m.UploadID, nil}, {3, &m.Type, nil}}
}

func (*FinishedResponse) fields() []field { return nil }

// Marshal encodes a message. Empty fields are left out.
func Marshal(m Message) []byte {
	out := []byte{} // not nil: an empty message is one
	for _, f := range m.fields() {
		switch v := f.value.(type) {
		case *string:
			if *v != "" {
				out = protowire.AppendString(protowire.AppendTag(out, f.number, protowire.BytesType), *v)
			}
		case *[]byte:
			if len(*v) > 0 {
				out = protowire.AppendBytes(protowire.AppendTag(out, f.number, protowire.BytesType), *v)
			}
		case *bool:
			if *v {
				out = protowire.AppendVarint(protowire.AppendTag(out, f.number, protowire.VarintType), 1)
			}
		case *int64:
			if *v != 0 {
				out = protowire.AppendVarint(protowire.AppendTag(out, f.number, protowire.VarintType), uint64(*v))
			}
		case Message:
			if *f.has {
				out = protowire.AppendBytes(protowire.AppendTag(out, f.number, protowire.BytesType), Marshal(v))
			}
		}
	}
	return out
}

// Unmarshal decodes a message. Fields that are not known are passed over; a chunk is a
// part of data.
func Unmarshal(data []byte, m Message) error {
	fields := m.fields()
	for at := 0; at < len(data); {
		number, typ, n := protowire.ConsumeTag(data[at:])
		if n < 0 {
			return fmt.Errorf("byte %d: %w", at, protowire.ParseError(n))
		}
		value := data[at+n:]
		size := protowire.ConsumeFieldValue(number, typ, value)
		if size < 0 {
			return fmt.Errorf("field %d at byte %d: %w", number, at, protowire.ParseError(size))
		}
		for _, f := range fields {
			if f.number != number {
				continue
			}
			if err := f.set(typ, value); err != nil {
				return fmt.Errorf("field %d at byte %d: %w", number, at, err)
			}
		}
		at += n + size
	}
	return nil
}

// set reads a value whose size was checked.
func (f *field) set(typ protowire.Type, data []byte) error {
	want := protowire.VarintType
	switch f.value.(type) {
	case *string, *[]byte, Message:
		want = protowire.BytesType
	}
	if typ != want {
		return fmt.Errorf("wire type %d where %d belongs", typ, want)
	}
	if want == protowire.VarintType {
		n, _ := protowire.ConsumeVarint(data)
		switch v := f.value.(type) {
		case *bool:
			*v = n != 0
		case *int64:
			*v = int64(n)
		}
		return nil
	}
	b, _ := protowire.ConsumeBytes(data)
	switch v := f.value.(type) {
	case *string:
		*v = string(b)
	case *[]byte:
		*v = b
	case Message:
		*f.has = true
		return Unmarshal(b, v)
	}
	return nil
}
