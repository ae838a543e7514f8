package elffile

import (
	"fmt"
	"runtime/debug"
)

// Guard runs fn and returns its error. A fault on a mapped file (somebody
// truncated it after it was opened) becomes an error too; any other panic goes
// on, because it would be a mistake of ours. The fault is only caught on the
// calling goroutine.
func Guard(what string, fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		// The runtime's memory-fault errors, and only those, tell an address.
		if _, fault := r.(interface{ Addr() uintptr }); !fault {
			panic(r)
		}
		err = fmt.Errorf("%s: the file was truncated while it was being read: %v", what, r)
	}()
	return fn()
}

// guardAll turns every panic of fn into an error. It is for the standard
// library's ELF header reader, which is not promised to be safe on hostile
// input.
func guardAll(what string, fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", what, r)
		}
	}()
	return Guard(what, fn)
}
