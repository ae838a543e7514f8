package wire

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	for _, m := range []Message{
		&ShouldRequest{BuildID: "ab", Hash: "h", Force: true, Type: 2, IDType: 1},
		&ShouldResponse{Should: true, Reason: "new"},
		&InitiateRequest{BuildID: "ab", Size: 1 << 40, Hash: "h", Force: true, Type: 1, IDType: 3},
		&InitiateResponse{Has: true, Instructions: Instructions{BuildID: "ab", UploadID: "u", Strategy: 2, SignedURL: "https://x", Type: 1}},
		&InitiateResponse{Has: true},
		&UploadRequest{HasInfo: true, Info: UploadInfo{BuildID: "ab", UploadID: "u", Type: 1}},
		&UploadRequest{Chunk: []byte{0, 1, 2}},
		&UploadResponse{BuildID: "ab", Size: 3},
		&FinishedRequest{BuildID: "ab", UploadID: "u"},
		&FinishedResponse{},
	} {
		got, ok := reflect.TypeAssert[Message](reflect.New(reflect.TypeOf(m).Elem()))
		if !ok {
			t.Fatal("no message")
		}
		if err := Unmarshal(Marshal(m), got); err != nil || !reflect.DeepEqual(m, got) {
			t.Errorf("%+v became %+v, %v", m, got, err)
		}
	}
}

// The bytes are those that protoc's encoder gives for the published schema
// (protoscope: 1:"ab" 3:1 4:1 5:1).
func TestBytes(t *testing.T) {
	got := hex.EncodeToString(Marshal(&ShouldRequest{BuildID: "ab", Force: true, Type: 1, IDType: IDGNU}))
	if want := "0a026162" + "1801" + "2001" + "2801"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var m ShouldRequest
	unknown, _ := hex.DecodeString("0a026162" + "fa01" + "03010203" + "39" + "0102030405060708")
	if err := Unmarshal(unknown, &m); err != nil || m.BuildID != "ab" {
		t.Errorf("with fields of a later version: %+v, %v", m, err)
	}
}

func TestMalformed(t *testing.T) {
	for _, text := range []string{"0a05", "0a", "08", "0801", "0aff", "ffffffffffffffffffff01"} {
		data, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := Unmarshal(data, &UploadRequest{}); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	f.Add(Marshal(&UploadRequest{HasInfo: true, Info: UploadInfo{BuildID: "ab", UploadID: "u"}}))
	f.Add(Marshal(&UploadRequest{Chunk: []byte("data")}))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, m := range []Message{&ShouldRequest{}, &InitiateRequest{}, &InitiateResponse{}, &UploadRequest{}, &FinishedRequest{}} {
			if Unmarshal(data, m) != nil {
				continue
			}
			again, ok := reflect.TypeAssert[Message](reflect.New(reflect.TypeOf(m).Elem()))
			if !ok {
				t.Fatal("no message")
			}
			if err := Unmarshal(Marshal(m), again); err != nil || !bytes.Equal(Marshal(m), Marshal(again)) {
				t.Fatalf("%+v became %+v, %v", m, again, err)
			}
		}
	})
}
