package perfdata

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/host/cgroup/cgrouptest"
	"whyhot/internal/profile"
)

var dockerID = strings.Repeat("c0ffee00", 8)

// containers lists "process container count" of all samples.
func containers(p *profile.Profile) map[string]int64 {
	out := map[string]int64{}
	for _, s := range p.Samples() {
		name, _ := p.Label(s.Labels, profile.LabelProcess)
		id, _ := p.Label(s.Labels, profile.LabelContainer)
		out[strings.TrimSpace(name.Str+" "+id.Str)] += s.Count
	}
	return out
}

func cgroupRec(id, time uint64, path string) []byte {
	return rec(recCgroup, 0, id, path, at(0, time))
}

func cgroupSample(pid uint32, time, cgroup uint64) []byte {
	return rec(recSample, miscUser, uint64(0x1000), pid, pid, time, uint64(1000000), cgroup)
}

func TestContainers(t *testing.T) {
	b := file([][]byte{attr(typeSoftware, 0, 1000000, plainType|sampleCgroup, attrFlagSampleIDAll)},
		cgroupRec(1, 0, "/"), cgroupRec(7, 0, "/system.slice/docker-"+dockerID+".scope"),
		commRec(10, 1, 0, "host"), commRec(11, 2, 0, "inside"), commRec(12, 3, 0, "moves"), commRec(13, 4, 0, "late"), commRec(14, 5, 0, "told"),
		cgroupSample(10, 10, 1), cgroupSample(11, 11, 7),
		cgroupSample(12, 12, 1), cgroupSample(12, 13, 7),
		cgroupSample(13, 14, 9), // before anybody says which group it is
		cgroupRec(9, 15, "/lxc.payload.web/init.scope"),
		cgroupSample(13, 16, 9),
		cgroupSample(14, 17, 1),
	)
	want := map[string]int64{
		"host": 1, "inside " + dockerID: 1, "moves": 1, "moves " + dockerID: 1, "late": 1, "late web": 1, "told elsewhere": 1,
	}
	got := containers(read(t, b, Options{Containers: map[uint32]string{14: "elsewhere", 11: "not asked for"}}))
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for k, n := range want {
		if got[k] != n {
			t.Errorf("%q: %d samples, want %d", k, got[k], n)
		}
	}
	for k := range containers(read(t, b, Options{Labels: []string{profile.LabelProcess}})) {
		if strings.Contains(k, " ") {
			t.Errorf("%q has a container that nobody asked for", k)
		}
	}
}

// A sample whose control group is cut off, and a record that ends in its number.
func TestDamagedCgroups(t *testing.T) {
	attrs := [][]byte{attr(typeSoftware, 0, 1000000, plainType|sampleCgroup, 0)}
	for _, b := range [][]byte{
		file(attrs, smpl(10, 1, 0x1000)),
		file(attrs, rec(recCgroup, 0, uint32(1)), cgroupSample(10, 1, 1)),
	} {
		if _, err := Read(t.Context(), bytes.NewReader(b), Options{}); err == nil || !strings.Contains(err.Error(), "corrupt") {
			t.Errorf("%v", err)
		}
	}
}

// The real thing: perf records a process in a group like docker's and one that is
// in none.
func TestContainersOfPerf(t *testing.T) {
	needPerf(t)
	c := cgrouptest.New(t)
	out, err := exec.CommandContext(t.Context(), "perf", "record", "--all-cgroups", "-e", "cpu-clock", "-o", os.DevNull, "true").CombinedOutput()
	if err != nil {
		t.Skipf("perf cannot record control groups here: %s", out)
	}
	burn := []string{"sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"}
	inside := strings.Join(quoted(c.Command(append([]string{"env"}, burn...)...)), " ")
	outside := strings.Join(quoted(burn), " ")
	path := capture(t, "--all-cgroups", "-e", "cpu-clock", "-F", "499", "sh", "-c", inside+" & "+outside+"; wait")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := containers(read(t, b, Options{}))
	if got["sh "+c.ID] < 10 || got["sh"] < 10 {
		t.Errorf("%v; want samples of sh in %s and outside of it", got, c.ID)
	}
	for k := range got {
		if !slices.Contains([]string{"sh", "sh " + c.ID, "env " + c.ID, "perf", "perf-exec"}, k) {
			t.Errorf("samples of %q", k)
		}
	}
}

// quoted makes words that a shell takes as they are.
func quoted(words []string) []string {
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	return out
}
