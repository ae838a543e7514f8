package machine

import "testing"

func TestGoAssembly(t *testing.T) {
	for file, want := range map[string]bool{
		"/usr/local/go/src/internal/bytealg/equal_amd64.s": true,
		"internal/bytealg/equal_amd64.s":                   true,
		"/opt/go1.26/src/runtime/memmove_amd64.s":          true,
		"crypto/internal/fips140/sha256/sha256block.s":     true,
		"/home/me/app/sum_amd64.s":                         false,
		"/home/me/app/internal/sum/sum_amd64.s":            false,
		"github.com/me/app/hash/sum.s":                     false,
		"/usr/local/go/src/internal/bytealg/equal.go":      false,
	} {
		if got := goAssembly.MatchString(file); got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}
