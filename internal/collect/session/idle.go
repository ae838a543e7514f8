package session

import (
	"time"

	"github.com/prometheus/procfs"
)

// idle is how long the machine's CPUs have had nothing to do since it started, all of them
// together; 0 where nobody says.
func idle() time.Duration {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0
	}
	stat, err := fs.Stat()
	if err != nil {
		return 0
	}
	return time.Duration((stat.CPUTotal.Idle + stat.CPUTotal.Iowait) * float64(time.Second))
}
