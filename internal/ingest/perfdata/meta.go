package perfdata

import (
	"fmt"
	"strings"
	"time"

	"whyhot/internal/profile"
)

func (s *session) warnf(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// meta is what is true of the whole recording.
func (s *session) meta() profile.Meta {
	e := s.chosenEvent()
	m := profile.Meta{
		Source:   "perf.data",
		Lost:     s.lost,
		Start:    s.facts.clock.start(s.first),
		Duration: time.Duration(s.last - s.first),
		Command:  workload(s.facts.cmdline),
	}
	m.ValueType = profile.ValueType{Type: e.family(), Unit: "count"}
	if e.isClock() {
		m.ValueType = profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	}
	m.PeriodType = m.ValueType
	switch {
	case !e.freq:
		m.Period = int64(e.samplePeriod)
	case e.isClock() && e.samplePeriod > 0:
		m.Period = int64(time.Second) / int64(e.samplePeriod)
	}
	if len(s.facts.cmdline) > 0 {
		m.Comments = append(m.Comments, "recorded by: "+strings.Join(s.facts.cmdline, " "))
	}
	s.choiceWarning()
	if s.idle > 0 {
		s.warnf("%d samples of the idle task (pid 0) are skipped", s.idle)
	}
	s.jobs.warnings()
	if s.truncated != nil {
		s.warnf("the recording is incomplete: %v; what came before is kept", s.truncated)
	}
	m.Warnings = s.warnings
	return m
}
