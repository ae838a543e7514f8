package known

import (
	"fmt"
	"regexp"
	"strconv"

	"whyhot/internal/collect/tracefs"
)

// The kernel's event for a new process or thread, which comes before it runs.
const (
	group = "task"
	event = "task_newtask"
)

// fields are the offsets of what the event has.
type fields struct{ pid, flags int16 }

// readFields reads them from where the kernel describes the event.
func readFields() (fields, error) {
	text, err := tracefs.Event(group, event, "format")
	if err != nil {
		return fields{}, fmt.Errorf("following forks: %w", err)
	}
	return parseFields(text)
}

// parseFields reads lines such as
//
//	field:pid_t pid;	offset:8;	size:4;	signed:1;
func parseFields(format string) (f fields, err error) {
	for name, field := range map[string]struct {
		at   *int16
		size int
	}{"pid": {&f.pid, 4}, "clone_flags": {&f.flags, 8}} {
		found := regexp.MustCompile(`field:[^;]*\b` + name + `;\s*offset:(\d+);\s*size:(\d+);`).FindStringSubmatch(format)
		if found == nil || found[2] != strconv.Itoa(field.size) {
			return fields{}, fmt.Errorf("following forks: the kernel's event %s has no %s of %d bytes", event, name, field.size)
		}
		offset, err := strconv.ParseInt(found[1], 10, 16)
		if err != nil {
			return fields{}, fmt.Errorf("following forks: the offset of %s: %w", name, err)
		}
		*field.at = int16(offset)
	}
	return f, nil
}
