package perfdata

import "whyhot/internal/profile"

// interner is the second stage of the reading: it puts stacks and samples into the builder
// while the records behind them are still read and their addresses looked up. Both wait
// for memory most of the time, each for its own tables. The order stays, and with it
// what becomes of it.
//
// What is on its way is bounded: the first stage waits when the second has batchesAhead
// batches before it.
type interner struct {
	b    *profile.Builder
	cur  *batch
	full chan *batch
	free chan *batch
	done chan struct{}
}

// batch is some samples with their stacks.
type batch struct {
	frames []profile.LocationID // of all stacks
	rows   []row
}

// row is a sample whose stack ends at an index of frames.
type row struct {
	sample profile.Sample
	end    int
}

const (
	batchRows    = 4096 // enough that waking each other costs nothing beside them
	batchesAhead = 3    // a megabyte each
)

// add adds a sample with its stack, leaf first, which it copies.
func (r *interner) add(stack []profile.LocationID, sample profile.Sample) {
	if r.cur == nil {
		r.start()
	}
	r.cur.frames = append(r.cur.frames, stack...)
	r.cur.rows = append(r.cur.rows, row{sample, len(r.cur.frames)})
	if len(r.cur.rows) == batchRows {
		r.full <- r.cur
		r.cur = <-r.free
	}
}

func (r *interner) start() {
	r.full, r.free, r.done = make(chan *batch, batchesAhead), make(chan *batch, batchesAhead+1), make(chan struct{})
	for range batchesAhead + 1 {
		r.free <- &batch{rows: make([]row, 0, batchRows)}
	}
	r.cur = <-r.free
	go r.run()
}

func (r *interner) run() {
	defer close(r.done)
	for batch := range r.full {
		start := 0
		for i := range batch.rows {
			row := &batch.rows[i]
			row.sample.Stack = r.b.Stack(batch.frames[start:row.end])
			r.b.Sample(row.sample)
			start = row.end
		}
		batch.frames, batch.rows = batch.frames[:0], batch.rows[:0]
		r.free <- batch
	}
}

// end waits until all is in the builder. Nothing may be added afterwards.
func (r *interner) end() {
	if r.cur == nil {
		return
	}
	r.full <- r.cur
	close(r.full)
	<-r.done
	r.cur = nil
}
