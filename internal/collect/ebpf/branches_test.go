package ebpf

import (
	"runtime"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

const guesses = `
#include <stdint.h>
#include <stdlib.h>
enum { N = 1 << 16 };
int32_t data[N], out[N];
__attribute__((noinline)) long kept(long least)
{
	long kept = 0;
	for (long i = 0; i < N; i++)
		if (data[i] >= least)
			out[kept++] = (int32_t)i;
	return kept;
}
int main(int argc, char **argv)
{
	uint32_t x = 1;
	for (int i = 0; i < N; i++) {
		x ^= x << 13; x ^= x >> 17; x ^= x << 5;
		data[i] = x % 100;
	}
	long sum = 0;
	for (int i = 0; i < 3000; i++)
		sum += kept(50);
	return sum == 0;
}
`

// The jump of a program's hot loop, and the one that closes it, are followed while it is recorded,
// where that is asked for, and the time of it is not missing.
func TestBranches(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("not on " + runtime.GOARCH)
	}
	program := tooltest.Compile(t, "gcc", "guesses.c", guesses, "-O2")
	for _, asked := range []bool{true, false} {
		p, _ := record(t.Context(), t, collect.Request{
			Target: collect.Target{Command: []string{program}}, Settings: collect.Settings{Frequency: 997, Branches: asked},
		})
		found := p.Meta.Branches
		if !asked {
			if len(found) > 0 {
				t.Errorf("followed without being asked: %+v", found)
			}
			continue
		}
		if len(found) != 2 || found[0].Path != program || found[0].Leaves != "" || found[0].Missed*5 < found[0].Judged*2 ||
			found[1].Leaves != profile.Behind || found[1].Taken*100 < found[1].Seen*99 {
			t.Errorf("%+v, %q", found, p.Meta.Warnings)
		}
	}
}
