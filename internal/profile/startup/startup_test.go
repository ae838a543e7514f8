package startup

import (
	"testing"

	"whyhot/internal/profile"
)

// frame is one function of a stack.
type frame struct {
	name, file, binary string
	kind               profile.Kind
}

func py(name, file string) frame  { return frame{name: name, file: file, kind: profile.KindPython} }
func c(name, binary string) frame { return frame{name: name, binary: binary, kind: profile.KindNative} }
func js(name string) frame        { return frame{name: name, kind: profile.KindJS} }
func java(name string) frame      { return frame{name: name, kind: profile.KindJava} }

// build makes a profile of one sample, its stack from the outermost frame on.
func build(thread string, frames ...frame) *profile.Profile {
	b := profile.NewBuilder()
	var stack []profile.LocationID
	for i, f := range frames {
		m := profile.MappingID(0)
		if f.binary != "" {
			m = b.Mapping(profile.Mapping{Path: f.binary, Start: 0x1000, Limit: 0x9000})
		}
		fn := b.Function(profile.Function{Name: f.name, File: f.file, Kind: f.kind, Mapping: m})
		stack = append([]profile.LocationID{b.Location(m, 0x1000+uint64(i), f.kind, profile.Line{Function: fn})}, stack...)
	}
	var labels []profile.Label
	if thread != "" {
		labels = append(labels, profile.Label{Key: profile.LabelThread, Str: thread})
	}
	b.Sample(profile.Sample{Stack: b.Stack(stack), Labels: b.Labels(labels), Count: 3, Value: 30})
	return b.Build(profile.Meta{})
}

func TestTheStartOfARuntimeIsTold(t *testing.T) {
	const boot = "<frozen importlib._bootstrap>"
	for name, test := range map[string]struct {
		profile       *profile.Profile
		runtime, what string
	}{
		"a module's body":      {build("", c("main", "/usr/bin/python3"), py("<module>", "app.py"), py("_find_and_load", boot), py("<module>", "numpy/__init__.py")), "Python", "imports"},
		"of Debian's Python":   {build("", py("<module>", "app.py"), py("_find_and_load", "_bootstrap.py"), py("<module>", "json/__init__.py")), "Python", "imports"},
		"what Python runs":     {build("", py("<module>", "app.py"), py("work", "app.py")), "", ""},
		"a namesake":           {build("", py("_find_and_load", "app.py"), py("work", "app.py")), "", ""},
		"the interpreter":      {build("", c("Py_RunMain", "libpython3.11.so"), c("pymain_init", "libpython3.11.so"), c("malloc", "libc.so.6")), "Python", "start of the interpreter"},
		"eval in Python":       {build("", py("<module>", "app.py"), py("rules", "app.py"), c("_PyParser_ASTFromString", "libpython3.11.so")), "", ""},
		"a module of Node":     {build("", js("Module._load"), js("Module._compile"), js("wrapSafe"), c("v8::internal::Compiler::GetSharedFunctionInfoForScript", "node")), "Node.js", "module lookup and compilation"},
		"what a module runs":   {build("", js("Module._load"), js("Module._compile"), js("<anonymous>"), js("render")), "", ""},
		"V8's compiler":        {build("", js("render"), c("v8::internal::Compiler::Compile", "node")), "Node.js", jit},
		"a class":              {build("", java("Main.main"), c("SystemDictionary::resolve_instance_class_or_null", "libjvm.so")), "JVM", loadingClasses},
		"the JVM's compiler":   {build("C2 CompilerThre", c("start_thread", "libc.so.6"), c("PhaseIdealLoop::build", "libjvm.so")), "JVM", jit},
		"the JVM's collector":  {build("G1 Conc#0", c("start_thread", "libc.so.6"), c("G1ConcurrentMark::scan", "libjvm.so")), "", ""},
		"Ruby's compiler":      {build("", frame{name: "require", kind: profile.KindRuby}, c("rb_iseq_compile_node", "libruby-3.1.so.3.1")), "Ruby", compiling},
		"what Ruby requires":   {build("", frame{name: "require", kind: profile.KindRuby}, frame{name: "serve", kind: profile.KindRuby}), "", ""},
		"PHP's compiler":       {build("", c("php_execute_script", "php"), c("compile_file", "php"), c("zendparse", "php")), "PHP", compiling},
		"use in Perl":          {build("", c("perl_parse", "perl"), c("Perl_yyparse", "perl")), "Perl", "compilation and use"},
		"init of Go":           {build("", c("runtime.main", "app"), c("runtime.doInit1", "app"), c("regexp.MustCompile", "app")), "Go", "initialisation of packages"},
		"relocation":           {build("", c("_dl_start", "/lib64/ld-linux-x86-64.so.2"), c("_dl_relocate_object", "/lib64/ld-linux-x86-64.so.2")), "the dynamic linker", "loading of libraries"},
		"lazy binding":         {build("", c("work", "app"), c("_dl_fixup", "/lib64/ld-linux-x86-64.so.2")), "", ""},
		"the kernel's exec":    {build("", frame{name: "bprm_execve", kind: profile.KindKernel}), "Linux", "start of processes"},
		"a stack with nothing": {build(""), "", ""},
	} {
		parts := Of(test.profile)
		if test.what == "" {
			if len(parts) != 0 || Without(test.profile).Count() != 3 {
				t.Errorf("%s: %v", name, parts)
			}
			continue
		}
		if len(parts) != 1 || parts[0] != (Part{Runtime: test.runtime, What: test.what, Value: 30}) {
			t.Errorf("%s: %v", name, parts)
		}
		if left := Without(test.profile); left.Count() != 0 {
			t.Errorf("%s: %d samples are left", name, left.Count())
		}
	}
}

func TestFoldedStacksHaveNoKinds(t *testing.T) {
	p := build("", frame{name: "main"}, frame{name: "_find_and_load", file: "<frozen importlib._bootstrap>"}, frame{name: "json"})
	if parts := Of(p); len(parts) != 1 || parts[0].What != "imports" {
		t.Error(parts)
	}
}
