package source

import (
	"sync"

	"whyhot/internal/explain/analyzer"
)

// Session is what stays between analyses of the same build by an editor: one analyser with
// the preambles of the files that are edited, and the hashes of the headers.
type Session struct {
	resident *analyzer.Resident

	mu     sync.Mutex
	binary string
	cache  *analyzer.Cache
}

// NewSession makes one. It starts nothing before it is asked.
func NewSession() *Session { return &Session{resident: analyzer.NewResident()} }

// Close ends the analyser.
func (s *Session) Close() { s.resident.Close() }

// open gives the cache of answers, which is opened once.
func (s *Session) open(binary string) (*analyzer.Cache, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cache == nil || s.binary != binary {
		cache, err := analyzer.OpenCache("", binary)
		if err != nil {
			return nil, err
		}
		s.cache, s.binary = cache, binary
	}
	return s.cache, nil
}
