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
