package codename

import (
	"testing"

	"whyhot/internal/profile"
)

func TestOfMapping(t *testing.T) {
	for path, want := range map[string]profile.Kind{
		"":                                    profile.KindUnknown,
		"[unknown]":                           profile.KindUnknown,
		"/usr/lib/x86_64-linux-gnu/libc.so.6": profile.KindNative,
		"libc.so.6":                           profile.KindNative,
		"php8.2":                              profile.KindNative,
		"/usr/bin/app (deleted)":              profile.KindNative,
		"[kernel.kallsyms]":                   profile.KindKernel,
		"[kernel.kallsyms]_text":              profile.KindKernel,
		"[guest.kernel.kallsyms]":             profile.KindKernel,
		"/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko":    profile.KindKernel,
		"/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz": profile.KindKernel,
		"[ext4]":                            profile.KindKernel,
		"[bpf]":                             profile.KindKernel,
		"/boot/vmlinux-6.1.0":               profile.KindKernel,
		"[vdso]":                            profile.KindVDSO,
		"linux-vdso.so.1":                   profile.KindVDSO,
		"[vsyscall]":                        profile.KindVDSO,
		"[anon]":                            profile.KindJIT,
		"//anon":                            profile.KindJIT,
		"[anon:v8]":                         profile.KindJIT,
		"/tmp/perf-4711.map":                profile.KindJIT,
		"/memfd:doublemapper (deleted)":     profile.KindJIT,
		"/tmp/jitted-12-3.so":               profile.KindJIT,
		"[heap]":                            profile.KindJIT,
		"/usr/lib/mono/4.5/mscorlib.dll.so": profile.KindDotNet,
		"/srv/app/System.Text.Json.dll":     profile.KindDotNet,
	} {
		if got := OfMapping(path); got != want {
			t.Errorf("%q is %v, want %v", path, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, file, mapping string
		want                profile.Kind
	}{
		{"runtime.mallocgc", "/usr/local/go/src/runtime/malloc.go", "/usr/bin/app", profile.KindGo},
		{"runtime.memmove", "/usr/local/go/src/runtime/memmove_amd64.s", "/usr/bin/app", profile.KindGo},
		{"memcpy_avx", "sysdeps/x86_64/multiarch/memmove.s", "libc.so.6", profile.KindNative},
		{"main.main", "", "/usr/bin/app", profile.KindGo},
		{"main", "", "/usr/bin/app", profile.KindNative},
		{"foo.part.0", "", "libx.so.1", profile.KindNative},
		{"std::map<int, a.b>::find", "", "libx.so.1", profile.KindNative},
		{"do_syscall_64", "", "[kernel.kallsyms]", profile.KindKernel},
		{"net/http.(*conn).serve", "", "", profile.KindGo},
		{"java/util/HashMap.get", "", "", profile.KindJava},
		{"java.util.HashMap.get", "", "", profile.KindJava},
		{"JS:*parse /a.js:1:2", "", "[anon]", profile.KindJS},
		{"0x1234", "", "[anon]", profile.KindJIT},
		{"wrapper.<locals>.inner", "", "", profile.KindPython},
		{"decode", "json/decoder.py", "", profile.KindPython},
		{"each", "<internal:array>", "", profile.KindRuby},
		{"malloc", "", "", profile.KindUnknown},
		{"", "", "", profile.KindUnknown},
		{"Object.assign", "", "", profile.KindUnknown},
	} {
		if got := Of(c.name, c.file, c.mapping); got != c.want {
			t.Errorf("%q in %q of %q is %v, want %v", c.name, c.file, c.mapping, got, c.want)
		}
	}
}

func TestDisplay(t *testing.T) {
	for in, want := range map[string]string{
		"malloc":                        "malloc",
		"cfree@GLIBC_2.2.5":             "cfree",
		"__libc_start_main@@GLIBC_2.34": "__libc_start_main",
		"free@plt":                      "free@plt",
		"_ZN1a1bEv@plt":                 "a::b@plt",
		"_ZN1a1bEi":                     "a::b",
		"_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_": "std::move<int&>",
		"_ZNSt6vectorIiSaIiEE9push_backERKi":                "std::vector<int, std::allocator<int>>::push_back",
		"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE":    "core::fmt::Formatter::pad",
		"_ZNotAName": "_ZNotAName",
		"main":       "main",
		"@odd":       "@odd",
		"foo@bar":    "foo@bar",
	} {
		if got := Display(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func TestJIT(t *testing.T) {
	for in, want := range map[string]Parsed{
		"LazyCompile:*parse /srv/a.js:12:3":                                           {Name: "parse", File: "/srv/a.js", Line: 12, Kind: profile.KindJS},
		"JS:^Foo.bar file:///srv/a.mjs:7:1":                                           {Name: "Foo.bar", File: "file:///srv/a.mjs", Line: 7, Kind: profile.KindJS},
		"Function:~ node:internal/fs:9":                                               {Name: "(anonymous)", File: "node:internal/fs", Line: 9, Kind: profile.KindJS},
		"Builtin:ArrayPrototypeJoin":                                                  {Name: "Builtin:ArrayPrototypeJoin", Kind: profile.KindJS},
		"py::walk:/usr/lib/python3.12/ast.py":                                         {Name: "walk", File: "/usr/lib/python3.12/ast.py", Kind: profile.KindPython},
		"void [System.Private.CoreLib] System.String::Concat(string)[OptimizedTier1]": {Name: "System.String::Concat(string)", Kind: profile.KindDotNet},
		"class [System.Runtime]System.Type [System.Private.Xml] System.Xml.TypeScope::Import(class [System.Runtime]System.Type)[Optimized]": {
			Name: "System.Xml.TypeScope::Import(class [System.Runtime]System.Type)", Kind: profile.KindDotNet,
		},
		"JIT$strlen":                   {Name: "strlen", Kind: profile.KindPHP},
		"Ljava/lang/String;::hashCode": {Name: "Ljava/lang/String;::hashCode", Kind: profile.KindJava},
	} {
		if got, ok := JIT(in); !ok || got != want {
			t.Errorf("%q gives %+v (%v), want %+v", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "malloc", "std::move<int>", "a::b::c[abi:cxx11]", "ns::JS", "operator[]"} {
		if got, ok := JIT(in); ok {
			t.Errorf("%q is no name of a JIT, got %+v", in, got)
		}
	}
}

func TestSplitPosition(t *testing.T) {
	for _, c := range []struct {
		in, file string
		line     int32
		ok       bool
	}{
		{"a.py:12", "a.py", 12, true},
		{"/a/b.js:12:3", "/a/b.js", 12, true},
		{"C:/x/a.py:4", "C:/x/a.py", 4, true},
		{"a.py", "a.py", 0, false},
		{"a.py:", "a.py:", 0, false},
		{"a.py:x", "a.py:x", 0, false},
		{":12", ":12", 0, false},
		{"a.py:99999999999", "a.py:99999999999", 0, false},
	} {
		file, line, ok := SplitPosition(c.in)
		if file != c.file || line != c.line || ok != c.ok {
			t.Errorf("%q gives %q %d %v", c.in, file, line, ok)
		}
	}
}

// Demangling is foreign code that runs on foreign input.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"_ZNSt6vectorIiSaIiEE9push_backERKi", "_RNvCs1234_7mycrate3foo", "LazyCompile:*a b.js:1:2", "a@@B_1", "py::a:b.py", "x/Y.z", "[ext4]"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		Display(s)
		JIT(s)
		Of(s, s, s)
		SplitPosition(s)
		Image(s, "mscorlib.dll.so")
	})
}
