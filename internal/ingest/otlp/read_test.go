package otlp

import (
	"context"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pprofile"
	"google.golang.org/protobuf/encoding/protowire"

	"whyhot/internal/profile"
)

func TestFormsOfOneRequest(t *testing.T) {
	want := rows(decode(t, example(), Options{}))
	proto, err := (&pprofile.ProtoMarshaler{}).MarshalProfiles(example().pd)
	if err != nil {
		t.Fatal(err)
	}
	text, err := (&pprofile.JSONMarshaler{}).MarshalProfiles(example().pd)
	if err != nil {
		t.Fatal(err)
	}
	framed := append(binary.BigEndian.AppendUint32(nil, uint32(len(proto))), proto...)
	for name, c := range map[string]struct {
		data  []byte
		times int64
	}{
		"protobuf": {proto, 1}, "JSON": {text, 1}, "framed": {framed, 1}, "two frames": {append(slices.Clone(framed), framed...), 2},
		"JSON lines": {[]byte(string(text) + "\n" + string(text) + "\n"), 2}, "JSON with a mark": {append([]byte("\xef\xbb\xbf\n"), text...), 1},
	} {
		if !Detect(c.data) || !Detect(c.data[:600]) {
			t.Errorf("%s is not recognised", name)
		}
		p, err := Read(t.Context(), strings.NewReader(string(c.data)), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Count() != 4*c.times || len(rows(p)) != len(want) {
			t.Errorf("%s: %d samples, %q", name, p.Count(), rows(p))
		}
	}
}

// The tag of a request's first field is a line feed, and its length may be a brace.
func TestRequestsThatBeginLikeText(t *testing.T) {
	for _, size := range []int{0, 1, '\n', ' ', '{', 300} {
		a := example()
		rp := a.pd.ResourceProfiles().AppendEmpty()
		rp.SetSchemaUrl(strings.Repeat("s", size)) // its length is size + 2
		proto, err := (&pprofile.ProtoMarshaler{}).MarshalProfiles(a.pd)
		if err != nil {
			t.Fatal(err)
		}
		// The last resource first, as any order is allowed.
		last := protowire.AppendBytes([]byte{tagResourceProfiles}, append(protowire.AppendVarint([]byte{tagSchemaURL}, uint64(size)), rp.SchemaUrl()...))
		proto = append(last, proto...)
		p, err := Unmarshal(t.Context(), proto, Options{})
		if err != nil || p.Count() != 4 {
			t.Errorf("a schema of %d bytes first: %v", size, err)
		}
		if !Detect(proto) {
			t.Errorf("a schema of %d bytes first is not recognised", size)
		}
	}
}

func TestOtherFilesAreNotOTLP(t *testing.T) {
	for _, head := range []string{"", "\x0a", "\x0a\x04\x08\x01\x10\x02\x12\x00", "main;f 1\n", `{"nodes":[]}`, "\x0a\x02\x0a\x7f", "\x0a\x00"} {
		if Detect([]byte(head)) {
			t.Errorf("%q is taken for OTLP", head)
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	proto, err := (&pprofile.ProtoMarshaler{}).MarshalProfiles(example().pd)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"cut":       string(proto[:len(proto)-3]),
		"cut frame": string(binary.BigEndian.AppendUint32(nil, uint32(len(proto)))) + string(proto[:len(proto)-3]),
		"JSON":      `{"resourceProfiles":[{`,
		"nothing":   "",
	} {
		if _, err := Unmarshal(t.Context(), []byte(data), Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	proto, err := (&pprofile.ProtoMarshaler{}).MarshalProfiles(example().pd)
	if err != nil {
		f.Fatal(err)
	}
	text, err := (&pprofile.JSONMarshaler{}).MarshalProfiles(example().pd)
	if err != nil {
		f.Fatal(err)
	}
	recorded, err := os.ReadFile("testdata/ebpf-profiler.pb")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(recorded)
	f.Add(proto)
	f.Add(text)
	f.Add(append(binary.BigEndian.AppendUint32(nil, uint32(len(proto))), proto...))
	f.Fuzz(func(t *testing.T, data []byte) {
		Detect(data)
		p, err := Unmarshal(context.Background(), data, Options{KeepTime: len(data)%2 == 0})
		if err != nil {
			return
		}
		for i := range p.NumLocations() {
			l := p.Location(profile.LocationID(i))
			m := p.Mapping(l.Mapping)
			if l.Mapping != 0 && l.Address != 0 && m.Limit > m.Start && (l.Address < m.Start || l.Address >= m.Limit) {
				t.Fatalf("address %#x outside %+v", l.Address, m)
			}
		}
		if _, err := Marshal(p); err != nil {
			t.Fatal(err)
		}
	})
}
