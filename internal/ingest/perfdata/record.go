package perfdata

import (
	"encoding/binary"
	"fmt"
)

// Record types. Those below 64 are the kernel's, the others are perf's own.
const (
	recMmap           = 1
	recLost           = 2
	recComm           = 3
	recExit           = 4
	recFork           = 7
	recSample         = 9
	recMmap2          = 10
	recLostSamples    = 13
	recKsymbol        = 17
	recCgroup         = 19
	recHeaderAttr     = 64
	recTracingData    = 66
	recHeaderBuildID  = 67
	recFinishedRound  = 68
	recAuxtrace       = 71
	recEventUpdate    = 78
	recHeaderFeature  = 80
	recCompressed     = 81
	recCompressed2    = 83
	recFirstSynthetic = 64
)

var recordNames = map[uint32]string{
	1: "MMAP", 2: "LOST", 3: "COMM", 4: "EXIT", 5: "THROTTLE", 6: "UNTHROTTLE", 7: "FORK", 8: "READ",
	9: "SAMPLE", 10: "MMAP2", 11: "AUX", 12: "ITRACE_START", 13: "LOST_SAMPLES", 14: "SWITCH",
	15: "SWITCH_CPU_WIDE", 16: "NAMESPACES", 17: "KSYMBOL", 18: "BPF_EVENT", 19: "CGROUP",
	20: "TEXT_POKE", 21: "AUX_OUTPUT_HW_ID", 22: "CALLCHAIN_DEFERRED",
	64: "HEADER_ATTR", 65: "HEADER_EVENT_TYPE", 66: "HEADER_TRACING_DATA", 67: "HEADER_BUILD_ID",
	68: "FINISHED_ROUND", 69: "ID_INDEX", 70: "AUXTRACE_INFO", 71: "AUXTRACE", 72: "AUXTRACE_ERROR",
	73: "THREAD_MAP", 74: "CPU_MAP", 75: "STAT_CONFIG", 76: "STAT", 77: "STAT_ROUND",
	78: "EVENT_UPDATE", 79: "TIME_CONV", 80: "HEADER_FEATURE", 81: "COMPRESSED", 82: "FINISHED_INIT",
	83: "COMPRESSED2",
}

// Bits of perf_event_header.misc.
const (
	miscModeMask     = 7
	miscKernel       = 1
	miscUser         = 2
	miscHypervisor   = 3
	miscGuestKernel  = 4
	miscGuestUser    = 5
	miscCommExec     = 1 << 13 // COMM
	miscForkExec     = 1 << 13 // FORK: a task that was already running
	miscMmapBuildID  = 1 << 14 // MMAP2
	miscBuildIDSized = 1 << 15 // HEADER_BUILD_ID
)

const recordHeaderSize = 8

// record is one record with where it came from, for errors.
type record struct {
	typ  uint32
	misc uint16
	body []byte // behind the header
	at   int64  // file offset; of the compressed record that held it, if any
	n    int    // number of the record in the file, from 1
}

func (r *record) String() string {
	name := recordNames[r.typ]
	if name == "" {
		name = fmt.Sprintf("type %d", r.typ)
	}
	return fmt.Sprintf("record %d (%s) at offset %#x", r.n, name, r.at)
}

// corrupt is the error for a record whose content does not hold together.
func (r *record) corrupt(what string) error {
	return fmt.Errorf("%s: %s; the file is corrupt", r, what)
}

func parseHeader(b []byte) (typ uint32, misc uint16, size int) {
	return binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:]), int(binary.LittleEndian.Uint16(b[6:]))
}
