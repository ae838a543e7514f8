package ebpf

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/ebpf-profiler/interpreter"
	"go.opentelemetry.io/ebpf-profiler/libpf"

	"whyhot/internal/collect"
	"whyhot/internal/host/tool"
)

// slowStart keeps a Java program busy between the loading of its virtual machine's library
// and the start of that, for longer than the profiler takes to meet it.
const slowStart = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <time.h>
void *dlopen(const char *name, int flags) {
	void *(*real)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
	void *handle = real(name, flags);
	if (name && strstr(name, "libjvm.so")) {
		clock_t end = clock() + CLOCKS_PER_SEC;
		while (clock() < end) ;
	}
	return handle;
}
`

func TestJavaThatIsMetBeforeItIsReady(t *testing.T) {
	usable(t.Context(), t)
	if _, err := tool.Find("java"); err != nil {
		t.Skip("java is not installed")
	}
	dir := t.TempDir()
	at := 0
	for programs[at].tool != "java" {
		at++
	}
	source, library := filepath.Join(dir, programs[at].file), filepath.Join(dir, "slow.so")
	for file, text := range map[string]string{source: programs[at].source, library + ".c": slowStart} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := exec.CommandContext(t.Context(), "cc", "-shared", "-fPIC", "-o", library, library+".c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	command := append([]string{"env", "LD_PRELOAD=" + library}, compiled(t, source)...)
	settled(t, func(v *verdict) {
		p, _ := record(t.Context(), t, collect.Request{Target: collect.Target{Command: command}})
		java := int64(0)
		for _, s := range p.Samples() {
			for _, l := range p.Stack(s.Stack) {
				if strings.Contains(p.Function(p.Lines(l)[0].Function).Name, "Burn.main") {
					java += s.Count
					break
				}
			}
		}
		if 4*java < p.Count() {
			v.Errorf("%d of %d samples are in the program", java, p.Count())
		}
	})
}

// another is an interpreter that is no Java virtual machine.
type another struct{ interpreter.InstanceStubs }

func (*another) Detach(interpreter.EbpfHandler, libpf.PID) error { return nil }

func TestOnlyJavaIsAskedAgain(t *testing.T) {
	if _, err := judge(&another{}); !errors.Is(err, errNoJVM) {
		t.Errorf("%v", err)
	}
	if got := (*jvms)(nil).begun(time.Time{}); got != nil {
		t.Errorf("%v", got)
	}
}
