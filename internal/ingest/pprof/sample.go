package pprof

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"whyhot/internal/profile"
)

// Field numbers of message Sample.
const (
	sampleLocation = 1
	sampleValue    = 2
	sampleLabel    = 3
)

// timeLabel is the label under which profilers store the time of one event in
// nanoseconds; we read it into Sample.Time and write it back.
const timeLabel = "end_timestamp_ns"

// elapsedLabel is the label under which we store the time since the profile's start, so that
// a profile whose time_nanos is changed has its samples there, too.
const elapsedLabel, elapsedUnit = "whyhot_elapsed", "milliseconds"

// mostElapsed is a century, in milliseconds.
const mostElapsed = 100 * 365 * 86_400_000

// sample adds sample number i of the file.
func (b *build) sample(i int, body []byte) error {
	b.grow(i, b.n)
	b.ids, b.values = b.ids[:0], b.values[:0]
	b.labels.reset()
	c := cursor{b: body}
	for {
		ok, err := c.next()
		if !ok && err == nil {
			break
		}
		if err == nil {
			switch c.field {
			case sampleLocation:
				b.ids, err = numbers(&c, b.ids)
			case sampleValue:
				b.values, err = numbers(&c, b.values)
			case sampleLabel:
				err = b.labels.add(&c)
			}
		}
		if err != nil {
			return fmt.Errorf("pprof: sample %d: %w", i, err)
		}
	}
	if len(b.values) != len(b.cols.types) {
		return fmt.Errorf("pprof: sample %d: it has %d values, the profile has %d sample types", i, len(b.values), len(b.cols.types))
	}
	b.locs = b.locs[:0]
	for _, id := range b.ids {
		l, ok := b.locations.get(id)
		if !ok {
			return fmt.Errorf("pprof: sample %d: location_id %d is not in the location table", i, id)
		}
		b.locs = append(b.locs, profile.LocationID(l))
	}
	for k, v := range b.values {
		b.seen[k] = addAbs(b.seen[k], v)
	}
	count, value := b.cols.pick(b.values)
	if count == 0 && value == 0 {
		return b.wait(i)
	}
	if b.seen[b.cols.value] > maxTotal {
		return fmt.Errorf("pprof: sample %d: the values add up to more than a profile can hold", i)
	}
	labels, at, err := b.labels.set(b.b)
	if err != nil {
		return fmt.Errorf("pprof: sample %d: %w", i, err)
	}
	b.kept++
	b.b.Sample(profile.Sample{Stack: b.b.Stack(b.locs), Labels: labels, Time: at, Count: count, Value: value})
	if err := b.b.Size().Check(b.most); err != nil {
		return fmt.Errorf("pprof: %w", err)
	}
	return nil
}

// wait adds what a sample says of time off the CPU, beside what is asked for.
func (b *build) wait(i int) error {
	if b.cols.waits < 0 || b.values[b.cols.waits] <= 0 || b.seen[b.cols.waits+1] > maxTotal {
		return nil
	}
	labels, at, err := b.labels.set(b.b)
	if err != nil {
		return fmt.Errorf("pprof: sample %d: %w", i, err)
	}
	b.b.Wait(profile.Sample{Stack: b.b.Stack(b.locs), Labels: labels, Time: at, Count: b.values[b.cols.waits], Value: b.values[b.cols.waits+1]})
	return nil
}

// maxTotal keeps sums of values, and of differences of them, inside an int64.
const maxTotal = 1 << 62

// labelCache interns the label sets of samples by their bytes, so that a set is
// resolved once however many samples carry it.
type labelCache struct {
	t       *tables
	timeKey map[int64]bool // string indices of labels that hold a time
	elapsed bool           // that time counts from the start
	known   map[string]profile.LabelSetID
	key     []byte
	at      int64
}

func (l *labelCache) init(t *tables) {
	*l = labelCache{t: t, timeKey: map[int64]bool{}, known: map[string]profile.LabelSetID{}}
	for i, s := range t.strings {
		if s == elapsedLabel && !l.elapsed {
			clear(l.timeKey) // two origins cannot stand side by side
			l.elapsed = true
		}
		if s == elapsedLabel || s == timeLabel && !l.elapsed {
			l.timeKey[int64(i)] = true
		}
	}
}

func (l *labelCache) reset() { l.key, l.at = l.key[:0], 0 }

type rawLabel struct{ key, str, num, unit int64 }

func parseLabel(body []byte) (r rawLabel, err error) {
	err = fields(body, func(field int, v uint64) {
		switch field {
		case 1:
			r.key = int64(v)
		case 2:
			r.str = int64(v)
		case 3:
			r.num = int64(v)
		case 4:
			r.unit = int64(v)
		}
	})
	return r, err
}

// add takes one label of the current sample in.
func (l *labelCache) add(c *cursor) error {
	body, err := c.message()
	if err != nil {
		return err
	}
	if len(l.timeKey) > 0 {
		r, err := parseLabel(body)
		if err != nil {
			return fmt.Errorf("label: %w", err)
		}
		if l.timeKey[r.key] && r.str == 0 {
			if l.at = r.num; l.elapsed {
				l.at = max(0, min(r.num, mostElapsed)) * int64(time.Millisecond)
			}
			return nil
		}
	}
	if len(body) > 1<<7-1 {
		return errors.New("label: longer than four numbers can be")
	}
	l.key = append(append(l.key, byte(len(body))), body...)
	return nil
}

// set interns the labels of the current sample.
func (l *labelCache) set(b *profile.Builder) (profile.LabelSetID, int64, error) {
	if len(l.key) == 0 {
		return 0, l.at, nil
	}
	if id, ok := l.known[string(l.key)]; ok {
		return id, l.at, nil
	}
	var labels []profile.Label
	for k := l.key; len(k) > 0; k = k[1+int(k[0]):] {
		r, err := parseLabel(k[1 : 1+int(k[0])])
		if err != nil {
			return 0, 0, fmt.Errorf("label %d: %w", len(labels), err)
		}
		label, err := l.resolve(r)
		if err != nil {
			return 0, 0, fmt.Errorf("label %d: %w", len(labels), err)
		}
		labels = append(labels, label)
	}
	id := b.Labels(labels)
	l.known[string(l.key)] = id
	return id, l.at, nil
}

func (l *labelCache) resolve(r rawLabel) (label profile.Label, err error) {
	if label.Key, err = l.t.str(r.key); err != nil {
		return label, err
	}
	if label.Str, err = l.t.str(r.str); err != nil {
		return label, err
	}
	if label.Unit, err = l.t.str(r.unit); err != nil {
		return label, err
	}
	label.Num = r.num
	return known(label), nil
}

// keys are the spellings of other profilers for the labels that we know.
var keys = map[string]string{
	"thread_name": profile.LabelThread, "thread name": profile.LabelThread, "thread.name": profile.LabelThread, "comm": profile.LabelThread,
	"thread_id": profile.LabelTID, "thread id": profile.LabelTID, "thread.id": profile.LabelTID,
	"process_id": profile.LabelPID, "process id": profile.LabelPID, "process.pid": profile.LabelPID,
	"process_name": profile.LabelProcess, "process.executable.name": profile.LabelProcess,
	"container_id": profile.LabelContainer, "container.id": profile.LabelContainer,
}

// known renames a label that another profiler spells differently.
func known(l profile.Label) profile.Label {
	if k, ok := keys[l.Key]; ok {
		l.Key = k
	}
	if (l.Key == profile.LabelPID || l.Key == profile.LabelTID) && l.Str != "" {
		if n, err := strconv.ParseInt(l.Str, 0, 64); err == nil {
			l.Str, l.Num = "", n
		}
	}
	return l
}
