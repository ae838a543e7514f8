package passes

import (
	"testing"

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
`, "main add@1 java.util.HashMap.getNode", "add@3", profile.KindJava, RuleNumbered, "@1 has whole numbers"},
		"keys of text": {"/me/A.java", `
class Histogram {
    private final Map<String, Integer> counts = new HashMap<>();
    void add(String bucket) {
        Integer current = counts.get(bucket);  @1
        show(current);  @3
    }
}
`, "main add@1 java.util.HashMap.getNode", "add@3", profile.KindJava, "", ""},
		"in Rust": {"/me/a.rs", `
fn distances(edges: &HashMap<u32, Vec<u32>>) {
    for node in frontier {
        for &n in &edges[&node] {  @1
            show(n);  @3
        }
    }
}
`, "distances@1", "distances@3", profile.KindNative, RuleNumbered, "@1 has whole numbers"},
	})
}
