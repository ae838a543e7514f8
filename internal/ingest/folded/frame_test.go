package folded

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

func read(t *testing.T, text string) *profile.Profile {
	t.Helper()
	p, err := Read(context.Background(), strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

// show writes a frame as "name|file:start:line|kind|mapping".
func show(p *profile.Profile, l profile.LocationID) string {
	var parts []string
	for _, line := range p.Lines(l) {
		f := p.Function(line.Function)
		s := f.Name
		if f.File != "" || line.Line != 0 {
			s += fmt.Sprintf("|%s:%d:%d", f.File, f.StartLine, line.Line)
		}
		parts = append(parts, s+"|"+f.Kind.String()+"|"+p.Mapping(f.Mapping).Path)
	}
	return strings.Join(parts, " < ")
}

func leaf(p *profile.Profile) string {
	s := p.Stack(p.Samples()[0].Stack)
	if len(s) == 0 {
		return "(empty stack)"
	}
	return show(p, s[0])
}

func TestFrames(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"library", "comm;main_[jq];malloc_[libc.so.6] 3", "malloc|native|libc.so.6"},
		{"kernel", "comm;main_[jq];do_syscall_64_[k] 3", "do_syscall_64|kernel|[kernel.kallsyms]"},
		{"kernel module in double brackets", "comm;main_[jq];ext4_write_[[ext4]] 3", "ext4_write|kernel|[ext4]"},
		{"vdso", "comm;main_[jq];clock_gettime_[vdso] 3", "clock_gettime|vdso|[vdso]"},
		{"stripped code of a library", "comm;main_[jq];[unknown]_[libjq.so.1] 3", "|native|libjq.so.1"},
		{"stripped code, FlameGraph's way", "comm;_start;main;[libjq.so.1.0.4] 3", "|native|libjq.so.1.0.4"},
		{"broken unwind", "comm;main_[jq];[unknown] 3", "|unknown|"},
		{"unnamed JIT code", "php;main_[php8.2];[unknown]_[j] 3", "|jit|[jit]"},
		{"V8 code in a perf map", "node;main_[node];LazyCompile:*parse /srv/a.js:12:3_[j] 3", "parse|/srv/a.js:12:0|js|[jit]"},
		{"V8 code without a name", "node;main_[node];JS:~ file:///srv/a.mjs:1:1_[j] 3", "(anonymous)|/srv/a.mjs:1:0|js|[jit]"},
		{"CPython's perf trampoline", "python3;main_[python3.12];py::walk:/usr/lib/python3.12/ast.py_[j] 3", "walk|/usr/lib/python3.12/ast.py:0:0|python|[jit]"},
		{"offset behind a symbol", "comm;main_[jq];malloc+0x1f_[libc.so.6] 3", "malloc|native|libc.so.6"},
		{"bpftrace's decimal offset", "main+12;compute+0 3", "compute|unknown|"},
		{"an operator is no offset", "comm;main_[x];ns::operator+_[x] 3", "ns::operator+|native|x"},
		{"symbol version", "comm;main_[jq];cfree@GLIBC_2.2.5_[libc.so.6] 3", "cfree|native|libc.so.6"},
		{"PLT entry keeps its mark", "comm;main_[jq];free@plt_[jq] 3", "free@plt|native|jq"},
		{"mangled C++", "comm;main_[x];_ZNSt6vectorIiSaIiEE9push_backERKi_[x] 3", "std::vector<int, std::allocator<int>>::push_back|native|x"},
		{"C++ with spaces, commas and parentheses", "comm;main_[x];llvm::PassManager<llvm::Function, (anonymous namespace)::A>::run(int, char const*)_[libLLVM-14.so.1] 3", "llvm::PassManager<llvm::Function, (anonymous namespace)::A>::run(int, char const*)|native|libLLVM-14.so.1"},
		{"inlined into its caller", "comm;main_[x];outer_[x];inner_[i] 3", "inner|native|x < outer|native|x"},
		{"py-spy", "<module> (a.py:1);JSONDecoder.decode (json/decoder.py:332) 3", "JSONDecoder.decode|json/decoder.py:0:332|python|"},
		{"py-spy, frozen module", "<module> (a.py:1);main (<frozen site>:584) 3", "main|<frozen site>:0:584|python|"},
		{"py-spy -F", "<module> (a.py);f (b.py) 3", "f|b.py:0:0|python|"},
		{"py-spy --native, library", "<module> (a.py:1);f (b.py:2);_int_malloc (libc-2.31.so) 3", "_int_malloc|native|libc-2.31.so"},
		{"py-spy --native, program", "<module> (a.py:1);f (b.py:2);_PyEval_EvalFrameDefault (python3.8) 3", "_PyEval_EvalFrameDefault|native|python3.8"},
		{"py-spy --native, source", "<module> (a.py:1);f (b.py:2);compress_fast (deflate.c:88) 3", "compress_fast|deflate.c:0:88|native|"},
		{"py-spy --native, stripped library", "<module> (a.py:1);0x7f14f88228ec (libc.so.6) 3", "|native|libc.so.6"},
		{"py-spy --native, unknown library", "<module> (a.py:1);0x7f14f88228ec (?) 3", "|unknown|"},
		{"V8 CPU profile", "(anonymous) a/index.mjs:1;#read node:internal/fs:17 3", "#read|node:internal/fs:17:0|js|"},
		{"V8 CPU profile, built in", "run a/index.mjs:1;go b.mjs:2;(garbage collector) 388", "(garbage collector)|js|"},
		{"V8 regexp with everything in it", `run a/index.mjs:1;RegExp: [^\x20-\x7F]_[k] 9`, `RegExp: [^\x20-\x7F]_[k]|js|`},
		{"async-profiler", "java/lang/Thread.run_[0];com/x/A.call_[j];java/util/HashMap.get_[j] 3", "java/util/HashMap.get|java|"},
		{"async-profiler, inlined", "java/lang/Thread.run_[0];com/x/A.call_[j];java/util/HashMap.hash_[i] 3", "java/util/HashMap.hash|java| < com/x/A.call|java|"},
		{"Java, dots", "java.lang.Thread.run;java.util.HashMap.get 3", "java.util.HashMap.get|java|"},
		{"rbspy", "<main> - a.rb:12;block in each - /srv/lib/b.rb:3 3", "block in each|/srv/lib/b.rb:0:3|ruby|"},
		{"rbspy, C function", "<main> - a.rb:12;sleep [c function] - (unknown) 3", "sleep|ruby|"},
		{"Go", "runtime.main;main.main;encoding/json.(*decodeState).object 3", "encoding/json.(*decodeState).object|go|"},
		{"Go, hosted package", "runtime.main;main.main;github.com/x/y.Decode 3", "github.com/x/y.Decode|go|"},
		{".NET", "dotnet;main_[dotnet];void [System.Private.CoreLib] System.String::Concat(string,string)[OptimizedTier1]_[j] 3", "System.String::Concat(string,string)|dotnet|[jit]"},
		{"PHP source", "main /srv/a.php:1;Foo::bar /srv/b.php:9 3", "Foo::bar|/srv/b.php:0:9|php|"},
		{"no frames", " 221", "(empty stack)"},
		{"an empty frame", "a;;b;  3", "b|unknown|"},
		{"an empty leaf", "a;b;; 3", "|unknown|"},
		{"an address", "main;0x7f3a12 3", "|unknown|"},
		{"control characters", "a;b\x1b[31m\x07 3", "b\uFFFD[31m\uFFFD|unknown|"},
		{"a count with many digits and CRLF", "a;b 9007199254740993\r\n", "b|unknown|"},
		{"a tab before the count", "a;b\t3", "b|unknown|"},
		{"pseudo frame in brackets", "a;[missed]  3", "[missed]|unknown|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := leaf(read(t, c.line+"\n")); got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.line, got, c.want)
			}
		})
	}
}

func TestSystemNameIsKept(t *testing.T) {
	p := read(t, "comm;main_[x];_ZN1a1bEv_[x] 1\n")
	f := p.Function(p.Lines(p.Stack(p.Samples()[0].Stack)[0])[0].Function)
	if f.Name != "a::b" || f.SystemName != "_ZN1a1bEv" {
		t.Errorf("got %q, system name %q", f.Name, f.SystemName)
	}
}

func TestAddressIsKept(t *testing.T) {
	p := read(t, "main;0x7f3a12 3\n")
	if a := p.Location(p.Stack(p.Samples()[0].Stack)[0]).Address; a != 0x7f3a12 {
		t.Errorf("address %#x", a)
	}
}

func TestThreads(t *testing.T) {
	for _, c := range []struct{ name, text, labels, stack string }{
		{"perf with marks", "batcat;main_[batcat] 3\n", "thread=batcat", "main"},
		{"perf without marks", "python3;_start;__libc_start_main;main 3\npython3;clone3;start_thread;work 1\n", "thread=python3", "_start;__libc_start_main;main"},
		{"a version is no process ID", "clang-14;main_[clang] 3\n", "thread=clang-14", "main"},
		{"FlameGraph --pid", "worker-4711;main_[x] 3\n", "pid=4711,thread=worker", "main"},
		{"FlameGraph --tid", "kworker/0:1-4711/4712;main_[x] 3\n", "pid=4711,thread=kworker/0:1,tid=4712", "main"},
		{"FlameGraph --tid without PID", "w-?/4712;main_[x] 3\n", "thread=w,tid=4712", "main"},
		{"a comm alone", "ghc_ticker 3\npandoc;main_[pandoc] 4\n", "thread=ghc_ticker", ""},
		{"async-profiler -t", "[main tid=17];java/lang/Thread.run;A.b 3\n", "thread=main,tid=17", "java/lang/Thread.run;A.b"},
		{"py-spy --subprocesses --threads", "process 12:\"/usr/bin/python3 a.py\";thread (0x7F01): MainThread;<module> (a.py:1) 3\n", "pid=12,process=python3,thread=MainThread,tid=32513", "<module>"},
		{"py-spy, child process", "process 12:\"/usr/bin/python3 a.py\";process 14:\"/usr/bin/python3 -m b\";<module> (a.py:1) 3\n", "pid=14,process=python3", "<module>"},
		{"austin", "# austin: 3.6.0\nP12;T0:34;/srv/a.py:<module>:1;/srv/a.py:f:7 1200\n", "pid=12,tid=34", "<module>;f"},
		{"functions first: marks on the first frame", "main_[x];f_[x] 3\n", "", "main;f"},
		{"functions first: the first frame calls itself", "f;g_[k] 3\nh;f;g_[k] 3\n", "", "f;g"},
		{"functions first: plain", "main;f 3\n", "", "main;f"},
		{"functions first: an unwound stack", "_start;main_[x] 3\n", "", "_start;main"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, c.text)
			s := p.Samples()[0]
			var labels, stack []string
			for _, l := range p.Labels(s.Labels) {
				if l.Str == "" {
					l.Str = fmt.Sprint(l.Num)
				}
				labels = append(labels, l.Key+"="+l.Str)
			}
			locs := p.Stack(s.Stack)
			for _, l := range slices.Backward(locs) {
				stack = append(stack, p.Function(p.Lines(l)[0].Function).Name)
			}
			if got := strings.Join(labels, ","); got != c.labels {
				t.Errorf("labels %q, want %q", got, c.labels)
			}
			if got := strings.Join(stack, ";"); got != c.stack {
				t.Errorf("stack %q, want %q", got, c.stack)
			}
		})
	}
}

// A stack of inlined frames only has nothing to be inlined into.
func TestInlinedRoot(t *testing.T) {
	p := read(t, "a_[i];b_[i];c 2\n")
	locs := p.Stack(p.Samples()[0].Stack)
	if len(locs) != 2 {
		t.Fatalf("%d locations, want 2", len(locs))
	}
	if got := show(p, locs[1]); got != "b|unknown| < a|unknown|" {
		t.Errorf("root %s", got)
	}
}
