package startup

import (
	"regexp"

	"whyhot/internal/profile"
)

// kind is one way to start up, and the frames by which it is known.
type kind struct {
	runtime, what string
	name          string         // of the function
	file          string         // of its source, "" for any
	binary        string         // that it is in, "" for any
	of            []profile.Kind // of the code, none for any
	thread        string         // instead of a function: all that this thread does
}

var native = []profile.Kind{profile.KindNative, profile.KindUnknown}

const (
	loadingClasses = "class loading"
	jit            = "JIT compilation"
	compiling      = "compilation of source"
	starting       = "start of the interpreter"
)

// table has a row for what each runtime does before, or so that, the program runs. Names
// are of CPython 3.8 to 3.14, Node 18 to 24, OpenJDK 17 to 25, MRI 3, PHP 8, Perl 5, .NET 8,
// Go 1.20 and later, glibc and Linux.
var table = []kind{
	{runtime: "Python", what: "imports", name: `^(_find_and_load|_find_and_load_unlocked|_load_unlocked|_handle_fromlist|import_module|_gcd_import)$`, file: `importlib|(^|/)_bootstrap(_external)?\.py$`, of: []profile.Kind{profile.KindPython, profile.KindUnknown}},
	{runtime: "Python", what: "imports", name: `^(PyImport_ImportModuleLevelObject|import_find_and_load|import_ensure_initialized)$`, of: native},
	{runtime: "Python", what: starting, name: `^(Py_InitializeFromConfig|pymain_init|init_interp_main|Py_InitializeEx|init_import_site)$`, of: native},
	{runtime: "Python", what: "compilation to byte code", name: `^(_PyParser_ASTFromFile|pyrun_file_ast|PyParser_ASTFromFileObject)$`, of: native},

	{runtime: "Node.js", what: "module lookup and compilation", of: []profile.Kind{profile.KindJS, profile.KindUnknown}, name: `^(wrapSafe|compileFunctionForCJSLoader|compileForInternalLoader|Module\._(resolveFilename|findPath|resolveLookupPaths|initPaths)|(node:internal/modules/\S+ )?(tryFile|tryPackage|readPackage|readPackageScope|toRealPath|finalizeResolution|resolveExports))$`},
	{runtime: "Node.js", what: starting, of: native, name: `^(node::InitializeOncePerProcess\w*|node::NodeMainInstance::CreateMainEnvironment|node::Realm::RunBootstrapping|node::PrincipalRealm::BootstrapRealm|node::builtins::BuiltinLoader::(LookupAndCompile\w*|CompileAllBuiltins\w*)|node::InitializeNodeWithArgs\w*|node::SnapshotData::\w+|v8::internal::Snapshot::Initialize\w*|v8::V8::InitializePlatform\w*|node::contextify::ContextifyContext::CompileFunction\w*)\b`},
	{runtime: "Node.js", what: jit, of: native, name: `^v8::internal::(OptimizingCompileDispatcher\w*::|compiler::Pipeline\w*::|maglev::Maglev\w*Compil|baseline::BaselineCompiler::|Compiler::(Compile|CompileOptimized)|parsing::Parse)`},

	{runtime: "JVM", what: "creation of the machine", of: native, name: `^(Threads::create_vm|JNI_CreateJavaVM\w*|universe_init|vm_init_globals|init_globals\w*|Universe::genesis|MetaspaceShared::|AOT\w*Cache::|initialize_java_lang_invoke)`},
	{runtime: "JVM", what: loadingClasses, of: native, name: `^(SystemDictionary\w*::|ClassFileParser::|ClassLoader::|KlassFactory::|Verifier::|ClassVerifier::|Rewriter::|InstanceKlass::(link_class|initialize_impl)\w*_?\w*|Linker::)`},
	{runtime: "JVM", what: loadingClasses, of: []profile.Kind{profile.KindJava, profile.KindUnknown}, name: `^(java[./]lang[./]ClassLoader\.(loadClass|defineClass)|jdk[./]internal[./]loader[./]\S+\.(loadClass\w*|findClass\w*|defineClass))`},
	{runtime: "JVM", what: jit, thread: `^(C1|C2|Graal|JVMCI)[ -]Compiler`},
	{runtime: "JVM", what: jit, of: native, name: `^(CompileBroker::|C2Compiler::|Compiler::compile_method|Compilation::)`},

	{runtime: "Ruby", what: compiling, of: native, name: `^(rb_iseq_new_\w*|rb_iseq_compile_\w+|iseq_compile_each\w*|ruby_yyparse|yycompile\w*|rb_parser_compile\w*|rb_ast_compile\w*|pm_iseq_\w+|pm_parse\w*|rb_ruby_parser_\w+)$`, binary: `ruby`},
	{runtime: "Ruby", what: "file lookup of require", of: native, name: `^(search_required|rb_find_file\w*|rb_feature_p|rb_get_expanded_load_path|rb_realpath_internal|realpath_rec)$`, binary: `ruby`},
	{runtime: "Ruby", what: starting, of: native, name: `^(ruby_setup|ruby_init|rb_call_inits|Init_\w+|rb_call_builtin_inits)$`, binary: `ruby`},

	{runtime: "PHP", what: compiling, of: native, name: `^(zendparse|zend_compile\w*|compile_file|compile_filename|phar_compile_file|persistent_compile_file|open_file_for_scanning|zend_compile_top_stmt)$`},
	{runtime: "PHP", what: starting, of: native, name: `^(php_module_startup|zend_startup\w*|php_cli_startup|sapi_startup|php_ini_\w+)$`},

	{runtime: "Perl", what: "compilation and use", of: native, name: `^perl_parse$`},
	{runtime: "Perl", what: "compilation and use", of: []profile.Kind{profile.KindPerl}, name: `^(\S+::)?BEGIN$`},

	{runtime: ".NET", what: jit, of: native, name: `^(CILJit::compileMethod|MethodDesc::JitCompileCode\w*|jitNativeCode|UnsafeJitFunction|TieredCompilation\w*::|TieredCompilationManager::)`},
	{runtime: ".NET", what: starting, of: native, name: `^(coreclr_initialize|hostfxr_main\w*_resolve|EEStartup\w*|InitializeEE)`},

	{runtime: "Go", what: "initialisation of packages", name: `^runtime\.(doInit1?|schedinit)$`},

	{runtime: "the dynamic linker", what: "loading of libraries", of: native, name: `^(_dl_start|_dl_start_user|_dl_sysdep_start|dl_main|_dl_relocate_object|_dl_map_object\w*|_dl_init|__dls2b?|__dls3)$`, binary: `ld-|ld\.so|libc\.musl|^$`},
	{runtime: "Linux", what: "start of processes", of: []profile.Kind{profile.KindKernel, profile.KindUnknown}, name: `^(bprm_execve|do_execveat_common|load_elf_binary|begin_new_exec)`},
}

// row is a kind whose patterns are compiled.
type row struct {
	*kind

	name, file, binary, thread *regexp.Regexp
}

func compile() []row {
	rows := make([]row, len(table))
	for i := range table {
		k := &table[i]
		rows[i] = row{kind: k, name: pattern(k.name), file: pattern(k.file), binary: pattern(k.binary), thread: pattern(k.thread)}
	}
	return rows
}

func pattern(text string) *regexp.Regexp {
	if text == "" {
		return nil
	}
	return regexp.MustCompile(text)
}

func (r *row) matches(f *profile.Function, binary string) bool {
	if r.name == nil || !r.isOf(f.Kind) || !r.name.MatchString(f.Name) {
		return false
	}
	return (r.file == nil || r.file.MatchString(f.File)) && (r.binary == nil || r.binary.MatchString(binary))
}

func (r *row) isOf(k profile.Kind) bool {
	for _, of := range r.of {
		if of == k {
			return true
		}
	}
	return len(r.of) == 0
}
