package passes

import (
	"math"
	"testing"
	"time"

	"whyhot/internal/profile"
)

func TestColumns(t *testing.T) {
	const native = profile.KindNative
	checkAll(t, map[string]written{
		"an index of two": {"/me/a.c", `
void shade(const float *v, float *out, int w, int h) {
  for (int x = 0; x < w; x++)  @2
    for (int y = 0; y < h; y++) {
      float s = v[y * w + x];  @1
      out[y * w + x] = s * s;
    }
}
`, "main@2 shade@1", "main@2", native, RuleColumn, "@1 down columns"},
		"rows of rows": {"/me/a.rs", `
fn sums(m: &Vec<Vec<f32>>) -> Vec<f32> {
    for x in 0..m[0].len() {
        for y in 0..m.len() {
            out[x] += m[y][x];  @1
        }
    }
    other();  @2
}
`, "sums@1", "sums@2", native, RuleColumn, "@1 down columns"},
		"through a function with casts and clamped places": {"/me/a.c", `
static inline float at(const Grid *g, int x, int y) { return g->v[(size_t)y * g->w + x]; }
static void gradient(const Grid *g, int x, int y, float *dx) {
  int y0 = clampi(y - 1, 0, g->h - 1), y1 = clampi(y + 1, 0, g->h - 1);
  *dx = at(g, x, y1) - at(g, x, y0);
}
void slope(const Grid *g) {
  for (int x = 0; x < g->w; x++)
    for (int y = 0; y < g->h; y++) {
      float dx;
      gradient(g, x, y, &dx);  @1
      total += dx;
    }
  other();  @2
}
`, "slope@1", "slope@2", native, RuleColumn, "@1 down columns"},
		"rows that a function gives": {"/me/a.c", `
static void blur_vertical(image *dst, const image *src, const float *k, int radius)
{
    for (int x = 0; x < w; x++) {
        for (int y = 0; y < h; y++) {
            float acc = 0;
            for (int i = -radius; i <= radius; i++)  @2
                acc += k[i + radius] * image_row(src, clampi(y + i, h - 1))[x];  @1
            image_row(dst, y)[x] = acc;
        }
    }
}
`, "blur_vertical@1", "blur_vertical@2", native, RuleColumn, "@1 down columns"},
		"a row with a name": {"/me/a.cc", `
static void sums(const Mat &m)
{
    for (int x = 0; x < m.cols; x++) {
        for (int y = 0; y < m.rows; y++) {  @2
            const float *row = m.ptr<float>(y);
            sum[x] += row[x];  @1
        }
    }
}
`, "sums@1", "sums@2", native, RuleColumn, "@1 down columns"},
		"a row with a name, along it": {"/me/a.cc", `
static void sums(const Mat &m)
{
    for (int y = 0; y < m.rows; y++) {
        const float *row = m.ptr<float>(y);
        for (int x = 0; x < m.cols; x++) {  @2
            sum[x] += row[x] * table(y)[x];  @1
        }
    }
}
`, "sums@1", "sums@2", native, "", ""},
		"a body in one line": {"/me/a.c", `
void product(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];  @1
      c[i * n + j] = s;
    }
  other();  @2
}
`, "product@1", "product@2", native, RuleColumn, "@1 down columns"},
		"three dimensions, in two loops of a function": {"/me/a.cc", `
struct Volume { float& at(int x, int y, int z) { return v[(size_t(z) * ny + y) * nx + x]; } };
void smooth(Volume &vol) {
  for (int z = 0; z < vol.nz(); z++)
    for (int x = 0; x < vol.nx(); x++) {
      for (int y = 0; y < vol.ny(); y++) line[y] = vol.at(x, y, z);  @3
      box(line);
    }
  for (int y = 0; y < vol.ny(); y++)
    for (int x = 0; x < vol.nx(); x++) {
      for (int z = 0; z < vol.nz(); z++) line[z] = vol.at(x, y, z);  @1
      box(line);
    }
  other();  @2
}
`, "smooth@1", "smooth@2", native, RuleColumn, "@1 down columns"},
		"along the rows": {"/me/a.c", `
void shade(const float *v, float *out, int w, int h) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      out[y * w + x] = v[y * w + x];  @1
  other();  @2
}
`, "shade@1", "shade@2", native, "", ""},
		"a transposition": {"/me/a.c", `
void turn(const float *v, float *out, int w, int h) {
  for (int x = 0; x < w; x++)
    for (int y = 0; y < h; y++)
      out[x * h + y] = v[y * w + x];  @1
  other();  @2
}
`, "turn@1", "turn@2", native, "", ""},
		"few rows": {"/me/a.c", `
void block(const short *v, int w) {
  for (int x = 0; x < 8; x++)
    for (int y = 0; y < 8; y++)
      s += v[y * w + x];  @1
  other();  @2
}
`, "block@1", "block@2", native, "", ""},
		"a radius": {"/me/a.c", `
void blur(const float *v, int w, int r) {
  for (int x = 0; x < w; x++)
    for (int k = -r; k <= r; k++)
      s += v[k * w + x];  @1
  other();  @2
}
`, "blur@1", "blur@2", native, "", ""},
		"a diagonal": {"/me/a.c", `
void f(int n) {
  for (int x = 0; x < n; x++)
    for (int y = 0; y < n; y++)
      m[x + y][y] = 1;  @1
  other();  @2
}
`, "f@1", "f@2", native, "", ""},
	})
}

// Each direction of an array has a loop of its own, and all of them are one finding.
func TestColumnsOfOneFunction(t *testing.T) {
	p := read("/me/a.cc", `
void smooth(float *v, int nx, int ny, int nz) {
  for (int x = 0; x < nx; x++)
    for (int y = 0; y < ny; y++)
      s += v[y * nx + x];  @1
  for (int x = 0; x < nx; x++)
    for (int z = 0; z < nz; z++)
      s += v[(z * ny + 3) * nx + x];  @2
  other();  @3
}
`, profile.KindNative)
	for range 40 {
		p.add(2, "smooth@1")
		p.add(3, "smooth@2")
		p.add(5, "smooth@3")
	}
	found := p.found(t)
	if len(found) != 1 || *found[0].Share.Inclusive != 0.5 || found[0].Place.Line != int(p.at["@2"]) {
		t.Errorf("%+v", found)
	}
}

// A function that is inlined and has no sample is read in a header beside the file.
func TestColumnsThroughAHeader(t *testing.T) {
	p := read("/me/a.cc", `
#include "grid.h"
void sum(const Grid &g) {
  for (int x = 0; x < g.w; x++)
    for (int y = 0; y < g.h; y++)
      s += g.at(x, y);  @1
  other();  @2
}
`, profile.KindNative)
	p.beside = map[string]string{"/me/grid.h": "struct Grid { float at(int x, int y) const { return v[y * w + x]; } };"}
	p.turns("sum@1", "sum@2")
	checkOne(t, "a header", p, RuleColumn, "@1 down columns")
}

// What a macro reaches, and bounds that are behind an arrow.
func TestColumnsThroughAMacro(t *testing.T) {
	p := read("/me/a.c", `
#include "grid.h"
static void smooth(const struct grid *in, struct grid *out)
{
  for (int r = 1; r < in->rows - 1; r++)
    for (int c = 1; c < in->cols - 1; c++) {
      float v = 4 * CELL(in, r, c) + CELL(in, r - 1, c) + CELL(in, r, c + 1);  @1
      CELL(out, r, c) = v * 0.125f;
    }
  other();  @2
}
`, profile.KindNative)
	p.beside = map[string]string{"/me/grid.h": "/* as it is stored */\n#define CELL(g, r, c) ((g)->cell[(size_t)(c) * (g)->rows + (r)])"}
	p.turns("smooth@1", "smooth@2")
	checkOne(t, "a macro", p, RuleColumn, "@1 down columns")
}

// A loop whose samples are at one instruction waits for what it loads; one that computes has them
// all over its instructions.
func TestWaitsAtOneInstruction(t *testing.T) {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/home/me/app", Start: 1, Limit: 1 << 30})
	var rows []int32
	for i, n := range []int64{90, 5, 5} {
		leaf := b.Location(m, uint64(16*(i+1)), profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: "sum", Kind: profile.KindNative}), Line: 7})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{leaf}), Count: n, Value: n})
		rows = append(rows, int32(i))
	}
	r := &reader{p: b.Build(profile.Meta{})}
	if got := r.onOneInstruction(rows); got != 0.9 {
		t.Error(got)
	}
	if got := r.onOneInstruction(rows[1:]); got != 0.5 {
		t.Error(got)
	}
}

// The estimate follows how much of the loop waits.
func TestColumnsThatWaitSaveMore(t *testing.T) {
	for address, want := range map[uint64]float64{0x40: 0.95 * 0.9, 0: 0.8 * 0.9} {
		p := read("/me/a.c", `
void shade(const float *v, float *out, int w, int h) {
  for (int x = 0; x < w; x++)  @2
    for (int y = 0; y < h; y++) {
      float s = v[y * w + x];  @1
      out[y * w + x] = s * s;
    }
}
`, profile.KindNative)
		m := p.b.Mapping(profile.Mapping{Path: "/me/app", Limit: 1 << 20})
		frame := func(mark string, address uint64) profile.LocationID {
			f := p.b.Function(profile.Function{Name: "shade", Kind: profile.KindNative, File: p.path, Mapping: m})
			return p.b.Location(m, address, profile.KindNative, profile.Line{Function: f, Line: p.at[mark]})
		}
		p.b.Sample(profile.Sample{Stack: p.b.Stack([]profile.LocationID{frame("@1", address)}), Count: 900, Value: 900 * int64(time.Millisecond)})
		p.add(100, "main@2")
		got := p.found(t)
		if len(got) != 1 || got[0].Rule != RuleColumn {
			t.Fatalf("%+v", got)
		}
		if g := got[0].Gain; math.Abs(g.High-want) > 0.01 {
			t.Errorf("at address %#x: %+v", address, *g)
		}
	}
}
