package rule

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"whyhot/internal/profile"
)

func TestZZ(t *testing.T) {
	text, _ := os.ReadFile("/tmp/store-x/names")
	f := NewFamilies(builtin(t))
	m := &profile.Mapping{Path: "/usr/lib/libclang-cpp.so.19"}
	for range 3 {
		var a, b syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &a)
		n, sum := 0, map[string]int{}
		for line := range strings.Lines(string(text)) {
			sum[f.Group(&profile.Function{Name: strings.TrimSpace(line), Kind: profile.KindNative}, m)]++
			n++
		}
		syscall.Getrusage(syscall.RUSAGE_SELF, &b)
		fmt.Println(n, "names", float64(b.Utime.Nano()-a.Utime.Nano())/1e3/float64(n), "us each", sum)
	}
}
