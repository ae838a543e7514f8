package storetable

import (
	"strings"
	"testing"
)

func TestPrint(t *testing.T) {
	var out strings.Builder
	err := Print(&out, []Row{{"samples", 1234567, 5 << 20}, {"hourly", 12, 100}}, Totals{Bytes: 6 << 20, Stacks: 3, Functions: 2, Series: 1, Unresolved: 4,
		Files: []File{{"db/rows.duckdb", 3 << 20}, {"journal", 3 << 10}}, Warnings: []string{"series are near"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"TABLE    ROWS", "samples  1,234,567  5.00 MiB\n", "hourly   12         100", "all                 6.00 MiB\n\n3 stacks, 2 functions, 1 series; 4 addresses without a name\n",
		"db/rows.duckdb  3.00 MiB  50.0%\njournal         3.00 KiB  0.0%\n", "\nwarning: series are near\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
