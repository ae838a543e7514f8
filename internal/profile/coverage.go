package profile

import (
	"fmt"
	"math"
	"time"
)

// Coverage says how much of the CPU time of a command its samples stand for. The zero
// Coverage is that of a recording that was not compared.
type Coverage struct {
	Samples int64         `json:"samples"`
	Seen    time.Duration `json:"seen_ns"` // what they stand for
	Used    time.Duration `json:"used_ns"` // by the kernel's count, with all children that were waited for
	// Why is what makes the recorder miss samples, as far as it knows.
	Why string `json:"why,omitempty"`
}

const (
	// lowCoverage is the share from which on samples are not enough.
	lowCoverage = 0.9
	// noticeable is the CPU time below which single samples decide.
	noticeable = 200 * time.Millisecond
)

// Share is the part of the CPU time that was seen; known is false where it was not compared.
func (c Coverage) Share() (share float64, known bool) {
	if c.Used <= 0 {
		return 0, false
	}
	return float64(c.Seen) / float64(c.Used), true
}

// Low tells whether samples are missing, beyond what chance takes from so few.
func (c Coverage) Low() bool {
	share, known := c.Share()
	if !known || c.Used < noticeable {
		return false
	}
	const errors = 2 // standard ones
	return share*(1+errors/math.Sqrt(float64(max(c.Samples, 1)))) < lowCoverage || c.Samples == 0
}

// Text says what is missing.
func (c Coverage) Text() string {
	share, _ := c.Share()
	text := fmt.Sprintf("the samples cover %s (%.0f%%) of the %s of CPU time that the command used",
		c.Seen.Round(time.Millisecond), 100*share, c.Used.Round(time.Millisecond))
	if c.Why != "" {
		text += ": " + c.Why
	}
	return text
}

// With is the coverage of two recordings of one command.
func (c Coverage) With(other Coverage) Coverage {
	c.Samples += other.Samples
	c.Seen += other.Seen
	c.Used += other.Used
	if c.Why == "" {
		c.Why = other.Why
	}
	return c
}
