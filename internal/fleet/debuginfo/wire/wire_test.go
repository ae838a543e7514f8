package wire

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
)

// messages are those whose bytes testdata/handwritten.txt has, as an encoder wrote
// them that was not generated.
func messages() map[string]proto.Message {
	all := make([]byte, 300)
	for i := range all {
		all[i] = byte(i)
	}
	instructions := &UploadInstructions{BuildId: "ab", UploadId: "u", UploadStrategy: UploadInstructions_UPLOAD_STRATEGY_SIGNED_URL, SignedUrl: "https://x", Type: 1}
	return map[string]proto.Message{
		"should":                                &ShouldInitiateUploadRequest{BuildId: "ab", Hash: "h", Force: true, Type: 2, BuildIdType: BuildIDType_BUILD_ID_TYPE_GNU},
		"should/plain":                          &ShouldInitiateUploadRequest{BuildId: strings.Repeat("0f", 20), Hash: "full-" + strings.Repeat("a", 64), BuildIdType: 1},
		"should/empty":                          &ShouldInitiateUploadRequest{},
		"should/negative enum":                  &ShouldInitiateUploadRequest{BuildId: "ab", Type: -1},
		"should answer":                         &ShouldInitiateUploadResponse{ShouldInitiateUpload: true, Reason: "new"},
		"should answer/in progress":             &ShouldInitiateUploadResponse{Reason: ReasonInProgress},
		"should answer/empty":                   &ShouldInitiateUploadResponse{},
		"initiate":                              &InitiateUploadRequest{BuildId: "ab", Size: 1 << 40, Hash: "h", Force: true, Type: 1, BuildIdType: BuildIDType_BUILD_ID_TYPE_GO},
		"initiate/negative size":                &InitiateUploadRequest{BuildId: "ab", Size: -1},
		"initiate answer":                       &InitiateUploadResponse{UploadInstructions: instructions},
		"initiate answer/stream":                &InitiateUploadResponse{UploadInstructions: &UploadInstructions{BuildId: "ab", UploadId: "u", UploadStrategy: UploadInstructions_UPLOAD_STRATEGY_GRPC}},
		"initiate answer/no instructions in it": &InitiateUploadResponse{UploadInstructions: &UploadInstructions{}},
		"initiate answer/empty":                 &InitiateUploadResponse{},
		"upload/info":                           &UploadRequest{Data: &UploadRequest_Info{&UploadInfo{BuildId: "ab", UploadId: "u", Type: 1}}},
		"upload/empty info":                     &UploadRequest{Data: &UploadRequest_Info{&UploadInfo{}}},
		"upload/chunk":                          &UploadRequest{Data: &UploadRequest_ChunkData{[]byte{0, 1, 2}}},
		"upload/longer chunk":                   &UploadRequest{Data: &UploadRequest_ChunkData{all}},
		"upload answer":                         &UploadResponse{BuildId: "ab", Size: 3},
		"upload answer/large":                   &UploadResponse{BuildId: "ab", Size: 1 << 40},
		"finished":                              &MarkUploadFinishedRequest{BuildId: "ab", UploadId: "u", Type: 1},
		"finished answer":                       &MarkUploadFinishedResponse{},
	}
}

// The bytes are those that earlier versions of whyhot write and read.
func TestBytes(t *testing.T) {
	f, err := os.Open("testdata/handwritten.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := messages()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), ": ")
		m := want[name]
		if m == nil {
			t.Fatalf("no message %q", name)
		}
		delete(want, name)
		if data, err := proto.Marshal(m); err != nil || hex.EncodeToString(data) != text {
			t.Errorf("%s: %x, %v, want %s", name, data, err, text)
		}
		data, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		read := m.ProtoReflect().New().Interface()
		if err := proto.Unmarshal(data, read); err != nil || !proto.Equal(read, m) {
			t.Errorf("%s: %v, %v", name, read, err)
		}
	}
	for name := range want {
		t.Errorf("no bytes of %q", name)
	}
}

// Fields of a later version do no harm.
func TestUnknownFields(t *testing.T) {
	data, err := hex.DecodeString("0a026162" + "fa01" + "03010203" + "39" + "0102030405060708")
	if err != nil {
		t.Fatal(err)
	}
	var m ShouldInitiateUploadRequest
	if err := proto.Unmarshal(data, &m); err != nil || m.GetBuildId() != "ab" {
		t.Errorf("%v, %v", &m, err)
	}
}

// What is committed is what the .proto file gives.
func TestGeneratedCodeIsUpToDate(t *testing.T) {
	const place = "internal/fleet/debuginfo/wire"
	// Another process reads these; go test repeats a test only when a file that the test
	// itself has read is another.
	for _, path := range []string{"debuginfo.proto", "../../../../tools/protobuf/main.go", "../../../../tools/protobuf/go.mod"} {
		if _, err := os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	out := t.TempDir()
	//nolint:noctx // ends with the test
	cmd := exec.Command("go", "-C", "../../../../tools/protobuf", "run", ".", "-root", "../..", "-out", out, place+"/debuginfo.proto")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	made, err := filepath.Glob(filepath.Join(out, place, "*.go"))
	if err != nil || len(made) != 2 {
		t.Fatalf("%v, %v", made, err)
	}
	for _, path := range made {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Base(path)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is stale, %v: go generate ./%s", filepath.Base(path), err, place)
		}
	}
}
