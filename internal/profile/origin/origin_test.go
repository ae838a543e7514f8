package origin

import (
	"encoding/json"
	"regexp"
	"testing"

	"whyhot/internal/profile"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		want    Origin
		binary  string
		f       profile.Function
		comment string
	}{
		{Own, "/opt/app/bin/server", profile.Function{Name: "handle", Kind: profile.KindNative}, "the program itself"},
		{Library, "/usr/lib/x86_64-linux-gnu/libc.so.6", profile.Function{Name: "malloc", Kind: profile.KindNative}, ""},
		{Library, "/lib64/ld-linux-x86-64.so.2", profile.Function{Name: "_dl_fixup", Kind: profile.KindNative}, ""},
		{Runtime, "/usr/bin/bash", profile.Function{Name: "execute_command_internal", Kind: profile.KindNative}, "what interprets a script"},
		{Runtime, "/home/me/app", profile.Function{Name: "memeqbody", File: "internal/bytealg/equal_amd64.s", Kind: profile.KindGo}, "built with -trimpath"},
		{Own, "/home/me/app", profile.Function{Name: "example.com/app/idx.(*Index).Add", File: "example.com/app/idx/idx.go", Kind: profile.KindGo}, ""},
		{Library, "", profile.Function{Name: "Text::CSV_PP::____parse", File: "/home/me/app/local/lib/perl5/Text/CSV_PP.pm", Kind: profile.KindPerl}, ""},
		{Library, "", profile.Function{Name: "FindBin::BEGIN", File: "/usr/lib/x86_64-linux-gnu/perl-base/Exporter.pm", Kind: profile.KindPerl}, ""},
		{Library, "", profile.Function{Name: "expand", File: "/usr/lib/x86_64-linux-gnu/ruby/3.1.0/rbconfig.rb", Kind: profile.KindRuby}, ""},
		{Own, "", profile.Function{Name: "Sales::dups", File: "/home/me/app/lib/Sales.pm", Kind: profile.KindPerl}, ""},
		{Library, "libz.so", profile.Function{Kind: profile.KindUnknown}, "folded files give base names"},
		{Library, "libz.so", profile.Function{Name: "inflate", File: "inflate.c", Kind: profile.KindNative}, "also with sources"},
		{Own, "/home/me/app/build/libcore.so.1", profile.Function{Name: "parse", File: "/home/me/app/src/parse.c", Kind: profile.KindNative}, "built beside the program"},
		{Library, "/home/me/app/build/libcore.so.1", profile.Function{Name: "parse", Kind: profile.KindNative}, "without sources it may be anybody's"},
		{Library, "/home/me/app/build/libcore.so.1", profile.Function{Name: "std::sort<int*>", File: "/usr/include/c++/12/bits/stl_algo.h", Kind: profile.KindNative}, ""},
		{Library, "/srv/venv/numpy.libs/libopenblas.so", profile.Function{Name: "dgemm_kernel", File: "/io/OpenBLAS/driver/level3/gemm.c", Kind: profile.KindNative}, "what a wheel brings"},
		{Library, "/usr/local/lib/libcore.so.1", profile.Function{Name: "parse", File: "/build/core/src/parse.c", Kind: profile.KindNative}, "installed"},
		{Library, "/root/.pyenv/versions/3.11.7/lib/python3.11/lib-dynload/_json.cpython-311-x86_64-linux-gnu.so", profile.Function{Name: "scan_once", File: "/tmp/python-build/Modules/_json.c", Kind: profile.KindNative}, ""},
		{Library, "/home/me/R/x86_64-pc-linux-gnu-library/4.2/data.table/libs/data.table.so", profile.Function{Name: "forder", File: "/tmp/Rtmp/forder.c", Kind: profile.KindNative}, ""},
		{Library, "/usr/lib/libSystem.dylib", profile.Function{Kind: profile.KindNative}, ""},
		{Library, "/opt/app/bin/server", profile.Function{Name: "std::sort<int*>", Kind: profile.KindNative}, "instantiated in the program"},
		{Library, "/opt/app/bin/tool", profile.Function{Name: "<alloc::vec::Vec<T> as core::ops::Drop>::drop", Kind: profile.KindNative}, ""},
		{Library, "/opt/app/bin/tool", profile.Function{Name: "grep", File: "/home/u/.cargo/registry/src/x/regex-1/lib.rs", Kind: profile.KindNative}, ""},
		{Library, "/opt/app/bin/tool", profile.Function{Name: "<hashbrown::raw::RawTableInner>::find_inner", File: "/rust/deps/hashbrown-0.16.1/src/raw/mod.rs", Kind: profile.KindNative}, ""},
		{Own, "/opt/app/bin/server", profile.Function{Name: "standard::f", Kind: profile.KindNative}, "std is not a prefix of a word"},
		{Own, "", profile.Function{Name: "java.lang.String Report.render(java.util.List)", File: "Report.java", Kind: profile.KindJava}, "the type is not the class"},
		{Library, "", profile.Function{Name: "int java.lang.StringLatin1.hashCode(byte[])", File: "StringLatin1.java", Kind: profile.KindJava}, ""},
		{Runtime, "/usr/bin/python3.11", profile.Function{Name: "_PyEval_EvalFrameDefault", Kind: profile.KindNative}, ""},
		{Runtime, "/usr/bin/node", profile.Function{Name: "v8::internal::Heap::Scavenge", Kind: profile.KindNative}, ""},
		{Runtime, "/usr/lib/jvm/lib/server/libjvm.so", profile.Function{Name: "G1ParScanThreadState", Kind: profile.KindNative}, ""},
		{Runtime, "/usr/lib/libpython3.11.so.1.0", profile.Function{Name: "PyObject_Call", Kind: profile.KindNative}, ""},
		{Kernel, "[kernel.kallsyms]", profile.Function{Name: "clear_page_erms", Kind: profile.KindKernel}, ""},
		{Kernel, "[vdso]", profile.Function{Name: "__vdso_gettimeofday", Kind: profile.KindVDSO}, ""},
		{Unknown, "", profile.Function{Name: "f", Kind: profile.KindUnknown}, "a folded file without marks"},
		{Unknown, "[heap]", profile.Function{Kind: profile.KindNative}, ""},
		{Unknown, "//anon", profile.Function{Kind: profile.KindNative}, ""},
		{Own, "", profile.Function{Name: "work", File: "/srv/app/job.py", Kind: profile.KindPython}, ""},
		{Library, "", profile.Function{Name: "loads", File: "/usr/lib/python3.11/json/__init__.py", Kind: profile.KindPython}, ""},
		{Library, "", profile.Function{Name: "get", File: "/srv/venv/lib/python3.11/site-packages/requests/api.py", Kind: profile.KindPython}, ""},
		{Library, "", profile.Function{Name: "_load", File: "<frozen importlib._bootstrap>", Kind: profile.KindPython}, ""},
		{Library, "", profile.Function{Name: "parse", File: "/srv/app/node_modules/acorn/index.js", Kind: profile.KindJS}, ""},
		{Library, "", profile.Function{Name: "emit", File: "node:events", Kind: profile.KindJS}, ""},
		{Runtime, "", profile.Function{Name: "(garbage collector)", Kind: profile.KindJS}, ""},
		{Runtime, "", profile.Function{Name: "V8::EntryFrame", Kind: profile.KindJS}, ""},
		{Own, "", profile.Function{Name: "(anonymous)", File: "/srv/app/x.js", Kind: profile.KindJS}, ""},
		{Library, "", profile.Function{Name: "java/util/HashMap.get", Kind: profile.KindJava}, ""},
		{Own, "", profile.Function{Name: "com/acme/Shop.buy", Kind: profile.KindJava}, ""},
		{Runtime, "/opt/app/srv", profile.Function{Name: "runtime.mallocgc", Kind: profile.KindGo}, ""},
		{Library, "/opt/app/srv", profile.Function{Name: "encoding/json.Unmarshal", Kind: profile.KindGo}, ""},
		{Library, "/opt/app/srv", profile.Function{Name: "bytes.Equal", Kind: profile.KindGo}, ""},
		{Own, "/opt/app/srv", profile.Function{Name: "main.main", Kind: profile.KindGo}, ""},
		{Own, "/opt/app/srv", profile.Function{Name: "github.com/acme/shop/cart.Add", Kind: profile.KindGo}, ""},
		{Library, "/opt/app/srv", profile.Function{Name: "github.com/x/y.F", File: "/home/u/go/pkg/mod/github.com/x/y@v1/f.go", Kind: profile.KindGo}, ""},
		{Runtime, "", profile.Function{Kind: profile.KindJIT}, "code from a JIT without a map"},
		{Runtime, "", profile.Function{Name: "Builtin:ArrayMap", Kind: profile.KindJIT}, ""},
		{Own, "", profile.Function{Name: "JS:*parse /srv/app/parse.js:10:2", Kind: profile.KindJIT}, ""},
		{Library, "", profile.Function{Name: "JS:*parse /srv/app/node_modules/acorn/parse.js:10:2", Kind: profile.KindJIT}, ""},
	} {
		b := profile.NewBuilder()
		if c.binary != "" {
			c.f.Mapping = b.Mapping(profile.Mapping{Path: c.binary})
		}
		id := b.Function(c.f)
		if got := Of(b.Build(profile.Meta{}), id); got != c.want {
			t.Errorf("%q in %q is %v, want %v %s", c.f.Name, c.binary, got, c.want, c.comment)
		}
	}
}

func TestPaletteHasEveryOrigin(t *testing.T) {
	var entries []map[string]any
	if err := json.Unmarshal(PaletteJSON, &entries); err != nil {
		t.Fatal(err)
	}
	if len(entries) != int(Group)+1 {
		t.Fatalf("%d entries, want one for each of %d origins", len(entries), Group+1)
	}
	color := regexp.MustCompile(`^#[0-9a-f]{6}$`)
	seen := map[string]Origin{}
	for o := Unknown; o <= Group; o++ {
		c := o.Color("lib", "name")
		if !color.MatchString(c) {
			t.Errorf("%v: colour %q", o, c)
		}
		if other, double := seen[c]; double {
			t.Errorf("%v and %v have the same colour", o, other)
		}
		seen[c] = o
		if o.Label() == "" || o.String() == "" {
			t.Errorf("origin %d has no name", o)
		}
	}
}

func TestHexAgreesWithCSS(t *testing.T) {
	for _, c := range []struct {
		hue, s, l float64
		want      string
	}{{0, 1, 0.5, "#ff0000"}, {120, 1, 0.25, "#008000"}, {240, 1, 0.5, "#0000ff"}, {38, 0.88, 0.67, "#f5bf61"}, {0, 0, 1, "#ffffff"}} {
		if got := hex(c.hue, c.s, c.l); got != c.want {
			t.Errorf("hsl(%v %v %v) is %s, want %s", c.hue, c.s, c.l, got, c.want)
		}
	}
}

func TestRuntimes(t *testing.T) {
	for binary, want := range map[string]bool{
		"/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0": true, "/usr/lib/R/lib/libR.so": true, "/usr/bin/node": true,
		"/usr/bin/perl": true, "/usr/bin/perlbench": false, "/usr/lib/libRaw.so.20": false, "/usr/lib/x86_64-linux-gnu/libtcl8.6.so": true, "/usr/bin/tclsh8.6": true,
		"/usr/bin/swipl": true, "/usr/lib/libtclap.so": false, "/srv/app": false, "": false,
	} {
		if got := IsRuntime(binary); got != want {
			t.Errorf("%s: %t", binary, got)
		}
	}
}
