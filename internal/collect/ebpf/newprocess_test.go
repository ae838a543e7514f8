package ebpf

import (
	"bufio"
	"context"
	endian "encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"go.opentelemetry.io/ebpf-profiler/support"
	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/collect/ebpf/known"
	"whyhot/internal/profile"
)

// knownLike is a map like the profiler's of processes that it knows.
func knownLike(t *testing.T) *ebpf.Map {
	t.Helper()
	return likeThat(t, "pid_page_to_mapping_info")
}

// likeThat is a map of the same form as one of the profiler's.
func likeThat(t *testing.T, name string) *ebpf.Map {
	t.Helper()
	all, err := support.LoadCollectionSpec()
	if err != nil {
		t.Fatal(err)
	}
	m, err := ebpf.NewMap(all.Maps[name])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// wholeProcess is the key of a process as a whole.
func wholeProcess(pid int) support.PIDPage {
	var number [4]byte
	endian.BigEndian.PutUint32(number[:], uint32(pid))
	return support.PIDPage{PrefixLen: 96, Pid: endian.NativeEndian.Uint32(number[:])}
}

func attachedLineage(t *testing.T, m *ebpf.Map) (*known.Lineage, *ebpf.Map) {
	t.Helper()
	reported := likeThat(t, "reported_pids")
	var l *known.Lineage
	if err := onThreadOfItsOwn(func() (err error) {
		if err = mountTracefs(); err == nil {
			l, err = known.AttachLineage(m, reported)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, reported
}

// A child is known when the call that makes it returns, and so is its child.
func TestChildrenAreKnownBeforeTheyRun(t *testing.T) {
	usable(t.Context(), t)
	m := knownLike(t)
	mark := support.PIDPageMappingInfo{File_id: support.PIDPageMappingInfoFlagUsesAnonymousMappings}
	if err := m.Put(wholeProcess(os.Getpid()), mark); err != nil {
		t.Fatal(err)
	}
	l, reported := attachedLineage(t, m)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "sleep 1000 & echo $!; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Kill(grandchild, unix.SIGKILL); _ = cmd.Wait() }()
	for child, parent := range map[int]int{cmd.Process.Pid: os.Getpid(), grandchild: cmd.Process.Pid} {
		var got support.PIDPageMappingInfo
		if err := m.Lookup(wholeProcess(child), &got); err != nil || got != mark {
			t.Errorf("process %d: %+v, %v", child, got, err)
		}
		if got, ok := l.Parent(uint32(child)); !ok || got != uint32(parent) {
			t.Errorf("process %d: its parent is %d (%t), want %d", child, got, ok, parent)
		}
		var token uint64
		if err := reported.Lookup(uint32(child), &token); err == nil {
			t.Errorf("process %d is of the target, and is not listed: %#x", child, token)
		}
	}
}

// Neither a thread nor the child of a process that is not known is added.
func TestNobodyElseIsKnown(t *testing.T) {
	usable(t.Context(), t)
	m := knownLike(t)
	l, reported := attachedLineage(t, m)
	foreign := start(t, "sleep", "1000")
	if err := m.Put(wholeProcess(os.Getpid()), support.PIDPageMappingInfo{}); err != nil {
		t.Fatal(err)
	}
	const threads = 64 // more than there are, so that some are made now
	numbers, done := make(chan int, threads), make(chan struct{})
	defer close(done)
	for range threads {
		go func() {
			runtime.LockOSThread()
			numbers <- unix.Gettid()
			<-done
		}()
	}
	all := []int{foreign.Process.Pid}
	for range threads {
		all = append(all, <-numbers)
	}
	var token uint64
	if err := reported.Lookup(uint32(foreign.Process.Pid), &token); err != nil || token&0x3f != known.Never || token < 1<<6 {
		t.Errorf("the token of a process that is not of the target is %#x, %v: it would be listed", token, err)
	}
	for _, number := range all {
		var got support.PIDPageMappingInfo
		if err := m.Lookup(wholeProcess(number), &got); err == nil && number != os.Getpid() {
			t.Errorf("%d is known", number)
		}
		if parent, ok := l.Parent(uint32(number)); ok {
			t.Errorf("%d has the parent %d", number, parent)
		}
	}
}

// Of processes that are over before anybody could read their memory maps.
func TestShortProcessesHaveSamples(t *testing.T) {
	usable(t.Context(), t)
	settled(t, func(v *verdict) {
		p, _ := record(t.Context(), t, collect.Request{Target: collect.Target{Command: []string{
			"sh", "-c", "i=0; while [ $i -lt 150 ]; do i=$((i+1)); sh -c 'j=0; while [ $j -lt 4000 ]; do j=$((j+1)); done'; done",
		}}})
		if share, compared := p.Meta.Coverage.Share(); !compared || share < 0.85 {
			v.Errorf("coverage %.3f of %d samples", share, p.Count())
		}
	})
}

// On the whole machine, processes that are over after one or two samples, and that the profiler
// does not know before: what they used is in the profile under their names.
func TestShortProcessesOfTheMachineHaveSamples(t *testing.T) {
	usable(t.Context(), t)
	const name = "whyhot-short"
	shell := filepath.Join(t.TempDir(), name)
	text, err := os.ReadFile("/bin/sh")
	if err == nil {
		err = os.WriteFile(shell, text, 0o700) //nolint:gosec // it is to be run
	}
	if err != nil {
		t.Fatal(err)
	}
	settled(t, func(v *verdict) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var used time.Duration
		r := collect.Request{Target: collect.Target{System: true}, Settings: collect.Settings{Frequency: 97}}
		var once sync.Once
		r.Progress = func(p collect.Progress) {
			if p.Phase != collect.PhaseRecording {
				return
			}
			once.Do(func() {
				go func() {
					defer stop()
					cmd := exec.CommandContext(t.Context(), shell, "-c",
						`i=0; while [ $i -lt 150 ]; do i=$((i+1)); "$0" -c 'j=0; while [ $j -lt 8000 ]; do j=$((j+1)); done'; done`, shell)
					if err := cmd.Run(); err != nil {
						t.Error(err)
						return
					}
					used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				}()
			})
		}
		p, _ := record(ctx, t, r)
		seen := time.Duration(0)
		for _, s := range p.Samples() {
			if thread, _ := p.Label(s.Labels, profile.LabelThread); thread.Str == name {
				seen += time.Duration(s.Value)
			}
		}
		if share := float64(seen) / float64(used); share < 0.75 || share > 1.25 {
			v.Errorf("%.2f of the %s that the processes used, in %d samples", share, used, p.Count())
		}
	})
}
