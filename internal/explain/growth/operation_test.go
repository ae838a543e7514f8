package growth

import "testing"

// Expressions are compiled on use: one that is wrong would end the program then.
func TestExpressionsCompile(t *testing.T) {
	for _, rules := range [][]rule{primitives, idioms, builtIns} {
		for _, r := range rules {
			if r.name().MatchString("") {
				t.Errorf("%s is every function", r.kind)
			}
		}
	}
}
