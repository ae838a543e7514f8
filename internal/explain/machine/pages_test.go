package machine

import (
	"slices"
	"strings"
	"testing"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

func TestHugePagesOfTheAllocatorThatRan(t *testing.T) {
	const libc, jemalloc = "/usr/lib/libc.so.6", "/usr/lib/libjemalloc.so.2"
	for name, test := range map[string]struct {
		mapped []string
		want   string
	}{
		"the C library's":        {[]string{"/usr/bin/zstd", libc}, "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"},
		"jemalloc's":             {[]string{"/usr/bin/redis-server", libc, jemalloc}, "MALLOC_CONF=thp:always"},
		"jemalloc's, named last": {[]string{jemalloc, libc}, "MALLOC_CONF=thp:always"},
		"one with no such name":  {[]string{libc, "/usr/lib/libmimalloc.so.2"}, ""},
		"an older C library's":   {[]string{"/usr/lib/libc-2.31.so"}, ""},
		"nobody's":               {[]string{"/usr/bin/static"}, ""},
	} {
		b := profile.NewBuilder()
		for _, path := range test.mapped {
			b.Mapping(profile.Mapping{Path: path})
		}
		pages := hugePagesOf(b.Build(profile.Meta{}))
		if pages.setting != test.want || !strings.Contains(pages.step(), "MADV_HUGEPAGE") || !strings.Contains(pages.step(), test.want) {
			t.Errorf("%s: %q, %s", name, pages.setting, pages.step())
		}
	}
}

func TestLoadsThatWaitAreToldTogether(t *testing.T) {
	with := func(share float64) Found {
		return Found{Finding: finding.Finding{Share: finding.Share{Exclusive: &share}}}
	}
	alone := []Found{with(0.2)}
	sayTogether(alone)
	if len(alone[0].Evidence) != 0 {
		t.Errorf("one load: %+v", alone[0].Evidence)
	}
	both := []Found{with(0.2), with(0.1)}
	sayTogether(both)
	for _, f := range both {
		if !slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool {
			return strings.Contains(e.Text, "2 loads") && *e.Share > 0.29 && *e.Share < 0.31
		}) {
			t.Errorf("two loads: %+v", f.Evidence)
		}
	}
}
