// Package tracefs reads what the kernel says of its events.
//
// It owns where a tracefs may be mounted. It takes an event and gives the text of a file about it. It
// must never mount anything, nor import another package of this module.
package tracefs

import (
	"errors"
	"os"
	"path/filepath"
)

// Root is where a tracefs is mounted since Linux 4.1.
const Root = "/sys/kernel/tracing"

// Roots are where one may be mounted.
var Roots = []string{Root, "/sys/kernel/debug/tracing"}

// Event reads a file about an event, such as "format" or "id". Without a tracefs that the calling
// thread sees, the error says where it was looked for.
func Event(group, event, file string) (string, error) {
	var failed error
	for _, root := range Roots {
		text, err := os.ReadFile(filepath.Join(root, "events", group, event, file))
		if err == nil {
			return string(text), nil
		}
		failed = errors.Join(failed, err)
	}
	return "", failed
}
