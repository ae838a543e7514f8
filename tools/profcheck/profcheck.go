// Package profcheck is empty. It stands in for the module of this name, which one
// test inside our dependency go.opentelemetry.io/ebpf-profiler imports and which a
// module proxy need not have: `go mod tidy` reads the imports of such tests, and
// fails where one cannot be had. Nothing of ours compiles or imports it.
package profcheck
