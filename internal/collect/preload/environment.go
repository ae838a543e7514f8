package preload

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"whyhot/internal/host/environ"
)

// filePrefix begins the name of every file that a process leaves: prefix, "_",
// process ID and, in timed recordings, ".0".
const filePrefix = "cpu"

// environment adds to env what loads and configures the profiler.
func environment(env []string, library, dir string, frequency int, timed bool) []string {
	env = environ.UnsetFunc(env, func(name string) bool { return strings.HasPrefix(name, "CPUPROFILE") })
	env = environ.Append(env, environ.Preload, library)
	env = environ.Set(env,
		"CPUPROFILE="+withProcessID(filepath.Join(dir, filePrefix)),
		"CPUPROFILE_FREQUENCY="+strconv.Itoa(frequency))
	if timed {
		env = environ.Set(env, fmt.Sprintf("CPUPROFILESIGNAL=%d", int(switchSignal)))
	}
	return env
}

// withProcessID sets the mark by which gperftools tells its children to append
// their process ID to the name: the top bit of the first byte. Set from the
// start, no two processes ever share a file, whatever starts them.
func withProcessID(path string) string {
	b := []byte(path)
	b[0] |= 0x80
	return string(b)
}
