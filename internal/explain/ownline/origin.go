package ownline

import (
	"regexp"
	"strings"

	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

var (
	// compiledLibraries are libraries that are linked into a program and whose names say so:
	// Haskell's have a package and a module, which begins with a capital letter.
	compiledLibraries = regexp.MustCompile(`^(base|ghczm\w+|ghc|integer\w*|containers\w*|text\w*|bytestring\w*)_[A-Z]\w*_|^stg_|^(lists|erlang|maps|binary|string|proc_lib|gen_server|init|erts_\w+|io|io_lib|ets|dict|sets|ordsets|gb_trees|gb_sets|array|queue|re|unicode):|^caml(Stdlib|Camlinternal)\w*$|^caml_\w+$|^(hs_main|scheduleWaitThread|rts_\w+|StgRun\w*)$`)
	// managed are libraries of virtual machines, by the names that maps of their code and
	// recorders give: of a type of .NET or Mono, of a class of Scala or Kotlin.
	managed = regexp.MustCompile(`^(\(wrapper [\w-]+\) )?(System|Microsoft|Mono|Internal)\.[\w.]+[` + "`" + `<:.]|^(\(wrapper [\w-]+\) )?(string|object|int|char):|^(\S+ )?(scala|kotlin|kotlinx)[./]`)
	// servers are programs that hardly anybody who runs them builds: what they execute is a
	// client's.
	servers = regexp.MustCompile(`/((redis|valkey)-(server|check-(rdb|aof))|postgres|mysqld|mariadbd)$`)
	// javaLibraries are packages of libraries that most programs have from elsewhere. Files of
	// Java have no directory that would tell.
	javaLibraries = regexp.MustCompile(`^(com\.(fasterxml|google\.(common|gson|protobuf)|zaxxer|mysql|mongodb|rabbitmq|esotericsoftware|thoughtworks|github\.benmanes|alibaba\.fastjson2?)|org\.(apache|springframework|hibernate|slf4j|eclipse|jboss|jetbrains|codehaus|postgresql|h2|yaml|json|bouncycastle|objectweb|modelmapper|mapstruct|locationtech|xerial|antlr|joda)|ch\.qos\.logback|io\.(netty|micrometer|grpc|vertx|projectreactor|undertow|quarkus|micronaut)|reactor|rx|okhttp3|okio|retrofit2|net\.(sf|bytebuddy)|javax|jakarta|groovy|clojure)\.`)
	// frozenModules are those of Python's library that are compiled into the interpreter: their
	// files have no directory.
	frozenModules = regexp.MustCompile(`^(_bootstrap|_bootstrap_external|zipimport|abc|codecs|io|_collections_abc|_sitebuiltins|genericpath|ntpath|posixpath|os|site|stat|runpy)\.py$`)
	// derived is code that a derive macro of Rust makes of a type: it stands in a constant without
	// a name, and its lines are those of the attribute.
	derived = regexp.MustCompile(`::_?::<impl `)
	// javaStubs is machine code that the Java virtual machine makes for itself.
	javaStubs = regexp.MustCompile(`^StubRoutines \(`)
	// installedHeaders are headers of libraries, also those below the root of another system.
	installedHeaders = regexp.MustCompile(`/usr/(local/)?include/`)
	// starts are outermost functions of threads and programs.
	starts = regexp.MustCompile(`^(_start|__libc_start\w*|__libc_start_call_main|start_thread|clone3?|__clone3?|thread_start|_?main\.cold)$`)
)

// Origin is whose code a function is: origin.Of, and what its name alone tells of libraries
// that are compiled into a program and of functions of an interpreter.
func Origin(p *profile.Profile, id profile.FunctionID) origin.Origin {
	fn := p.Function(id)
	return OfFunction(fn, p.Mapping(fn.Mapping).Path)
}

// OfFunction is Origin for a function whose profile is not at hand. Binary is the path of what
// it lies in, "" where that is not known.
func OfFunction(fn *profile.Function, binary string) origin.Origin {
	from := origin.OfFunction(fn, binary)
	switch {
	case fn.Name == "" || fn.Name == profile.TruncatedStack || !fn.Kind.IsScript() && starts.MatchString(fn.Name):
		return origin.Unknown
	case from == origin.Own && (strings.HasSuffix(fn.Name, "@plt") || derived.MatchString(fn.Name)):
		return origin.Library // a stub by which one is called, or code of a library for a type
	case from == origin.Own && (!fn.Kind.IsScript() && compiledLibraries.MatchString(fn.Name) || isManaged(fn) || isJavaLibrary(fn) || isBeam(fn) || BuiltIn(fn) || comesWith(fn) || servers.MatchString(binary)):
		return origin.Library
	}
	return from
}

// isManaged tells libraries of .NET, Scala and Kotlin, whose files say nothing.
func isManaged(fn *profile.Function) bool {
	switch fn.Kind { //nolint:exhaustive // the others have sources or import paths
	case profile.KindJIT, profile.KindJava, profile.KindDotNet, profile.KindUnknown:
		return managed.MatchString(fn.Name)
	}
	return false
}

// isJavaLibrary tells libraries of Java by the package of a method, which a type may stand
// before: "long org.lib.Sums.of(int)".
func isJavaLibrary(fn *profile.Function) bool {
	if fn.Kind != profile.KindJava {
		return false
	}
	method, _, _ := strings.Cut(fn.Name, "(")
	return javaLibraries.MatchString(method[strings.LastIndexByte(method, ' ')+1:])
}

// comesWith tells whether a function's source is that of a language or an installed library.
func comesWith(fn *profile.Function) bool {
	switch fn.Kind { //nolint:exhaustive // of the others, origin.Of knows the directories
	case profile.KindPython:
		return frozenModules.MatchString(fn.File)
	case profile.KindNative:
		return installedHeaders.MatchString(fn.File)
	}
	return false
}

// BuiltIn tells whether a function of an interpreted language is written in another one, or
// is no function: it has no source.
func BuiltIn(fn *profile.Function) bool {
	switch fn.Kind { //nolint:exhaustive // what is compiled need not say where its source is
	case profile.KindJS, profile.KindRuby:
		return fn.File == "" || strings.HasPrefix(fn.File, "<") // <unknown>, <gc>, <internal:kernel>
	case profile.KindPython, profile.KindPHP, profile.KindPerl, profile.KindLua, profile.KindR:
		return fn.File == ""
	case profile.KindJava:
		return !strings.Contains(fn.Name, "(") || javaStubs.MatchString(fn.Name)
	}
	return false
}
