package push

import (
	"bytes"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"whyhot/internal/store/batch"
)

func field(n protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), value)
}

func pairOf(name, value string) []byte {
	return slices.Concat(field(1, []byte(name)), field(2, []byte(value)))
}

// Both protocols have labels and profiles; they differ in where.
func TestSeriesOfBothProtocols(t *testing.T) {
	raw := slices.Concat(field(1, []byte("PROFILE")), field(2, []byte("id-1")))
	pyroscope := field(1, slices.Concat(field(1, pairOf("a", "b")), field(1, pairOf("c", "d")), field(2, raw), field(3, []byte("annotation"))))
	parca := slices.Concat(
		field(1, []byte("tenant")),
		field(2, slices.Concat(field(1, slices.Concat(field(1, pairOf("a", "b")), field(1, pairOf("c", "d")))), field(2, raw))),
		protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), 1),
	)
	for name, c := range map[string]struct {
		data []byte
		read func([]byte) ([]Series, error)
	}{"pyroscope": {pyroscope, ReadPyroscope}, "parca": {parca, ReadParca}} {
		got, err := c.read(c.data)
		if err != nil || len(got) != 1 || !maps.Equal(got[0].Labels, map[string]string{"a": "b", "c": "d"}) ||
			len(got[0].Profiles) != 1 || string(got[0].Profiles[0].Data) != "PROFILE" || got[0].Profiles[0].ID != "id-1" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		for cut := 1; cut < len(c.data); cut++ {
			if got, err := c.read(c.data[:cut]); err == nil && len(got) > 0 && len(got[0].Profiles) > 0 && string(got[0].Profiles[0].Data) != "PROFILE" {
				t.Errorf("%s cut at %d: %+v", name, cut, got)
			}
		}
	}
}

func TestBoundsOfSeries(t *testing.T) {
	many := bytes.Repeat(field(1, nil), maxSeriesOf+1)
	if _, err := ReadPyroscope(many); err == nil || !strings.Contains(err.Error(), "series") {
		t.Errorf("%v", err)
	}
	if _, err := ReadPyroscope(field(1, bytes.Repeat(field(2, nil), maxProfileOf+1))); err == nil || !strings.Contains(err.Error(), "profiles") {
		t.Errorf("%v", err)
	}
	var labels []byte
	for i := range maxLabelsOf + 1 {
		labels = append(labels, field(1, pairOf(strings.Repeat("x", i+1), ""))...)
	}
	if _, err := ReadPyroscope(field(1, labels)); err == nil || !strings.Contains(err.Error(), "labels") {
		t.Errorf("%v", err)
	}
}

func TestLabels(t *testing.T) {
	got := labelsOf(map[string]string{"__name__": "process_cpu", "app": "b", "service_name": "a", "hostname": "h", "pod": "p", "version": "1", "region": "eu"})
	if tags := slices.Collect(maps.Values(maps.Collect(got.Tags.All))); len(tags) != 4 || got.Tags.Get("pod") != "p" || got.Tags.Get("region") != "eu" || got.Tags.Get("app") != "b" {
		t.Errorf("%q", got.Tags)
	}
	got.Tags = ""
	if want := (batch.Labels{Service: "a", Version: "1", Host: "h", Container: "p"}); got != want {
		t.Errorf("%+v", got)
	}
	for name, want := range map[string]bool{"": true, "process_cpu": true, "parca_agent": true, "memory": false, "mutex": false, "goroutines": false, "other": true, "parca_agent_cpu": true} {
		if got := isCPU(map[string]string{"__name__": name}); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestNamesAndTimes(t *testing.T) {
	name, tags, err := splitName(`app.cpu{region=eu, host="a",}`)
	if err != nil || name != "app.cpu" || !maps.Equal(tags, map[string]string{"region": "eu", "host": "a"}) {
		t.Errorf("%q %v %v", name, tags, err)
	}
	want := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for _, text := range []string{"1795341600", "1795341600000", "1795341600000000", "1795341600000000000"} {
		if got, err := unixTime(text); err != nil || !got.Equal(want) {
			t.Errorf("%s: %s, %v", text, got.UTC(), err)
		}
	}
}

// Whatever is sent, it is read or refused.
func FuzzSeries(f *testing.F) {
	f.Add(field(1, slices.Concat(field(1, pairOf("a", "b")), field(2, field(1, []byte("x"))))))
	f.Add(field(2, field(1, field(1, pairOf("a", "b")))))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func([]byte) ([]Series, error){ReadPyroscope, ReadParca} {
			all, err := read(data)
			size := 0
			for _, s := range all {
				for _, p := range s.Profiles {
					size += len(p.Data)
				}
			}
			if err == nil && size > len(data) {
				t.Errorf("%d bytes of profiles in %d", size, len(data))
			}
		}
	})
}

func FuzzIngestQuery(f *testing.F) {
	f.Add("name=app.cpu{a=b}&from=1&sampleRate=100")
	f.Fuzz(func(t *testing.T, text string) {
		query, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		if name, tags, err := splitName(query.Get("name")); err == nil && (name == "" || len(tags) > maxLabelsOf) {
			t.Errorf("%q %v", name, tags)
		}
		_, _ = unixTime(query.Get("from")) // it must not panic
	})
}
