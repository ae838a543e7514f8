package passes

import (
	"slices"
	"testing"

	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

func TestTablesOfWholeNumbers(t *testing.T) {
	checkAll(t, map[string]written{
		"in Java": {"/me/A.java", `
class Histogram {
    private final Map<Integer, Integer> counts = new HashMap<>();
    void add(int micros) {
        Integer bucket = micros / width;
        Integer current = counts.get(bucket);  @1
        show(current);  @3
    }
}
`, "main add@1 java.util.HashMap.getNode", "add@3", profile.KindJava, RuleNumbered, "@1 counts"},
		"keys of text": {"/me/A.java", `
class Histogram {
    private final Map<String, Integer> counts = new HashMap<>();
    void add(String bucket) {
        Integer current = counts.get(bucket);  @1
        show(current);  @3
    }
}
`, "main add@1 java.util.HashMap.getNode", "add@3", profile.KindJava, "", ""},
		// What the JVM has inlined has the line of its caller, or one beside it.
		"a walk over another map": {"/me/A.java", `
class Histogram {
    private final Map<Integer, Integer> counts = new HashMap<>();
    void add(String text) {
        counts.merge(parse(text), 1, Integer::sum);  @1
        show(text);  @3
    }
}
`, "main add@1 java.util.TreeMap.successor(java.util.TreeMap$Entry)", "add@3", profile.KindJava, "", ""},
		"beside it": {"/me/A.java", `
class Histogram {
    private final Map<Integer, Integer> counts = new HashMap<>();
    void add(String text) {
        int at = parse(text);  @1
        counts.merge(at, 1, Integer::sum);
        show(text);  @3
    }
}
`, "main add@1 parsing.Text.parse", "main", profile.KindJava, "", ""},
		"in Rust": {"/me/a.rs", `
fn distances(edges: &HashMap<u32, Vec<u32>>) {
    for node in frontier {
        for &n in &edges[&node] {  @1
            show(n);  @3
        }
    }
}
`, "distances@1", "distances@3", profile.KindNative, RuleNumbered, "@1 edges"},
	})
}

// The type of an array is no table, though one of whole numbers is declared beside it.
func TestTypesAreNoTables(t *testing.T) {
	f, _ := text.Read("/me/A.java", []string{
		"class Count {",
		"    static int most(int[] values) {",
		"        Map<Integer, Integer> zones = new HashMap<>(); int[] seen = new int[9];",
		"        for (int v : values) zones.merge(v % 1000, 1, Integer::sum);",
		"    }",
		"}",
	})
	r := &reader{declared: map[fileForm][]int{}}
	if got := r.tablesIn(f, 4); !slices.Equal(got, []string{"zones"}) {
		t.Errorf("%q", got)
	}
}
