package machine

import (
	"path/filepath"
	"strings"

	"whyhot/internal/profile"
)

// hugePages is how a program gets its heap on huge pages. A chain of pointers through
// many megabytes waits for the TLB as a table does.
type hugePages struct {
	setting string // an environment variable, "" where no allocator that knows one ran
	needs   string
}

// hugePagesOf asks which allocator is mapped: one that replaces the C library's, else that
// of the C library.
func hugePagesOf(p *profile.Profile) hugePages {
	var out hugePages
	for i := range p.NumMappings() {
		switch base := filepath.Base(p.Mapping(profile.MappingID(i)).Path); {
		case strings.HasPrefix(base, "libjemalloc.so"):
			return hugePages{setting: "MALLOC_CONF=thp:always"}
		case strings.HasPrefix(base, "libtcmalloc"), strings.HasPrefix(base, "libmimalloc"):
			return hugePages{}
		case strings.HasPrefix(base, "libc.so.6"):
			out = hugePages{setting: "GLIBC_TUNABLES=glibc.malloc.hugetlb=1", needs: "glibc 2.35 or later"}
		}
	}
	return out
}

func (h hugePages) step() string {
	how := "madvise MADV_HUGEPAGE"
	if h.setting != "" {
		how += ", or " + h.setting
	}
	if h.needs != "" {
		how += " with " + h.needs
	}
	return "where the data has many megabytes: huge pages (" + how + ") save the wait for the TLB; without effect where the system has them off (/sys/kernel/mm/transparent_hugepage/enabled: never)"
}
