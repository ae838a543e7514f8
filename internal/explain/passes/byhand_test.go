package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestSortsByHand(t *testing.T) {
	checkAll(t, map[string]written{
		"bubbles of C": {"/me/a.c", `
static void arrange(struct rec *r, int n) {
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - 1 - i; j++)
      if (r[j].key > r[j + 1].key) {  @1
        struct rec t = r[j];
        r[j] = r[j + 1];
        r[j + 1] = t;
      }
  show(r);  @3
}
`, "arrange@1", "arrange@3", profile.KindNative, RuleByHand, "@1 sorted by"},
		"of Python": {"/me/a.py", `
def arrange(rows):
    for i in range(len(rows)):
        for j in range(len(rows) - 1 - i):
            if rows[j].due > rows[j + 1].due:  @1
                rows[j], rows[j + 1] = rows[j + 1], rows[j]
    show(rows)  @3
`, "arrange@1", "arrange@3", profile.KindPython, RuleByHand, "@1 sorted by"},
		"an insertion of Java": {"/me/A.java", `
class A {
  void arrange(int[] a) {
    for (int i = 1; i < a.length; i++) {
      int key = a[i];
      int j = i - 1;
      while (j >= 0 && a[j] > key) {
        a[j + 1] = a[j];  @1
        j--;
      }
      a[j + 1] = key;
    }
    show(a);  @3
  }
}
`, "arrange@1", "arrange@3", profile.KindJava, RuleByHand, "@1 sorted by"},
		"the least of neighbours": {"/me/a.c", `
static void relax(int *d, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      if (d[j - 1] < d[j])
        d[j] = d[j - 1];  @1
  show(d);  @3
}
`, "relax@1", "relax@3", profile.KindNative, "", ""},
		"a heap": {"/me/a.c", `
static void sift(int *h, int n) {
  for (int i = 0; i < n; i++)
    for (int c = i; c > 0; c = (c - 1) / 2)
      if (h[c] > h[i]) {  @1
        swap(h[c], h[i]);
      }
  show(h);  @3
}
`, "sift@1", "sift@3", profile.KindNative, "", ""},
		"elements that move up": {"/me/a.c", `
static void shift(int *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = n - 1; j > 0; j--)
      a[j] = a[j - 1];  @1
  show(a);  @3
}
`, "shift@1", "shift@3", profile.KindNative, "", ""},
	})
}
