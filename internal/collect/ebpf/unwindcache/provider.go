package unwindcache

import (
	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
)

// Provider gives unwind tables from the directory, and from the profiler where they
// are not there.
type Provider struct {
	dir  *Dir
	make nativeunwind.StackDeltaProvider
}

var _ nativeunwind.StackDeltaProvider = (*Provider)(nil)

// NewProvider stands before what makes tables.
func NewProvider(dir *Dir, maker nativeunwind.StackDeltaProvider) *Provider {
	return &Provider{dir: dir, make: maker}
}

// worthKeeping is from how many deltas on an entry is written: below, making them
// takes no longer than reading a file. It also leaves out every file whose tables come
// from separate debug information, which an entry is not found by.
const worthKeeping = 1000

// GetIntervalDataForFile implements nativeunwind.StackDeltaProvider.
func (p *Provider) GetIntervalDataForFile(ref *pfelf.Reference) (*sdtypes.IntervalData, error) {
	file, err := ref.GetELF()
	if err != nil {
		return p.make.GetIntervalDataForFile(ref)
	}
	key, ok := keyOf(file)
	if !ok {
		return p.make.GetIntervalDataForFile(ref)
	}
	if tables := p.dir.load(key); tables != nil {
		return tables, nil
	}
	tables, err := p.make.GetIntervalDataForFile(ref)
	if err != nil {
		return nil, err
	}
	if tables.NumDeltas >= worthKeeping {
		p.dir.store(key, tables)
	}
	return tables, nil
}

// GetAndResetStatistics implements nativeunwind.StackDeltaProvider.
func (p *Provider) GetAndResetStatistics() nativeunwind.Statistics {
	return p.make.GetAndResetStatistics()
}
