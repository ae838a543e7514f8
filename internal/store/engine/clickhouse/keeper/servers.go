package keeper

import (
	"math/rand/v2"
	"slices"
	"sync"
)

// servers are tried one after the other, by their names: a name may have another address when it
// is tried again, or none at the moment.
type servers struct {
	mu    sync.Mutex
	names []string
	next  int
	tried int // since one was connected to
}

// Init is given the servers. Processes begin with different ones.
func (s *servers) Init(names []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = slices.Clone(names)
	rand.Shuffle(len(s.names), func(i, j int) { s.names[i], s.names[j] = s.names[j], s.names[i] })
	return nil
}

// Len is how many there are.
func (s *servers) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.names)
}

// Next is the one to try; all says that all were tried since one was connected to.
func (s *servers) Next() (name string, all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, all = s.names[s.next], s.tried == len(s.names)
	if all {
		s.tried = 0
	}
	s.next, s.tried = (s.next+1)%len(s.names), s.tried+1
	return name, all
}

// Connected takes note that the last one answers.
func (s *servers) Connected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried = 0
}
