package unwind

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"whyhot/internal/elfinfo/elffile"
)

var errNoVDSO = errors.New("this process has no vDSO")

// maxVDSO is far more than any kernel maps.
const maxVDSO = 1 << 20

// ownVDSO reads the vDSO that the kernel mapped into this process. It is the
// recorded one when the build ID is the same.
func ownVDSO(want string) (*Module, error) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer maps.Close() //nolint:errcheck // only read from
	for sc := bufio.NewScanner(maps); sc.Scan(); {
		if !strings.HasSuffix(sc.Text(), vdsoPath) {
			continue
		}
		var lo, hi uint64
		if _, err := fmt.Sscanf(sc.Text(), "%x-%x", &lo, &hi); err != nil || hi <= lo || hi-lo > maxVDSO {
			return nil, errNoVDSO
		}
		mem, err := os.Open("/proc/self/mem")
		if err != nil {
			return nil, err
		}
		defer mem.Close() //nolint:errcheck // only read from
		image := make([]byte, hi-lo)
		if _, err := mem.ReadAt(image, int64(lo)); err != nil {
			return nil, err
		}
		f, err := elffile.New(vdsoPath, image)
		if err != nil {
			return nil, err
		}
		return newModule(f, want)
	}
	return nil, errNoVDSO
}
