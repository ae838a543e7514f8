package ebpf

import (
	"errors"
	"os"
	"strings"

	"github.com/cilium/ebpf"

	"whyhot/internal/collect/ebpf/known"
)

// knownMap is the profiler's map of the processes that it knows.
const knownMap = "pid_page_to_mapping_info"

// follow has the kernel make the children of the target known before they run.
func (p *profiler) follow(t *tasks) {
	maps, err := p.mapsOfThisNamespace()
	if err == nil {
		p.lineage, err = known.AttachLineage(maps[knownMap], maps["reported_pids"])
	}
	if err != nil {
		p.notes = append(p.notes, "the first milliseconds of each process that the target starts are not seen: "+err.Error())
		return
	}
	t.parentOf = p.lineage.Parent
}

// Where the profiler has its programs, which it does not hand out, and the one that its clocks
// call.
const (
	programsField = "ebpfProgs"
	entryProgram  = "native_tracer_entry"
)

// fromFirstSample has the processes of the whole machine be known by their first sample, which
// the profiler would drop. It is called before the clocks are made.
func (p *profiler) fromFirstSample() error {
	if isRealtime() {
		return errors.New("this kernel is a real-time one, where the profiler's map cannot be changed in an interrupt")
	}
	maps, err := p.mapsOfThisNamespace()
	if err != nil {
		return err
	}
	programs, err := placeOf[map[string]*ebpf.Program](p.tracer, programsField)
	if err != nil {
		return err
	}
	if p.entry, err = known.Before((*programs)[entryProgram], maps[knownMap]); err != nil {
		return err //nolint:wrapcheck // it says what it was about
	}
	(*programs)[entryProgram] = p.entry.Program
	return nil
}

// mapsOfThisNamespace are the profiler's maps where their process IDs are those of the kernel.
func (p *profiler) mapsOfThisNamespace() (map[string]*ebpf.Map, error) {
	if !inInitialPIDNamespace() {
		return nil, errors.New("process IDs of another namespace are translated")
	}
	return mapsOf(p.tracer)
}

// isRealtime tells whether the kernel is built for real time (PREEMPT_RT).
func isRealtime() bool {
	text, err := os.ReadFile("/sys/kernel/realtime")
	return err == nil && strings.TrimSpace(string(text)) == "1"
}
