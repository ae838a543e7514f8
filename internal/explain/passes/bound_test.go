package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestSumsPastTheLeast(t *testing.T) {
	const native = profile.KindNative
	checkAll(t, map[string]written{
		"one line": {"/me/a.c", `
int nearest(const uint8_t *rows, const uint8_t *x, int n, int dim) {
  int best = INT_MAX, at = -1;
  for (int k = 0; k < n; k++) {
    int d = 0;
    for (int i = 0; i < dim; i++) d += abs(rows[k * dim + i] - x[i]);  @1
    if (d < best) {
      best = d;
      at = k;
    }
  }
  return at;
}
int main(void) { other(); }  @2
`, "main@2 nearest@1", "main@2", native, RuleBound, "@1 least"},
		"two loops": {"/me/a.c", `
static void search(const uint8_t *a, const uint8_t *b, int stride) {
  unsigned best = ~0u;
  for (int at = 0; at < places; at++) {
    unsigned sad = 0;
    for (int y = 0; y < height; y++)  @3
      for (int x = 0; x < width; x++) {
        sad += abs(a[y * stride + x] - b[at + y * stride + x]);  @1
      }
    best = MIN(best, sad);
  }
}
int main(void) { other(); }  @2
`, "main@2 search@1", "main@2", native, RuleBound, "@3 least"},
		"returned as a root": {"/me/a.py", `
def distance(a, b):
    total = 0.0
    for x, y in zip(a, b):  @3
        total += (x - y) ** 2  @1
    return math.sqrt(total)

def nearest(query, rows):
    best, found = math.inf, None
    for row in rows:
        d = distance(query, row)  @2
        if d < best:
            best, found = d, row
    return found
`, "nearest@2 distance@1", "nearest@2", profile.KindPython, RuleBound, "@3 least"},
		"compared in the call": {"/me/a.go", `
func differ(a, b []byte) int {
	n := 0
	for i := range a {  @3
		if a[i] != b[i] {
			n++  @1
		}
	}
	return n
}
func closest(rows [][]byte, x []byte) {
	for i, row := range rows {
		if d := differ(row, x); d < least {  @2
			least, at = d, i
		}
	}
}
`, "closest@2 differ@1", "closest@2", native, RuleBound, "@3 least"},
		"a block of Rust": {"/me/a.rs", `
fn distance(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..a.len() {  @3
        let d = a[i] - b[i];
        sum += d * d;  @1
    }
    sum.sqrt()
}
fn nearest(rows: &[Vec<f32>], x: &[f32]) -> f32 {
    let mut best = f32::MAX;
    for row in rows {
        best = best.min(distance(row, x));  @2
    }
    best
}
`, "nearest@2 distance@1", "nearest@2", native, RuleBound, "@3 least"},
		"the others go on": {"/me/a.c", `
void f(const float *rows, const float *x, int n, int dim) {
  for (int k = 0; k < n; k++) {
    float d = 0;
    for (int i = 0; i < dim; i++) d += (rows[k * dim + i] - x[i]) * (rows[k * dim + i] - x[i]);  @1
    if (d >= best)
      continue;
    best = d;
  }
}
int main(void) { other(); }  @2
`, "main@2 f@1", "main@2", native, RuleBound, "@1 least"},
		"left at the least": {"/me/a.c", `
int nearest(const uint8_t *rows, const uint8_t *x, int n, int dim) {
  for (int k = 0; k < n; k++) {
    int d = 0;
    for (int i = 0; i < dim; i++) {
      d += abs(rows[k * dim + i] - x[i]);  @1
      if (d >= best) break;
    }
    if (d < best) best = d;
  }
}
int main(void) { other(); }  @2
`, "main@2 nearest@1", "main@2", native, "", ""},
		"what may be negative": {"/me/a.c", `
void f(const float *rows, const float *x, int n, int dim) {
  for (int k = 0; k < n; k++) {
    float d = 0;
    for (int i = 0; i < dim; i++) d += rows[k * dim + i] * x[i];  @1
    if (d < best) best = d;
  }
}
int main(void) { other(); }  @2
`, "main@2 f@1", "main@2", native, "", ""},
		"the largest": {"/me/a.c", `
void f(const float *rows, const float *x, int n, int dim) {
  for (int k = 0; k < n; k++) {
    float d = 0;
    for (int i = 0; i < dim; i++) d += fabsf(rows[k * dim + i] - x[i]);  @1
    if (d > best) best = d;
  }
}
int main(void) { other(); }  @2
`, "main@2 f@1", "main@2", native, "", ""},
		"compared with nothing": {"/me/a.c", `
void f(const float *rows, const float *x, float *out, int n, int dim) {
  for (int k = 0; k < n; k++) {
    float d = 0;
    for (int i = 0; i < dim; i++) d += fabsf(rows[k * dim + i] - x[i]);  @1
    out[k] = d;
  }
}
int main(void) { other(); }  @2
`, "main@2 f@1", "main@2", native, "", ""},
		"three terms": {"/me/a.c", `
void f(const float *rows, const float *x, int n) {
  for (int k = 0; k < n; k++) {
    float d = 0;
    for (int i = 0; i < 3; i++) d += fabsf(rows[k * 3 + i] - x[i]);  @1
    if (d < best) best = d;
  }
}
int main(void) { other(); }  @2
`, "main@2 f@1", "main@2", native, "", ""},
	})
}
