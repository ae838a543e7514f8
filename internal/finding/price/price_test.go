package price

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/profile"
)

func TestFile(t *testing.T) {
	for text, want := range map[string]string{
		"currency: EUR\ncore_hour: 0.04\nco2_grams_per_core_hour: 5\n": "",
		"co2_grams_per_core_hour: 5\n":                                 "",
		"currency: €\ncore_hour: 1\n":                                  "",
		"core_hour: 0.04\n":                                            "needs a currency",
		"currency: EUR\n":                                              "gives no price",
		"currency: EUR\ncore_hour: -1\n":                               "core_hour: -1 is no price",
		"currency: EUR\ncore_hour: .nan\n":                             "is no price",
		"currency: \"E\\nR\"\ncore_hour: 1\n":                          "currency:",
		"currency: EUR\ncore_hours: 1\n":                               `.yaml:2: unknown field "core_hours"`,
		"":                                                             "empty file",
	} {
		path := filepath.Join(t.TempDir(), "prices.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func profileOf(t *testing.T, kind, unit string, value int64, took time.Duration) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder()
	fn := b.Function(profile.Function{Name: "f"})
	stack := b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindUnknown, profile.Line{Function: fn})})
	b.Sample(profile.Sample{Stack: stack, Count: 10, Value: value})
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: kind, Unit: unit}, Duration: took})
}

func TestCores(t *testing.T) {
	for _, c := range []struct {
		kind, unit string
		value      int64
		took       time.Duration
		want       float64
		err        error
	}{
		{"cpu", "nanoseconds", 90e9, time.Minute, 1.5, nil},
		{"cpu", "microseconds", 30e6, time.Minute, 0.5, nil},
		{"samples", "count", 1000, time.Minute, 0, errNoTime},
		{"wall", "nanoseconds", 90e9, time.Minute, 0, errNoTime},
		{"alloc_space", "bytes", 90e9, time.Minute, 0, errNoTime},
		{"cpu", "nanoseconds", 90e9, 0, 0, errNoSpan},
	} {
		got, err := Cores(profileOf(t, c.kind, c.unit, c.value, c.took))
		if err != c.err || math.Abs(got-c.want) > 1e-12 { //nolint:errorlint // the package's own values
			t.Errorf("%s %s of %v: got %v, %v; want %v, %v", c.kind, c.unit, c.took, got, err, c.want, c.err)
		}
	}
}

// The example of the package's doc comment.
func TestBill(t *testing.T) {
	r := Rate{Prices: Prices{Currency: "EUR", CoreHour: 0.04, CO2: 10}, Cores: 1.5}
	if b := r.Of(1); math.Abs(b.Money-525.6) > 1e-9 || math.Abs(b.CO2-131.4) > 1e-9 || b.Cores != 1.5 || b.Currency != "EUR" {
		t.Errorf("got %+v", b)
	}
	if b := (Prices{CO2: 10}).Of(1); b.Money != 0 || b.Currency != "" {
		t.Errorf("money without its price: %+v", b)
	}
}
