package merge

import (
	"slices"
	"strings"
)

// relatives are, by rule, those of other judges that are about the same: ids, or with a
// "-" at the end what they begin with. A rule is related to itself: the report of a
// build's compiler and the analyser's own compilation may say the same of a loop.
var relatives = map[string][]string{
	// Rules of machine code, with those of the source and with entries of the catalogue.
	"machine-reload":         {"alias-", "missed-hoist", "missed-reuse"},
	"machine-checksum":       {"bit-by-bit", "crc32-hardware", "checksum-words"},
	"machine-scalar":         {"missed-vectorize", "missed-slp", "alias-", "short-loop"},
	"machine-float-sum":      {"missed-vectorize", "missed-slp", "alias-", "short-loop"},
	"machine-atomic":         {"shared-ptr-refcount"},
	"machine-bit-set":        {"bit-by-bit", "vector-bool"},
	"machine-bit-copy":       {"bit-by-bit", "vector-bool"},
	"machine-hash":           {"hash-xxh3"},
	"machine-stride":         {"column-walk"},
	"machine-load-stall":     {"column-walk", "machine-sparse", "machine-walk"},
	"machine-few-iterations": {"short-loop"},
	// Remarks of compilers, with rules of the source.
	"missed-vectorize": {"alias-"},
	"missed-hoist":     {"alias-"},
	"missed-reuse":     {"alias-"},
	// What grows, with entries about the same line.
	"growth-list-search":  {"python-list-contains", "php-array-search", "dotnet-list-search", "dotnet-linq-again", "java-list-search", "scala-list-index", "haskell-nub"},
	"growth-list-walk":    {"strcat-append", "sscanf-rest", "erlang-length", "java-list-search", "scala-list-index", "dotnet-list-search", "dotnet-linq-again", "glib-lists"},
	"growth-whole-copy":   {"ocaml-list-append", "node-object-spread", "go-string-conversion", "scala-list-index", "dotnet-list-search", "erlang-message-copy", "memcpy-fresh-buffer"},
	"growth-accumulation": {"growth-list-search", "growth-list-walk", "growth-whole-copy"},
	// The program's own lines as they are written, with what the samples say of them.
	"copied-per-pass":      {"growth-whole-copy", "growth-accumulation", "ocaml-list-append", "node-object-spread", "scala-list-index", "python-numpy-append", "vector-growth", "memcpy-fresh-buffer", "go-growslice"},
	"position-per-pass":    {"java-list-search", "dotnet-linq-again", "scala-list-index", "erlang-length", "growth-list-walk", "growth-list-search"},
	"sorted-per-access":    {"growth-whole-copy"},
	"sorted-per-add":       {"go-sort-slice", "growth-whole-copy", "growth-accumulation"},
	"pattern-backtracks":   {"python-regex", "node-regexp-run", "java-regex", "dotnet-regex", "std-regex-re2", "posix-regexec"},
	"compared-by-text":     {"node-json-stringify", "python-json", "ruby-json", "php-json", "go-json", "go-json-encode"},
	"argument-copied":      {"string-copies"},
	"numbers-as-keys":      {"rust-siphash", "looked-up-twice", "java-hashmap-boxing"},
	"crc-bitwise":          {"machine-checksum", "crc32-hardware", "bit-by-bit"},
	"file-parsed-per-call": {"calls-", "made-per-call"},
	"same-result":          {"made-per-call", "file-parsed-per-call"},
	"slower-per-call":      {"growth-", "copied-per-pass", "sorted-per-add"},
	"column-per-pass":      {"column-walk", "machine-stride", "machine-load-stall", "machine-float-sum", "machine-scalar", "missed-vectorize"},
	"window-per-pass":      {"growth-accumulation", "growth-whole-copy", "python-numeric-loop"},
	"scan-per-pass":        {"growth-list-search", "growth-list-walk", "dotnet-linq-again", "r-data-frame-element"},
	"hash-collisions":      {"dotnet-valuetype-equals"},
	"text-by-character":    {"computed-per-byte", "growth-accumulation"},
	"probes-per-lookup":    {"machine-division", "machine-load-stall", "machine-walk", "growth-list-search"},
	"chain-per-lookup":     {"machine-walk", "machine-load-stall", "growth-list-walk", "growth-list-search"},
	// Small system calls, with entries that know them by a library.
	"calls-small-writes": {"small-syscalls", "go-unbuffered-output"},
	"calls-small-reads":  {"small-syscalls"},
	// Processes by their number, with the entry that knows them by the kernel's functions.
	"calls-short-processes": {"process-spawn", "lazy-binding"},
	// Statements, with entries that know the work by a database's functions.
	"statement-type":             scans,
	"statement-random-order":     scans,
	"statement-computed-column":  scans,
	"statement-wildcard":         scans,
	"statement-offset":           scans,
	"statement-nested-scan":      scans,
	"statement-index-range":      scans,
	"statement-not-in":           scans,
	"statement-correlated":       scans,
	"statement-function-scan":    scans,
	"statement-foreign-key":      append([]string{"postgres-foreign-key"}, scans...),
	"statement-scan":             scans,
	"statement-sort":             scans,
	"statement-count-all":        scans,
	"statement-whole-table":      scans,
	"statement-per-row":          {"python-orm", "ruby-activerecord", "php-orm-hydration", "node-orm", "go-gorm", "dotnet-ef-tracking", "sql-prepare", "postgres-planning", "sqlite-page-cache", "java-sql-text", "calls-", "made-per-call"},
	"statement-row-by-row":       {"postgres-planning", "growth-", "calls-"},
	"statement-long-list":        {"sql-prepare", "postgres-planning"},
	"statement-parsed-each-time": {"sql-prepare", "postgres-planning", "made-per-call", "java-sql-text"},
	// How a binary was built, with the entry that knows it by its frames.
	"build-unoptimised": {"debug-build", "rust-debug-build"},
	"build-plain":       {"pgo-lto-native"},
}

// scans are entries about what an executor does for a statement.
var scans = []string{"postgres-scan-filter", "postgres-seqscan", "postgres-like", "mysql-table-scan", "mysql-type-mismatch", "sqlite-like-sort", "sqlite-sort", "sqlite-page-cache", "locale-collation", "calls-", "growth-"}

// related says whether two rules are about the same, in either order.
func related(a, b string) bool { return a == b || names(a, b) || names(b, a) }

func names(rule, other string) bool {
	return slices.ContainsFunc(relatives[rule], func(id string) bool {
		return id == other || strings.HasSuffix(id, "-") && strings.HasPrefix(other, id)
	})
}

// Rules are all rules that the table of relatives names: a test holds them against those
// that there are.
func Rules() []string {
	var out []string
	for rule, of := range relatives {
		out = append(out, rule)
		out = append(out, of...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
