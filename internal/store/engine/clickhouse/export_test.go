package clickhouse

import "context"

// LoseLease has a process lose the database, as one that was paused.
func LoseLease(e *Engine) {
	e.stop()
	e.watching.Wait()
	e.owning.Lock()
	defer e.owning.Unlock()
	e.owner.Close()
}

// BelieveInLease has a process not know that it lost the database.
func BelieveInLease(e *Engine) {
	e.owning.Lock()
	defer e.owning.Unlock()
	e.owner = believed{}
}

// WriteRegisterAgain has what a process wrote last be written again, as by a request whose answer
// it did not get.
func WriteRegisterAgain(ctx context.Context, e *Engine) error {
	r := e.known.get()
	_, err := e.keeper.Replace(ctx, r.text(), r.version)
	return err
}

type believed struct{}

func (believed) Gone() <-chan struct{} { return nil }
func (believed) Certain() bool         { return true }
func (believed) Close()                {}
