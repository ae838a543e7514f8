package variant

import (
	"strings"
	"testing"
)

func TestPlaces(t *testing.T) {
	vs := []Variant{{Name: "changed"}, {Name: "A=1"}}
	base, err := Places(vs, []string{"changed=../changed", "baseline=/old"})
	if err != nil || base != "/old" || vs[0].Dir != "../changed" || vs[1].Dir != "" {
		t.Errorf("%q, %+v, %v", base, vs, err)
	}
	for _, bad := range []string{"changed", "=x", "changed=", "other=x"} {
		if _, err := Places(vs, []string{bad}); err == nil || !strings.Contains(err.Error(), "invalid --dir") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A variant that sets a variable is called by it: its name has an equals sign.
func TestPlaceOfANameWithAnEqualsSign(t *testing.T) {
	vs := []Variant{{Name: "FAST"}, {Name: "FAST=1"}}
	if _, err := Places(vs, []string{"FAST=1=../one"}); err != nil || vs[0].Dir != "" || vs[1].Dir != "../one" {
		t.Errorf("%+v, %v", vs, err)
	}
}
