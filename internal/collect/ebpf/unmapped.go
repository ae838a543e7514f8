package ebpf

import (
	"io"
	"time"

	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
)

// unmapped keeps the pages of a binary out of this process's memory while its unwind
// tables are made. The profiler maps each binary, and a page that was looked at counts as
// the process's memory until the file is closed.
//
// It reads .eh_frame in pieces, but looks at the code of each function that is as long as
// a signal's return. The kernel maps 64 kB and more around each look: half of libLLVM. Such
// files are read instead of mapped. Go's table of functions is wanted in one piece, which
// is better mapped than copied: its pages are given back again and again.
type unmapped struct {
	nativeunwind.StackDeltaProvider
}

// giveBack is how often a mapped file's pages are given back while its tables are made. Of
// a table of 7 MB, which takes some 10 ms, that leaves half in memory on average; of larger
// ones less.
const giveBack = time.Millisecond

// GetIntervalDataForFile implements nativeunwind.StackDeltaProvider.
func (u unmapped) GetIntervalDataForFile(ref *pfelf.Reference) (*sdtypes.IntervalData, error) {
	file, err := ref.GetELF()
	if err != nil || file.InsideCore {
		return u.StackDeltaProvider.GetIntervalDataForFile(ref) //nolint:wrapcheck // it stands before the profiler's own, and is not seen
	}
	if file.IsGolang() {
		defer givingBack(file)()
	} else if plain, err := pfelf.NewFile(readerAt{file.Underlying()}, 0, false); err == nil {
		ref = pfelf.NewReferenceWithOpenFunc(ref.FileName(), ref.ELFOpener, func() (*pfelf.File, error) { return plain, nil })
	}
	return u.StackDeltaProvider.GetIntervalDataForFile(ref) //nolint:wrapcheck // likewise
}

// readerAt hides what else a file can do: the profiler maps what is an *os.File.
type readerAt struct{ io.ReaderAt }

// givingBack gives a mapped file's pages back until stop is called, which waits for it:
// the file may be closed afterwards. Who looks at a page again has it mapped again.
func givingBack(file *pfelf.File) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(giveBack)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				file.SetDontNeed()
			case <-end:
				file.SetDontNeed()
				return
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}
