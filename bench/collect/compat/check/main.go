// Check compares what was sent with what was written: every sample of the requests
// in one directory (kept by tee) with every sample of the pprof files in another
// (written by whyhot receive), with its labels, frames, binaries, build IDs and
// offsets in them. It reads both with the formats' own libraries, and none of
// whyhot's code.
//
//	check NAME REQUESTS PPROFS
//
// prints a line of the matrix, and the differences; it fails when there is one, or
// nothing to compare.
//
//	check -rows REQUESTS
//
// writes the samples of requests down, as the tests of internal/ingest/otlp expect them.
package main

import (
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// tally is what a directory holds: each distinct sample, written down, and how
// often it was taken.
type tally struct {
	rows               map[string]int64
	samples, weight    int64
	lost               int64
	files              int
	periods            map[string]bool
	threads, processes map[string]bool
	containers         map[string]bool
	buildIDs           map[string]bool
}

func newTally() *tally {
	return &tally{
		rows: map[string]int64{}, periods: map[string]bool{}, threads: map[string]bool{}, processes: map[string]bool{},
		containers: map[string]bool{}, buildIDs: map[string]bool{},
	}
}

// frame is one function at one place.
type frame struct {
	name, system, file string
	line               int64
	binary, buildID    string
	offset             uint64 // in the binary's file
}

func (f frame) String() string {
	if f.system == f.name {
		f.system = ""
	}
	// The profiler tells the names of binaries, and whyhot adds the directory where
	// the process told it.
	if f.binary != "" {
		f.binary = path.Base(f.binary)
	}
	return fmt.Sprintf("%s|%s|%s:%d|%s|%s|%#x", f.name, f.system, f.file, f.line, f.binary, f.buildID, f.offset)
}

// add counts one distinct sample.
func (t *tally) add(labels map[string]string, frames []frame, count, weight int64) {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		fmt.Fprintf(&b, "%s=%s ", k, labels[k])
	}
	for _, f := range frames {
		fmt.Fprintf(&b, "\n    %s", f)
		if f.buildID != "" {
			t.buildIDs[f.buildID] = true
		}
	}
	t.rows[b.String()] += count
	t.samples += count
	t.weight += weight
	t.processes[labels["process"]+"/"+labels["pid"]] = true
	if labels["thread"] != "" {
		t.threads[labels["thread"]] = true
	}
	if labels["container"] != "" {
		t.containers[labels["container"]] = true
	}
}

// difference lists the samples of which one side has more.
func difference(a, b *tally) []string {
	var out []string
	for row, n := range a.rows {
		if d := n - b.rows[row]; d > 0 {
			out = append(out, fmt.Sprintf("%d × %s", d, row))
		}
	}
	slices.Sort(out)
	return out
}

// write prints the samples.
func (t *tally) write() {
	fmt.Printf("%d samples, weight %d, %v\n", t.samples, t.weight, slices.Sorted(maps.Keys(t.periods)))
	for _, row := range slices.Sorted(maps.Keys(t.rows)) {
		fmt.Printf("%d × %s\n", t.rows[row], row)
	}
}

func run() error {
	if len(os.Args) == 3 && os.Args[1] == "-rows" {
		t, err := readRequests(os.Args[2])
		if err == nil {
			t.write()
		}
		return err
	}
	if len(os.Args) != 4 {
		return errors.New("check NAME REQUESTS PPROFS, or check -rows REQUESTS")
	}
	in, err := readRequests(os.Args[2])
	if err != nil {
		return err
	}
	out, err := readProfiles(os.Args[3])
	if err != nil {
		return err
	}
	missing, extra := difference(in, out), difference(out, in)
	same := len(missing)+len(extra) == 0 && in.weight == out.weight && in.lost == out.lost && maps.Equal(in.periods, out.periods)
	verdict := "same"
	if !same {
		verdict = "DIFFERS"
	}
	fmt.Printf("%-44s %5d %7d %7d %6d %5d %5d %6d  %s\n",
		os.Args[1], in.files, in.samples, out.samples, len(in.processes), len(in.threads), len(in.containers), len(in.buildIDs), verdict)
	for title, rows := range map[string][]string{"sent, not written": missing, "written, not sent": extra} {
		for _, row := range rows[:min(len(rows), 1)] {
			fmt.Printf("  %s (%d): %s\n", title, len(rows), row)
		}
	}
	if in.weight != out.weight || in.lost != out.lost || !maps.Equal(in.periods, out.periods) {
		fmt.Printf("  weight %d and %d, lost %d and %d, periods %v and %v\n", in.weight, out.weight, in.lost, out.lost,
			slices.Sorted(maps.Keys(in.periods)), slices.Sorted(maps.Keys(out.periods)))
	}
	if in.samples == 0 {
		return errors.New("no samples were sent: nothing is shown")
	}
	if !same {
		return errors.New("what was written is not what was sent")
	}
	return nil
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("check: ")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
