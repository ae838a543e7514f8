package receive

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"

	"whyhot/internal/profile"
)

// Requests of versions from before versions were named: their fields are not ours.
func TestOtherVersions(t *testing.T) {
	var kept store
	_, endpoints := serve(t, Options{}, kept.take)
	url := endpoints["http"].String()
	profile := func(inner []byte) []byte { return wrap(1, wrap(2, wrap(2, inner))) }
	text := func(profile string) []byte {
		return []byte(`{"resourceProfiles":[{"scopeProfiles":[{"profiles":[` + profile + `]}]}]}`)
	}
	for name, c := range map[string]struct {
		kind      string
		body      []byte
		undated   int // the status where the sender names no version
		dated     int
		complaint string
	}{
		"attributes of a profile were field 12": {protobufType, profile(wrap(12, []byte{1})), 400, 200, "field 12 of Profile"},
		"its identity was field 8":              {protobufType, profile(wrap(8, make([]byte, 16))), 400, 400, "DroppedAttributesCount"},
		"a type had a third field":              {protobufType, profile(wrap(1, []byte{3 << 3, 1})), 400, 200, "field 3 of ValueType"},
		"the list was called sample":            {jsonType, text(`{"sample":[{"timestampsUnixNano":["1"]}]}`), 400, 200, `"sample" of Profile`},
		"names are exact":                       {jsonType, text(`{"SAMPLES":[]}`), 400, 200, `"SAMPLES" of Profile`},
		"either way of writing names":           {jsonType, text(`{"time_unix_nano":"1","durationNano":"2","samples":[]}`), 200, 200, ""},
		"attributes' own names are free":        {jsonType, []byte(`{"resourceProfiles":[{"resource":{"attributes":[{"key":"a","value":{"kvlistValue":{"values":[]}}}],"new":1}}]}`), 200, 200, ""},
	} {
		for _, dated := range []bool{false, true} {
			header := http.Header{"Content-Type": {c.kind}}
			want := c.undated
			if dated {
				header.Set(pprofileotlp.DevelopmentVersionHeader, pprofileotlp.DevelopmentVersion)
				want = c.dated
			}
			status, answer, _ := exchange(t, url, header, c.body)
			if status != want || status == 400 && !strings.Contains(answer, c.complaint) && !strings.Contains(answer, strings.ReplaceAll(c.complaint, `"`, `\"`)) {
				t.Errorf("%s, version named: %v: %d (%q), want %d", name, dated, status, answer, want)
			}
			if says := strings.Contains(answer, "another version of the protocol"); says != (status == 400 && !dated) {
				t.Errorf("%s, version named: %v: the answer speaks of versions: %v: %q", name, dated, says, answer)
			}
		}
	}
	if len(kept.batches) != 0 {
		t.Errorf("%d of them were handed on", len(kept.batches))
	}
}

// JSON is bounded before it is parsed.
func TestBoundsOfText(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
	}{
		"objects":   {`{"resourceProfiles":[` + strings.Repeat("{},", 1000) + `{}]}`, "memory"},
		"numbers":   {`{"a":[` + strings.Repeat("1,", 20_000) + `1]}`, "memory"},
		"text":      {`{"a":"` + strings.Repeat("a", 200_000) + `"}`, "memory"},
		"lists":     {`{"a":` + strings.Repeat("[", 1000), "deep"},
		"two texts": {`{} {}`, "more than one"},
		"two words": {`null 1`, "more than one"},
		"cut":       {`{"a":[`, "no JSON"},
		"bad":       {`{"a":]}`, "no JSON"},
		"nothing":   {``, ""},
		"fits":      {`{"dictionary":{"stringTable":["",null,"a"],"stackTable":[{"locationIndices":[1.5,true]}]}}`, ""},
	} {
		unknown, err := checkText([]byte(c.text), 100_000)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %q, %v; want %q", name, unknown, err, c.want)
		}
	}
}

// Few bytes that name a long stack often would be many once written down.
func TestSharedStacks(t *testing.T) {
	const samples, depth = 200, 100
	b := profile.NewBuilder()
	stack := b.Stack(make([]profile.LocationID, depth))
	for i := range samples {
		labels := b.Labels([]profile.Label{{Key: "n", Num: int64(i + 1)}})
		b.Sample(profile.Sample{Stack: stack, Labels: labels, Count: 1, Value: 1})
	}
	p := b.Build(profile.Meta{})
	for limit, refused := range map[int]bool{samples * depth: false, samples*depth - 1: true} {
		err := New(Options{MaxMessage: limit}, nil).checkFrames(p)
		if large := (*tooLargeError)(nil); errors.As(err, &large) != refused {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}
