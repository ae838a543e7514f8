package symname

import (
	"slices"
	"testing"
)

func TestExpandFindsWhatWasShortened(t *testing.T) {
	names := []string{
		"void std::__introsort_loop<int*, long, Less>(int*, int*, long, Less)",
		"std::vector<std::pair<int, std::basic_string<char> >, std::allocator<int> >::push_back(int const&)",
		"github.com/klauspost/compress/zstd.(*blockEnc).encode",
		"a_plain_name_without_any_structure_at_all",
		"java/util/concurrent/ConcurrentHashMap.putVal",
		"<alloc::vec::Vec<T,A> as core::iter::traits::collect::Extend<T>>::extend",
		"clock_gettime_with_a_long_name@@GLIBC_2.17",
		"std::hash<std::string>::operator()(std::string) const",
	}
	for _, name := range names {
		for width := 8; width < len(name); width++ {
			short := Shorten(name, width)
			re := Expand(short)
			var found []string
			for _, n := range names {
				if re.MatchString(n) {
					found = append(found, n)
				}
			}
			if !slices.Equal(found, []string{name}) {
				t.Errorf("%q of %q finds %q", short, name, found)
			}
		}
	}
}
