package symbol

import (
	"strings"
	"sync"

	"github.com/ianlancetaylor/demangle"

	"whyhot/internal/profile/codename"
)

// demangler gives the names that people read and remembers them: the same few
// thousand functions are inlined all over a program.
type demangler struct {
	parameters bool
	mu         sync.RWMutex
	done       map[string]string
}

func newDemangler(parameters bool) *demangler {
	return &demangler{parameters: parameters, done: map[string]string{}}
}

func (d *demangler) name(symbol string) string {
	if !strings.HasPrefix(symbol, "_") && !strings.Contains(symbol, "@") {
		return symbol
	}
	d.mu.RLock()
	name, ok := d.done[symbol]
	d.mu.RUnlock()
	if ok {
		return name
	}
	stub := strings.HasSuffix(symbol, pltSuffix)
	plain := strings.TrimSuffix(symbol, pltSuffix)
	if d.parameters {
		name = demangle.Filter(plain, demangle.LLVMStyle)
	} else {
		name = codename.Display(plain)
	}
	if stub {
		name += pltSuffix
	}
	d.mu.Lock()
	d.done[symbol] = name
	d.mu.Unlock()
	return name
}

const pltSuffix = "@plt"
