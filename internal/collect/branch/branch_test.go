package branch

import (
	"debug/elf"
	"errors"
	"maps"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"

	"whyhot/internal/elfinfo/instruction"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

// sequence is one of outcomes of one jump, by a function of their number.
func sequence(n int, taken func(i int) bool) []Outcome {
	out := make([]Outcome, n)
	for i := range out {
		out[i].Taken = taken(i)
	}
	return out
}

func TestForesee(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	word := make([]bool, 3000)
	for i := range word {
		word[i] = random.IntN(2) == 0
	}
	for name, c := range map[string]struct {
		taken     func(i int) bool
		low, high float64
	}{
		"always":            {func(int) bool { return true }, 0, 0},
		"in turn":           {func(i int) bool { return i%2 == 0 }, 0, 0},
		"a period of 64":    {func(i int) bool { return i%64 < 20 }, 0, 0},
		"3,000 and again":   {func(i int) bool { return word[i%len(word)] }, 0, 0.02},
		"random halves":     {func(int) bool { return random.IntN(2) == 0 }, 0.45, 0.5},
		"random tenths":     {func(int) bool { return random.IntN(10) == 0 }, 0.08, 0.12},
		"one of 50":         {func(int) bool { return random.IntN(50) == 0 }, 0.01, 0.03},
		"a sorted array":    {func(i int) bool { return i > sequenceSize/3 }, 0, 0.001},
		"runs of about ten": {runs(random, 10), 0.08, 0.13},
	} {
		got := foresee(sequence(sequenceSize, c.taken), 1)[0]
		rate := float64(got.Missed) / float64(got.Judged)
		if rate < c.low || rate > c.high || got.Seen != sequenceSize || got.Judged != sequenceSize/2 {
			t.Errorf("%s: %.3f is missed, not %.2f to %.2f: %+v", name, rate, c.low, c.high, got)
		}
	}
}

// runs changes its mind on average every n executions.
func runs(random *rand.Rand, n int) func(int) bool {
	is := false
	return func(int) bool {
		if random.IntN(n) == 0 {
			is = !is
		}
		return is
	}
}

// A second jump that asks what the first has answered is known.
func TestForeseeByAnotherJump(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // a test
	var all []Outcome
	for range sequenceSize / 2 {
		is := random.IntN(2) == 0
		all = append(all, Outcome{0, is}, Outcome{1, !is})
	}
	got := foresee(all, 2)
	if one := float64(got[0].Missed) / float64(got[0].Judged); one < 0.45 {
		t.Errorf("the first is missed %.2f", one)
	}
	if got[1].Missed > got[1].Judged/100 {
		t.Errorf("the second: %+v", got[1])
	}
}

const kernels = `
#include <stdint.h>
#include <stdlib.h>
enum { N = 1 << 16 };
static int32_t data[N];
static volatile long sink;
__attribute__((noinline)) long kept(const int32_t *v, int32_t *out, long n, int least)
{
	long kept = 0;
	for (long i = 0; i < n; i++)
		if (v[i] >= least)
			out[kept++] = (int32_t)i;
	return kept;
}
__attribute__((noinline)) float ranges(const float *a, float *out, long n)
{
	float sum = 0;
	for (int again = 0; again < 3; again++)
		for (long i = 0; i < n; i++) {
			float x = a[i], r;
			if (x < 1.0f)
				r = (x * 0.3f + 1.0f) * x;
			else if (x < 2.5f)
				r = (x * 0.7f - 2.0f) * x + 4.0f;
			else if (x < 4.5f)
				r = (x * 1.7f - 9.0f) * x - 4.0f;
			else
				r = x;
			out[i] = r;
			sum += r;
		}
	return sum;
}
// What is skipped is dear, and met again in the next pass alone.
__attribute__((noinline)) double dear(const int32_t *v, const double *a, long n, int least)
{
	double sum = 0;
	for (long i = 0; i < n; i++)
		if (v[i] >= least)
			sum += a[i] / (a[i + 1] + 1);
	return sum;
}
// The second condition leads past the place where the ways behind the first one meet: what is
// skipped is skipped by a jump.
__attribute__((noinline)) long noted(long i) { sink += i; return sink & 1; }
__attribute__((noinline)) long guarded(const int32_t *v, const int32_t *w, long n, int least)
{
	long k = 0;
	for (long i = 0; i < n; i++) {
		if (v[i] >= least && w[i] < least)
			continue;
		k += noted(i);
	}
	return k;
}
// What is asked is whether an index stands for none.
struct order { int32_t prev, next; };
__attribute__((noinline)) int32_t unlinked(struct order *pool, const int32_t *which, long n, int32_t *heads)
{
	int32_t head = 0;
	for (long i = 0; i < n; i++) {
		struct order *o = &pool[which[i]];
		if (o->prev != -1)
			pool[o->prev].next = o->next;
		else
			heads[i] = o->next;
		head += o->next;
	}
	return head;
}
// Zero is a value as others are.
__attribute__((noinline)) long nonzero(const int32_t *v, int32_t *out, long n)
{
	long kept = 0;
	for (long i = 0; i < n; i++)
		if (v[i] != 0)
			out[kept++] = (int32_t)i;
	return kept;
}
// A loop of three.
__attribute__((noinline)) long dot(const int32_t *v, long dimensions, long n)
{
	long sum = 0;
	for (long i = 0; i + dimensions <= n; i++)
		for (long d = 0; d < dimensions; d++)
			sum += v[i + d] * d;
	return sum;
}
int main(int argc, char **argv)
{
	static int32_t out[N];
	uint32_t x = 1;
	for (int i = 0; i < N; i++) {
		x ^= x << 13; x ^= x >> 17; x ^= x << 5;
		data[i] = argv[1][0] == 'r' ? x % 100 : argv[1][0] == 's' ? i * 100 / N : (i & 1) * 99;
	}
	for (; argv[1][0] == 'd';)
		sink = dot(data, argc + 1, N);
	for (;;)
		sink = kept(data, out, N, argv[1][1] == 't' ? 90 : 50);
}
`

// compiled is the program of kernels.
func compiled(t *testing.T) string {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("not on " + runtime.GOARCH)
	}
	return tooltest.Compile(t, "gcc", "kernels.c", kernels, "-O2")
}

// A loop's blocks do not stand in the order in which they run, and the bytes before some only
// fill.
func TestLoops(t *testing.T) {
	program := compiled(t)
	for name, sites := range map[string]int{"kept": 1, "ranges": 3, "dear": 1, "guarded": 2, "unlinked": 1, "nonzero": 1} {
		code := codeOf(t, program, name)
		at := inLoop(code)
		regions := regionsOf(code, at)
		if len(regions) == 0 || closingAt(regions[0].sites) != sites || regions[0].samples < 3*sites || regions[0].samples >= len(code) {
			t.Errorf("%s: %+v", name, regions)
		}
		for i, s := range regions[0].sites {
			if closes := i >= sites; closes != s.closes() || closes && s.both != 0 {
				t.Errorf("%s: %+v", name, s)
			}
			if i >= sites {
				break
			}
			if isShort := s.both >= 1 && s.both <= mostBoth; isShort == slices.Contains([]string{"dear", "guarded", "unlinked"}, name) {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if got := regionsOf(code, nil); got != nil {
			t.Errorf("%s: without samples %+v", name, got)
		}
	}
}

func TestJumpsOfAProgram(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, for probes")
	}
	program := compiled(t)
	at := inLoop(codeOf(t, program, "kept"))
	for data, c := range map[string]struct{ low, high, taken float64 }{
		"r":  {0.42, 0.55, 0.5}, // random halves: of 6,000 outcomes, 0.05 is over seven standard deviations
		"rt": {0.07, 0.13, 0.1},
		"s":  {0, 0.01, 0.5}, // sorted
		"a":  {0, 0.01, 0.5}, // in turn
	} {
		run := exec.CommandContext(t.Context(), program, data+" ")
		r, found, err := followed(t, run, program, slices.Collect(maps.Keys(at)))
		if err != nil || len(found) != 2 || found[0].Leaves != "" || found[1].Leaves != profile.Behind || found[1].Taken < found[1].Seen-1 {
			t.Errorf("%s: %+v, %v", data, found, err)
			continue
		}
		b := found[0]
		rate := float64(b.Missed) / float64(b.Judged)
		taken := float64(b.Taken) / float64(b.Seen)
		if rate < c.low || rate > c.high || b.Seen < fewestOutcomes || data != "s" && min(taken, 1-taken) > c.taken+0.05 {
			t.Errorf("%s: missed %.3f, taken %.3f: %+v", data, rate, taken, b)
		}
		if r.Disturbs(uint32(run.Process.Pid), 0) { //nolint:gosec // a PID
			t.Error("the beginning of time was disturbed")
		}
		t.Logf("%s: missed %.3f, taken %.3f, %d seen in %d ms", data, rate, taken, b.Seen, (r.windows[0].to-r.windows[0].from)/1e6)
	}
}

// followed runs a program until its jumps at some hot addresses were followed.
func followed(t *testing.T, run *exec.Cmd, program string, hot []uint64) (r *Recorder, found []profile.Branch, err error) {
	t.Helper()
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	if r, err = New(); err != nil {
		t.Fatal(err)
	}
	for _, address := range hot {
		for range 50 {
			r.Sample(uint32(run.Process.Pid), program, address) //nolint:gosec // a PID
		}
	}
	r.Look()
	found, err = r.Branches()
	_ = run.Process.Kill()
	_ = run.Wait() // it was killed
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("probes are not allowed here: %v", err)
	}
	return r, found, err
}

// closingAt is the number of sites before those that close a loop.
func closingAt(sites []site) int {
	return len(slices.DeleteFunc(slices.Clone(sites), site.closes))
}

// The jump that closes a loop says how often it goes on.
func TestIterations(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, for probes")
	}
	program := compiled(t)
	var addresses []uint64
	for _, s := range codeOf(t, program, "dot") {
		addresses = append(addresses, s.Address)
	}
	_, found, err := followed(t, exec.CommandContext(t.Context(), program, "d"), program, addresses)
	closing := slices.IndexFunc(found, func(b profile.Branch) bool { return b.Leaves != "" })
	if err != nil || closing < 0 {
		t.Fatalf("%+v, %v", found, err)
	}
	b := found[closing]
	if times := float64(b.Seen) / float64(b.Seen-b.Taken); b.Leaves != profile.Behind || b.Seen < fewestOutcomes || times < 2.9 || times > 3.1 {
		t.Errorf("%.2f iterations of 3: %+v", times, b)
	}
}

// inLoop has a sample on each instruction before the last jump backwards and behind its target.
func inLoop(code []instruction.Step) map[uint64]int {
	out := map[uint64]int{}
	for _, s := range code {
		if s.Jumps && s.Target < s.Address {
			clear(out)
			for _, in := range code {
				if in.Address >= s.Target && in.Address <= s.Address {
					out[in.Address] = 1
				}
			}
		}
	}
	return out
}

// codeOf are a function's instructions.
func codeOf(t *testing.T, program, name string) []instruction.Step {
	t.Helper()
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read from
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	text := f.Section(".text")
	for _, s := range symbols {
		if s.Name == name {
			code := make([]byte, s.Size)
			if _, err := text.ReadAt(code, int64(s.Value-text.Addr)); err != nil { //nolint:gosec // small
				t.Fatal(err)
			}
			return instruction.Steps(code, s.Value)
		}
	}
	t.Fatalf("%s has no function %s", program, name)
	return nil
}

// What "cmp $b,%al" leaves, for all pairs of some bytes.
func TestConditions(t *testing.T) {
	for _, a := range []int8{-128, -3, -1, 0, 1, 2, 127} {
		for _, b := range []int8{-128, -2, 0, 1, 126, 127} {
			d := a - b
			var flags byte
			for _, f := range []struct {
				flag
				is bool
			}{
				{carry, uint8(a) < uint8(b)}, {zero, d == 0}, {sign, d < 0}, {overflow, int(a)-int(b) != int(d)}, {parity, bits.OnesCount8(uint8(d))%2 == 0}, //nolint:gosec // bits
			} {
				if f.is {
					flags |= f.at
				}
			}
			for condition, want := range map[byte]bool{
				0x0: int(a)-int(b) != int(d), 0x2: uint8(a) < uint8(b), 0x4: a == b, 0x6: uint8(a) <= uint8(b), 0x8: d < 0, 0xc: a < b, 0xe: a <= b, //nolint:gosec // bits
			} {
				if got := isTaken(condition, flags|0xe0); got != want {
					t.Errorf("%d and %d: condition %x is %v", a, b, condition, got)
				}
				if got := isTaken(condition|1, flags); got == want {
					t.Errorf("%d and %d: condition %x is %v", a, b, condition|1, got)
				}
			}
		}
	}
}

// What an address is made from is followed through copies and arithmetic, until it is overwritten.
func TestAccesses(t *testing.T) {
	const a, b, c = 1, 2, 4
	for name, x := range map[string]struct {
		code []instruction.Use
		want bool
	}{
		"by the register itself":   {[]instruction.Use{{Address: a, To: c}}, true},
		"by a copy of it":          {[]instruction.Use{{From: a, To: b}, {Address: b}}, true},
		"by what is made of it":    {[]instruction.Use{{From: a, To: b}, {From: b, To: b}, {Address: b | c}}, true},
		"by another":               {[]instruction.Use{{From: c, To: b}, {Address: b}}, false},
		"after it was overwritten": {[]instruction.Use{{From: c, To: a}, {Address: a}}, false},
	} {
		var block []instruction.Step
		for _, u := range x.code {
			block = append(block, instruction.Step{Use: u})
		}
		if got := accesses(block, a); got != x.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
