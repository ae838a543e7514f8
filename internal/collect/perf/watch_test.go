package perf

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/host/cgroup/cgrouptest"
	"whyhot/internal/profile"
)

// inContainer counts the samples of the program inside and outside of a container.
func inContainer(p *profile.Profile, id string) (in, out int64) {
	for _, s := range p.Samples() {
		name, _ := p.Label(s.Labels, profile.LabelProcess)
		got, _ := p.Label(s.Labels, profile.LabelContainer)
		switch {
		case name.Str != "burn":
		case got.Str == id:
			in += s.Count
		default:
			out += s.Count
		}
	}
	return in, out
}

func TestContainerOfACommand(t *testing.T) {
	c := cgrouptest.New(t)
	program := burn.Build(t)
	p, _ := record(t.Context(), t, collect.Request{Target: collect.Target{Command: c.Command(program, "plain", "100")}})
	if in, out := inContainer(p, c.ID); in < 10 || out > 0 {
		t.Errorf("%d samples in container %s, %d in none or another", in, c.ID, out)
	}
}

// Where the recording does not tell, the processes are looked at while they run.
func TestContainersOfWhatRuns(t *testing.T) {
	c := cgrouptest.New(t)
	program := burn.Build(t)
	cmd := start(t, c.Command(program, "forever", "1"))
	seen := watchProcesses(collect.Target{PIDs: []int{cmd}}, []int{cmd}, false)
	for deadline := time.Now().Add(2 * time.Minute); seen.containers[uint32(cmd)] == "" && time.Now().Before(deadline); {
		seen.tick()
	}
	if got := seen.containers; len(got) != 1 || got[uint32(cmd)] != c.ID {
		t.Errorf("%v, want process %d in %s", got, cmd, c.ID)
	}
	all := watchProcesses(collect.Target{System: true}, nil, false)
	if got := all.containers[uint32(cmd)]; got != c.ID {
		t.Errorf("on the whole machine: %q, want %s", got, c.ID)
	}
	if told := watchProcesses(collect.Target{System: true}, nil, true); told.containers != nil {
		t.Errorf("%v, although the recording tells", told.containers)
	}
}

func TestCgroupsAreAskedForWhereTheyCanBe(t *testing.T) {
	old := func(a *unix.PerfEventAttr) error {
		if a.Bits&bitCgroup != 0 {
			return unix.EINVAL
		}
		return nil
	}
	granted := func(*unix.PerfEventAttr) error { return nil }
	for _, c := range []struct {
		open    opener
		options string
		want    bool
	}{
		{granted, "--all-cgroups", true},
		{granted, "", false},
		{old, "--all-cgroups", false},
	} {
		p, err := (&Sampler{}).plan(&collect.Request{Target: collect.Target{System: true}, TempDir: t.TempDir()}, c.open)
		if err != nil {
			t.Fatal(err)
		}
		args := p.arguments(&tool{options: c.options}, collect.Target{System: true}, nil, "out")
		if got := slices.Contains(args, "--all-cgroups"); got != c.want {
			t.Errorf("%q, new kernel %t: %s", c.options, errors.Is(c.open(&unix.PerfEventAttr{Bits: bitCgroup}), nil), strings.Join(args, " "))
		}
	}
}
