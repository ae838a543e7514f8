package command

import (
	"time"

	"whyhot/internal/host/ending"
)

// Exit is how a command ended and what it had used until then.
type Exit struct {
	ending.Ending

	// IO is what it read and wrote, nil where the kernel did not tell.
	IO  *IO
	CPU time.Duration // user and system time, with the descendants that were waited for
}
