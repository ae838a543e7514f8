package otlp

import (
	"bytes"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Collector that joins requests does not carry references of resources over.
func TestResourcesAreWrittenOut(t *testing.T) {
	a := example()
	resource := a.pd.ResourceProfiles().At(0).Resource().Attributes()
	resource.PutStr("host.name", "there")
	resource.PutEmpty("nothing")
	want := decode(t, a, Options{})
	data, err := MarshalProto(a.pd)
	if err != nil {
		t.Fatal(err)
	}
	// Without its dictionary, only what stands in the resources is left.
	w := writer{}
	w.each(data, func(n protowire.Number, whole, _ []byte) {
		if n != fieldResourceProfiles {
			return
		}
		for _, text := range []string{attrPID, attrExecutable, "python3.11", "host.name", "there"} {
			if !bytes.Contains(whole, []byte(text)) {
				t.Errorf("%q is not in the resource", text)
			}
		}
	})
	got, err := Unmarshal(t.Context(), data, Options{})
	if err != nil || strings.Join(rows(got), "\n") != strings.Join(rows(want), "\n") {
		t.Errorf("%v\ngot  %q\nwant %q", err, rows(got), rows(want))
	}
}
