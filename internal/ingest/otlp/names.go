package otlp

import "whyhot/internal/profile"

// Attributes of OpenTelemetry's semantic conventions.
const (
	attrPID        = "process.pid"
	attrExecutable = "process.executable.name"
	attrPath       = "process.executable.path"
	attrContainer  = "container.id"
	attrThread     = "thread.name"
	attrTID        = "thread.id"
	attrCPU        = "cpu.logical_number"
	attrFrame      = "profile.frame.type"
	attrBuildGNU   = "process.executable.build_id.gnu"
	attrBuildGo    = "process.executable.build_id.go"
)

// Attributes of ours, for what the protocol has no place for.
const (
	attrComm  = "whyhot.process" // the name of the main thread, which is not the executable's
	attrCount = "whyhot.count"   // how often the sampler fired, where the values do not tell
	attrLost  = "whyhot.lost"
)

// scopeName is the instrumentation scope of what we write.
const scopeName = "whyhot"

// kindByFrame are the frame types of the semantic conventions, and "jit" of ours.
var kindByFrame = map[string]profile.Kind{
	nativeFrame: profile.KindNative, "kernel": profile.KindKernel, "cpython": profile.KindPython, "jvm": profile.KindJava,
	"v8js": profile.KindJS, "go": profile.KindGo, "ruby": profile.KindRuby, "php": profile.KindPHP,
	"perl": profile.KindPerl, "dotnet": profile.KindDotNet, "beam": profile.KindJIT, "luajit": profile.KindJIT, "jit": profile.KindJIT,
	"lua": profile.KindLua, "r": profile.KindR,
	"rust": profile.KindNative,
}

var frameByKind = map[profile.Kind]string{
	profile.KindNative: nativeFrame, profile.KindVDSO: nativeFrame, profile.KindKernel: "kernel", profile.KindPython: "cpython",
	profile.KindJava: "jvm", profile.KindJS: "v8js", profile.KindGo: "go", profile.KindRuby: "ruby", profile.KindPHP: "php",
	profile.KindPerl: "perl", profile.KindDotNet: "dotnet", profile.KindJIT: "jit",
	profile.KindLua: "lua", profile.KindR: "r",
}

// labelByAttribute are the attributes that our model has names for.
var labelByAttribute = map[string]string{
	attrPID: profile.LabelPID, attrExecutable: profile.LabelProcess, attrComm: profile.LabelProcess,
	attrContainer: profile.LabelContainer, attrThread: profile.LabelThread, attrTID: profile.LabelTID,
}

// attributeByLabel is the way back.
var attributeByLabel = map[string]string{
	profile.LabelPID: attrPID, profile.LabelProcess: attrComm, profile.LabelContainer: attrContainer,
	profile.LabelThread: attrThread, profile.LabelTID: attrTID,
}

// Names of the mappings that are no files.
const (
	kernelPath   = "[kernel.kallsyms]"
	kernelFile   = "vmlinux" // what the OpenTelemetry profiler calls the kernel
	vdsoPath     = "[vdso]"
	vdsoFile     = "linux-vdso.1.so"
	timeUnit     = "nanoseconds"
	countUnit    = "count"
	samplesType  = "samples"
	sourceName   = "otlp"
	unknownFrame = "unknown"
	nativeFrame  = "native"
)
