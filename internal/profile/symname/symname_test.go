package symname

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShorten(t *testing.T) {
	const push = "std::vector<std::pair<int, std::basic_string<char> >, std::allocator<std::pair<int, std::basic_string<char> > > >::push_back(std::pair<int, std::basic_string<char> > const&)"
	for _, test := range []struct {
		name  string
		width int
		want  string
	}{
		{"main", 4, "main"},
		{push, 1000, push},
		{push, 100, "std::vector<std::pair<int, std::basic_string<…> >, std::allocator<std::pair<…> > >::push_back"},
		{push, 80, "std::vector<std::pair<…>, std::allocator<…> >::push_back"},
		{push, 30, "std::vector<…>::push_back"},
		{push, 22, "…vector<…>::push_back"},
		{push, 16, "…::push_back"},
		{"llvm::SmallPtrSetImplBase::insert_imp_big", 32, "…lPtrSetImplBase::insert_imp_big"},
		{push, 8, "st…_back"},
		{"void std::__introsort_loop<int*, long, Less>(int*, int*, long, Less)", 50, "std::__introsort_loop<int*, long, Less>"},
		{"operator new(unsigned long)", 20, "operator new"},
		{"std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)", 50, "std::operator<< <std::char_traits<char> >"},
		{"Matrix<double>::operator()(int, int) const", 30, "Matrix<double>::operator()"},
		{"Matrix<double>::operator()(int, int) const", 22, "Matrix<…>::operator()"},
		{"bool (anonymous namespace)::less<int>(int const&, int const&)", 40, "(anonymous namespace)::less<int>"},
		{"run(int)::{lambda(std::vector<int> const&)#1}::operator()(std::vector<int> const&) const", 56, "run(int)::{lambda(std::vector<…> const&)#1}::operator()"},
		{"foo(int, char const*) [clone .isra.0] [clone .cold]", 20, "foo"},
		{"<alloc::vec::Vec<T,A> as core::iter::traits::collect::Extend<T>>::extend", 60, "<Vec<…> as Extend<…>>::extend"},
		{"core::ptr::drop_in_place<alloc::vec::Vec<alloc::string::String>>", 30, "core::ptr::drop_in_place<…>"},
		{"github.com/klauspost/compress/zstd.(*blockEnc).encode", 30, "…/zstd.(*blockEnc).encode"},
		{"example.com/m/sorts.Sort[go.shape.struct { A int; B string }].func1", 40, "example.com/m/sorts.Sort[…].func1"},
		{"java/util/concurrent/ConcurrentHashMap.putVal", 30, "…/ConcurrentHashMap.putVal"},
		{"org.apache.lucene.index.IndexWriter.addDocument", 30, "…index.IndexWriter.addDocument"},
		{"a_plain_name_without_any_structure_at_all", 20, "a_plai…ucture_at_all"},
		{"broken<name(that>never)closes_properly_anywhere", 20, "broken…erly_anywhere"},
		{"héhéhéhéhéhéhéhéhéhé", 10, "héh…héhéhé"},
		{"clock_gettime@@GLIBC_2.17", 20, "clock_gettime"},
		{"x", 0, ""},
	} {
		if got := Shorten(test.name, test.width); got != test.want {
			t.Errorf("Shorten(%q, %d)\n got %q\nwant %q", test.name, test.width, got, test.want)
		}
	}
}

func FuzzShorten(f *testing.F) {
	for _, s := range []string{
		"a::b<c<d>>::operator->(int)", "<T as U>::f", "(*T).M", "operator<", "a{b(c)}d", ">", "x()", "\xff<", "::", "a.b.", "./", "operator",
	} {
		f.Add(s, 5)
	}
	f.Fuzz(func(t *testing.T, name string, width int) {
		width = max(0, width%200)
		got := Shorten(name, width)
		if n := utf8.RuneCountInString(got); n > width {
			t.Fatalf("Shorten(%q, %d) = %q has %d characters", name, width, got, n)
		}
		if utf8.RuneCountInString(name) <= width && got != name {
			t.Fatalf("Shorten(%q, %d) = %q, though it fits", name, width, got)
		}
		if utf8.ValidString(name) && !utf8.ValidString(got) {
			t.Fatalf("Shorten(%q, %d) = %q is no valid UTF-8", name, width, got)
		}
		if strings.TrimSpace(name) != "" && width > 0 && got == "" {
			t.Fatalf("Shorten(%q, %d) is empty", name, width)
		}
	})
}
