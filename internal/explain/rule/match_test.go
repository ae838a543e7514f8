package rule

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/profile"
)

func TestRequiredLiterals(t *testing.T) {
	for expr, want := range map[string][]string{
		`^deflate(_fast|_slow)?$`: {"deflate"},
		`^(malloc|free|calloc)$`:  {"malloc", "free", "calloc"},
		`^std::_Rb_tree`:          {"std::_rb_tree"},
		`(?i)SipHash`:             {"siphash"},
		`^(ab|malloc)$`:           nil,
		`.`:                       nil,
		`a+bcd`:                   {"bcd"},
		`(?:xyz)*`:                nil,
		`(?:xyz)+`:                {"xyz"},
		`(`:                       nil,
	} {
		got := requiredLiterals(expr)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", expr, got, want)
		}
	}
}

// The index must find exactly what trying every pattern would find.
func TestIndexAgreesWithTryingEverything(t *testing.T) {
	cat := builtin(t)
	x := newIndex()
	var lists [][]catalog.Frame
	for i := range cat.Entries {
		e := &cat.Entries[i]
		for _, l := range [][]catalog.Frame{e.Match.Any, e.Match.Inside, e.Match.Outside, e.Match.Leaf, e.Unless.Frames} {
			if x.add(l) != noSet {
				lists = append(lists, l)
			}
		}
	}
	l := x.lookup()
	var names []string
	for i := range cat.Entries {
		for _, test := range cat.Entries[i].Tests {
			for line := range strings.Lines(test.Profile) {
				for part := range strings.SplitSeq(line, ";") {
					name, _, _ := strings.Cut(part, "_[")
					names = append(names, name)
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		f := frame{
			name: rapid.SampledFrom(names).Draw(t, "name"),
			file: rapid.SampledFrom([]string{"", "json/decoder.py", "node_modules/uuid/v4.js", "a.go"}).Draw(t, "file"),
			lib:  rapid.SampledFrom([]string{"", "libc.so.6", "libz.so.1", "app", "libcrypto.so.3", "node"}).Draw(t, "lib"),
			kind: profile.Kind(rapid.IntRange(0, len(catalog.Kinds)-1).Draw(t, "kind")),
		}
		if rapid.Bool().Draw(t, "mutate") {
			f.name += rapid.StringMatching(`[a-z_:<]{0,4}`).Draw(t, "suffix")
		}
		got := l.sets(&f)
		slices.Sort(got)
		var want []setID
		for id, frames := range lists {
			if slices.ContainsFunc(frames, func(p catalog.Frame) bool { return plainMatch(&p, &f) }) {
				want = append(want, setID(id))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%+v: index %v, brute force %v", f, got, want)
		}
	})
}

// plainMatch is the meaning of a frame pattern, written without any trick.
func plainMatch(p *catalog.Frame, f *frame) bool {
	if len(p.Kind) > 0 && !slices.Contains(p.Kind, f.kind.String()) {
		return false
	}
	if p.NoLibrary && f.lib != "" || p.Unnamed && f.name != "" {
		return false
	}
	if len(p.Library)+len(p.NotLibrary) > 0 && f.lib == "" {
		return false
	}
	hit := func(ps []catalog.Pattern, s string) bool { return s != "" && catalog.MatchAny(ps, s) }
	return (len(p.Library) == 0 || hit(p.Library, f.lib)) && !hit(p.NotLibrary, f.lib) &&
		(len(p.Name) == 0 || hit(p.Name, f.name)) && !hit(p.NotName, f.name) &&
		(len(p.File) == 0 || hit(p.File, f.file))
}

func TestNormalize(t *testing.T) {
	tests := []struct {
		fn   profile.Function
		want frame
	}{
		{profile.Function{Name: "cfree@GLIBC_2.2.5", Kind: profile.KindNative}, frame{name: "cfree", kind: profile.KindNative}},
		{profile.Function{Name: "memcpy@@GLIBC_2.14", Kind: profile.KindNative}, frame{name: "memcpy", kind: profile.KindNative}},
		{profile.Function{Name: "malloc@plt", Kind: profile.KindNative}, frame{name: "malloc@plt", kind: profile.KindNative}},
		{profile.Function{Name: "unlink_chunk.constprop.0", Kind: profile.KindNative}, frame{name: "unlink_chunk", kind: profile.KindNative}},
		{profile.Function{Name: "f.isra.0.cold", Kind: profile.KindNative}, frame{name: "f", kind: profile.KindNative}},
		{profile.Function{Name: "foo(int) [clone .part.0]", Kind: profile.KindNative}, frame{name: "foo(int)", kind: profile.KindNative}},
		{profile.Function{Name: "void std::__introsort_loop<int*, long>(int*, int*, long)", Kind: profile.KindNative}, frame{name: "std::__introsort_loop<int*, long>(int*, int*, long)", kind: profile.KindNative}},
		{profile.Function{Name: "std::ostream& std::operator<< <char>", Kind: profile.KindNative}, frame{name: "std::ostream& std::operator<< <char>", kind: profile.KindNative}},
		{profile.Function{Name: "bool (anonymous namespace)::f<int>(int) const", Kind: profile.KindNative}, frame{name: "(anonymous namespace)::f<int>(int) const", kind: profile.KindNative}},
		{profile.Function{Name: "ns::T::g(int) const", Kind: profile.KindNative}, frame{name: "ns::T::g(int) const", kind: profile.KindNative}},
		{profile.Function{Name: "std::vector<bool, std::allocator<bool> >::operator=", Kind: profile.KindNative}, frame{name: "std::vector<bool, std::allocator<bool> >::operator=", kind: profile.KindNative}},
		{profile.Function{Name: "<F as core::ops::FnOnce<fn() -> T>>::call", Kind: profile.KindNative}, frame{name: "<F as core::ops::FnOnce<fn() -> T>>::call", kind: profile.KindNative}},
		{profile.Function{Name: "__GI___libc_malloc", Kind: profile.KindNative}, frame{name: "__libc_malloc", kind: profile.KindNative}},
		{profile.Function{Name: "core::fmt::write::h0123456789abcdef", Kind: profile.KindNative}, frame{name: "core::fmt::write", kind: profile.KindNative}},
		{profile.Function{Name: "core::fmt::write::hash_of_sixteen__", Kind: profile.KindNative}, frame{name: "core::fmt::write::hash_of_sixteen__", kind: profile.KindNative}},
		{profile.Function{Name: "Ljava/util/HashMap;::getNode", Kind: profile.KindJava}, frame{name: "java.util.HashMap.getNode", kind: profile.KindJava}},
		{profile.Function{Name: "java/util/HashMap.getNode", Kind: profile.KindJava}, frame{name: "java.util.HashMap.getNode", kind: profile.KindJava}},
		{profile.Function{Name: "int[] java.lang.String.chars0(byte[], int)", Kind: profile.KindJava}, frame{name: "java.lang.String.chars0", kind: profile.KindJava}},
		{profile.Function{Name: "void com.acme.A$$Lambda$149+<hidden>.<init>()", Kind: profile.KindJava}, frame{name: "com.acme.A$$Lambda$149+<hidden>.<init>", kind: profile.KindJava}},
		{profile.Function{Name: "StubRoutines (1) [call_stub_return_address]", Kind: profile.KindJava}, frame{name: "StubRoutines (1) [call_stub_return_address]", kind: profile.KindJava}},
		{profile.Function{Name: "java.util.HashMap.getNode", Kind: profile.KindJava}, frame{name: "java.util.HashMap.getNode", kind: profile.KindJava}},
		{profile.Function{Name: "JS:*next /srv/node_modules/express/lib/router.js:10:5", Kind: profile.KindJIT},
			frame{name: "next", file: "/srv/node_modules/express/lib/router.js", kind: profile.KindJS}},
		{profile.Function{Name: "py::loads:/usr/lib/python3.12/json/__init__.py", Kind: profile.KindJIT},
			frame{name: "loads", file: "/usr/lib/python3.12/json/__init__.py", kind: profile.KindPython}},
		{profile.Function{Name: "Newtonsoft.Json.JsonConvert::Parse", Kind: profile.KindDotNet}, frame{name: "Newtonsoft.Json.JsonConvert.Parse", kind: profile.KindDotNet}},
		{profile.Function{Name: "retry@Decorator", Kind: profile.KindPython}, frame{name: "retry@Decorator", kind: profile.KindPython}},
	}
	for _, tt := range tests {
		if got := normalize(&tt.fn, &profile.Mapping{}); got != tt.want {
			t.Errorf("%q: got %+v, want %+v", tt.fn.Name, got, tt.want)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"1:1.2.13.dfsg-1", "1.2.13", 0}, {"1.2.9", "1.2.13", -1}, {"1.3", "1.2.13", 1}, {"2.36-9+deb12u8", "2.36", 0},
		{"1.2", "1.2.0", 0}, {"", "1", -1}, {"10.42", "9.99", 1}, {"v1", "1", -1},
	} {
		if got := CompareVersions(tt.a, tt.b); got != tt.want {
			t.Errorf("CompareVersions(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestFamilies(t *testing.T) {
	f := NewFamilies(builtin(t))
	for _, tt := range []struct {
		name, file, lib string
		kind            profile.Kind
		want            string
	}{
		{"malloc", "", "libc.so.6", profile.KindNative, "memory management"},
		{"_int_free", "", "", profile.KindNative, "memory management"},
		{"", "", "libjemalloc.so.2", profile.KindNative, "memory management"},
		{"", "", "libz.so.1.2.13", profile.KindNative, "compression"},
		{"longest_match", "", "git", profile.KindNative, "compression"},
		{"raw_decode", "json/decoder.py", "", profile.KindPython, "JSON"},
		{"encoding/json.(*decodeState).object", "", "app", profile.KindGo, "JSON"},
		{"runtime.scanobject", "", "app", profile.KindGo, "garbage collection"},
		{"(garbage collector)", "", "", profile.KindJS, "garbage collection"},
		{"clear_page_erms", "", "[kernel.kallsyms]", profile.KindKernel, "page faults"},
		{"tcp_sendmsg", "", "[kernel.kallsyms]", profile.KindKernel, "kernel"},
		{"__memmove_avx_unaligned_erms", "", "libc.so.6", profile.KindNative, "copies and fills"},
		{"__memcmp_avx2_movbe", "", "libc.so.6", profile.KindNative, "string and memory search"},
		{"____strtod_l_internal", "", "libc.so.6", profile.KindNative, "formatting and number parsing"},
		{"std::__ostream_insert<char>", "", "libstdc++.so.6", profile.KindNative, "formatting and number parsing"},
		{"_Unwind_RaiseException", "", "libgcc_s.so.1", profile.KindNative, "exceptions"},
		{"std::_Rb_tree<int>::find", "", "app", profile.KindNative, "containers"},
		{"core::hash::sip::Hasher::write", "", "app", profile.KindNative, "hashing"},
		{"pthread_mutex_lock", "", "libc.so.6", profile.KindNative, "locks and scheduling"},
		{"my_own_function", "", "app", profile.KindNative, "other"},
		{"allocate_ticket", "", "app", profile.KindNative, "other"},
		{"", "", "app", profile.KindNative, "other"},
	} {
		fn := &profile.Function{Name: tt.name, File: tt.file, Kind: tt.kind}
		if got := f.Group(fn, &profile.Mapping{Path: tt.lib}); got != tt.want {
			t.Errorf("%s in %q: got %q, want %q", tt.name, tt.lib, got, tt.want)
		}
	}
}

func TestPatternsAreAnchoredOrSpecific(t *testing.T) {
	cat := builtin(t)
	innocent := []string{"main", "run", "process", "handle_request", "compute", "update", "render", "do_work", "loop", "parse_args", "get", "set", "open_file", "calculate_price", "Person::name", "match_users", "transform_points", "compress_image_list"}
	for i := range cat.Entries {
		e := &cat.Entries[i]
		if e.Fallback {
			continue
		}
		for _, f := range e.Match.Any {
			if len(f.Name) == 0 || len(f.Library) > 0 || len(f.File) > 0 || slices.Contains(f.Kind, "kernel") {
				continue
			}
			for _, name := range innocent {
				if catalog.MatchAny(f.Name, name) {
					t.Errorf("%s: matches the innocent name %q", e.ID, name)
				}
			}
		}
	}
}

func FuzzNormalize(f *testing.F) {
	f.Add("JS:*f /a.js:1:2", uint8(profile.KindJIT))
	f.Add("a@@B", uint8(profile.KindNative))
	f.Add("L/;::", uint8(profile.KindJava))
	f.Fuzz(func(t *testing.T, name string, kind uint8) {
		fn := &profile.Function{Name: name, Kind: profile.Kind(kind % 13)}
		normalize(fn, &profile.Mapping{})
		for _, lit := range requiredLiterals(regexp.QuoteMeta(name)) {
			if !strings.Contains(strings.ToLower(name), lit) {
				t.Errorf("%q is no part of %q", lit, name)
			}
		}
	})
}
