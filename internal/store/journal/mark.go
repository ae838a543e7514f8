package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// mark is the ending of the file that says which segment was taken last.
const mark = ".taken"

// marked takes note of a mark: the one of the highest number is kept, without what the
// segment held.
func (j *Journal) marked(number uint64) error {
	keep, drop := max(j.taken, number), min(j.taken, number)
	j.taken = keep
	if drop > 0 && drop < keep {
		if err := os.Remove(j.path(drop, mark)); err != nil {
			return err
		}
	}
	return os.Truncate(j.path(keep, mark), 0)
}

// LostError says that whoever took segments does not have them any more.
type LostError struct {
	Mark     string // the file that says so
	Had, Has uint64
}

func (e *LostError) Error() string {
	return fmt.Sprintf("journal: segments up to %d were taken, and of these there are %d: files of the store were lost, cut short or replaced by older ones; bring back a copy of the whole directory, or remove %s to go on without what is gone", e.Had, e.Has, e.Mark)
}

// leap is more segments than files of a journal that was brought back from a copy lack: a
// week of them.
const leap = 1 << 20

// Begun says whether the journal in dir has a mark: whether segments of it were ever taken
// elsewhere.
func Begun(dir string) bool {
	number, err := marks(dir)
	return err == nil && number > 0
}

// marks is the number of the mark in dir, 0 for none.
func marks(dir string) (last uint64, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("journal: %w", err)
	}
	for _, e := range entries {
		if number, ok := parseName(e.Name(), mark); ok {
			last = max(last, number)
		}
	}
	return last, nil
}

// OpenAway opens the journal in dir when it cannot be asked which segments were taken
// elsewhere: more may have been than the mark says. New segments have numbers far above it,
// so that none of them has that of a segment that was taken. Taken tells when it is known.
func OpenAway(dir string, o Options) (*Journal, error) {
	last, err := marks(dir)
	if err != nil {
		return nil, err
	}
	return openAbove(dir, last, last+leap, o)
}

// OpenOutbox opens the journal in dir whose segments are not numbered as what takes them
// numbers them: none is passed over for its number.
func OpenOutbox(dir string, o Options) (*Journal, error) {
	last, err := marks(dir)
	if err != nil {
		return nil, err
	}
	return openAbove(dir, last, last, o)
}

// Taken says which segments were taken elsewhere, of a journal that was opened without
// knowing: those up to number taken are removed. It is called before Next and Remove.
func (j *Journal) Taken(taken uint64) error {
	if j.taken > taken {
		return &LostError{Mark: j.path(j.taken, mark), Had: j.taken, Has: taken}
	}
	for _, number := range j.Pending() {
		if number > taken {
			break
		}
		if err := os.Remove(j.path(number, suffix)); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		j.mu.Lock()
		delete(j.sizes, number)
		j.closed = slices.DeleteFunc(j.closed, func(n uint64) bool { return n == number })
		j.mu.Unlock()
	}
	return nil
}

// Renew readies the journal in dir, which nobody has open, for another engine, which has
// commits up to taken: the mark goes, and the segments stay. It is an error where they
// would be taken for what the engine has.
func Renew(dir string, taken uint64) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("journal: %w", err)
	}
	var marks []string
	for _, e := range entries {
		if _, ok := parseName(e.Name(), mark); ok {
			marks = append(marks, filepath.Join(dir, e.Name()))
		}
		if number, ok := parseName(e.Name(), suffix); ok && number <= taken {
			return fmt.Errorf("journal: %s is of before; move it away", filepath.Join(dir, e.Name()))
		}
	}
	for _, path := range marks {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	return nil
}
