package machine_test

import (
	"debug/elf"
	"testing"

	"whyhot/internal/explain/analyzer"
)

// symbolsOf are those of a library's own symbol table.
func symbolsOf(t *testing.T, library string) []elf.Symbol {
	t.Helper()
	f, err := elf.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return symbols
}

// analysed has the analyser look at every function of a library, by name.
func analysed(t *testing.T, program, library string) map[string]analyzer.MachineFunction {
	t.Helper()
	request := analyzer.MachineRequest{File: library}
	var names []string
	for _, s := range symbolsOf(t, library) {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 && s.Section != elf.SHN_UNDEF {
			request.Functions = append(request.Functions, analyzer.MachineRange{Low: s.Value, High: s.Value + s.Size})
			names = append(names, s.Name)
		}
	}
	replies, errs := analyzer.Machine(t.Context(), program, []analyzer.MachineRequest{request})
	if errs[0] != nil {
		t.Fatal(errs[0])
	}
	out := map[string]analyzer.MachineFunction{}
	for i, fn := range replies[0].Functions {
		out[names[i]] = fn
	}
	return out
}
