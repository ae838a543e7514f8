package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestLookedUpTwice(t *testing.T) {
	checkAll(t, map[string]written{
		"Java": {"/me/A.java", `
class A {
  static void main(List<String> words) {
    for (String w : words) {
      if (counts.containsKey(w)) counts.put(w, counts.get(w) + 1);  @1
      else counts.put(w, 1);
    }
  }
  static void other() {
    use();  @2
  }
}
`, "main@1 java.util.HashMap.getNode", "other@2", profile.KindJava, RuleTwice, "@1 again"},
		"the line behind": {"/me/a.go", `
func main() {
	for _, w := range words {
		if _, ok := index[w]; ok {  @1
			use(index[w])  @3
		}
	}
	other()  @2
}
`, "main@1 runtime.mapaccess2_faststr", "main@2", profile.KindNative, RuleTwice, "@1 again"},
		"C++": {"/me/a.cc", `
void main() {
  for (const auto &w : words)
    if (index.count(w) > 0) total += index.at(w);  @1
  other();  @2
}
`, "main@1 std::_Hashtable<int>::find", "main@2", profile.KindNative, RuleTwice, "@1 again"},
		"a string of C++": {"/me/a.cc", `
void main() {
  for (const auto &w : words)
    if (line.find(w) != npos) line.erase(w);  @1
  other();  @2
}
`, "main@1 memchr", "main@2", profile.KindNative, "", ""},
		"another key": {"/me/A.java", `
class A {
  static void main(List<String> words) {
    for (String w : words) {
      if (counts.containsKey(w)) use(names.get(w));  @1
    }
  }
  static void other() {
    use();  @2
  }
}
`, "main@1 java.util.HashMap.getNode", "other@2", profile.KindJava, "", ""},
	})
}
