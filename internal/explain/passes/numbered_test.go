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
		"beside an array": {"/me/A.java", `
class Count {
    public static void main(String[] args) {
        Map<Integer, Integer> counts = new HashMap<>(); int[] seen = new int[9];
        for (int i = 0; i < n; i++) {
            counts.merge(i % 1000, 1, Integer::sum);  @1
            show(counts);  @3
        }
    }
}
`, "main@1 java.util.HashMap.merge", "main@3", profile.KindJava, RuleNumbered, "@1 has whole numbers"},
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
