package ebpf

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"go.opentelemetry.io/ebpf-profiler/libpf"
)

// tooDeep are the profiler's error numbers for stacks of more frames than it walks.
var tooDeep = map[int]bool{2: true, 5: true}

// recursion is the function that fills a deep stack by calling itself, "" where none
// has a quarter of the frames: the most frequent one that has a name already, which
// frames of interpreters have, and those of machine code have not.
func recursion(frames libpf.Frames) string {
	const part = 4
	counts := map[string]int{}
	for _, h := range frames {
		if f := h.Value(); !f.Type.IsError() {
			if name := f.FunctionName.String(); name != "" {
				counts[name]++
			}
		}
	}
	name := most(counts)
	if part*counts[name] < len(frames) || counts[name] < part {
		return ""
	}
	return name
}

// most is the key with the largest count, the first by name among equals.
func most[N cmp.Ordered](counts map[string]N) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// recursionText says which recursion makes most of the deep stacks, "" where no one does.
func (c *converter) recursionText() string {
	deep := int64(0)
	for code := range tooDeep {
		deep += c.cut[code]
	}
	name := most(c.recursions)
	if n := c.recursions[name]; n > 0 && 2*n >= deep {
		return fmt.Sprintf("; %s calls itself in %d of those that are too deep, so shares below it hold and its callers are missing", name, n)
	}
	return ""
}
