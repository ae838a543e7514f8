package machine

import (
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
)

// getc has a form that is inlined; what an accessor of another library has, its header knows.
func TestStepsOfAStub(t *testing.T) {
	for path, want := range map[string][3]string{
		"/usr/lib/x86_64-linux-gnu/libc.so.6":        {"getc_unlocked", "inline form", "getc"},
		"/usr/lib/x86_64-linux-gnu/libm.so.6":        {"-msse4.1", "inline form", "floorf"},
		"/usr/lib/x86_64-linux-gnu/libgsl.so.27.0.0": {"inline form of gsl_matrix_get", "getc_unlocked", "gsl_matrix_get"},
	} {
		l := &Loop{callees: []callee{{name: want[2], path: path, size: 127, value: 5, count: 5}}}
		steps := strings.Join(withoutStub(l, analyzer.MachineMatch{}), "\n")
		if !strings.Contains(steps, want[0]) || strings.Contains(steps, want[1]) {
			t.Errorf("%s: %s", path, steps)
		}
	}
}

func TestStepsOfASum(t *testing.T) {
	for store, want := range map[string]bool{"": false, "4010": true} {
		m := analyzer.MachineMatch{Rule: "machine-float-sum", Facts: map[string]string{"store": store}}
		if got := len(inLocalSum(nil, m)) == 1; got != want {
			t.Errorf("stored at %q: %v", store, got)
		}
	}
}

func TestMathematicsHasNoInlineForm(t *testing.T) {
	for name, want := range map[string]bool{"__expf_fma": true, "pow": true, "__sin_fma4": true, "floorf": false, "__rint_sse41": false, "sqrt": false} {
		if got := isMathematics(callee{name: name, path: "/lib/x86_64-linux-gnu/libm.so.6"}); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if isMathematics(callee{name: "memcpy", path: "/lib/x86_64-linux-gnu/libc.so.6"}) {
		t.Error("memcpy")
	}
}
