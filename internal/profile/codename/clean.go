package codename

import (
	"regexp"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// symbolVersion is the ELF version that some tools append to a dynamic symbol:
// "cfree@GLIBC_2.2.5", "__libc_start_main@@GLIBC_2.34".
var symbolVersion = regexp.MustCompile(`@@?[A-Z][A-Za-z0-9_.+-]*$`)

// Display is the name that a person reads for a symbol: demangled without the
// parameter list but with template arguments, as perf prints it, in the spelling
// of llvm-symbolizer; and without the ELF symbol version.
func Display(symbol string) string {
	name := symbol
	if i := strings.IndexByte(name, '@'); i > 0 {
		name = symbolVersion.ReplaceAllString(name, "")
	}
	if !mangled(name) {
		return name
	}
	name, isStub := strings.CutSuffix(name, plt)
	stub := ""
	if isStub {
		stub = plt
	}
	return demangle.Filter(name, demangle.NoParams, demangle.LLVMStyle, demangle.MaxLength(maxNameBits)) + stub
}

// maxNameBits bounds a demangled name to 64 KiB: back references let a short
// symbol stand for a text of any length.
const maxNameBits = 16

// plt marks the stub through which a symbol of another library is called.
const plt = "@plt"

func mangled(name string) bool {
	return strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") ||
		strings.HasPrefix(name, "__Z") || strings.HasPrefix(name, "_D") && len(name) > 2 && name[2] >= '0' && name[2] <= '9'
}
