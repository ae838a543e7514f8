package symbol

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"whyhot/internal/host/wholefile"
	"whyhot/internal/symbol/kallsyms"
)

// kernelCache keeps the list of the kernel's symbols in a file, one for the user.
// The list is good for as long as the kernel runs and has the same modules, which
// is what the first line of the file tells. Whatever goes wrong with the file only
// means that the kernel is asked.
type kernelCache struct{ dir, root string }

const kernelCacheFile = "kernel-symbols"

// key tells one run of one kernel with its modules from any other, "" when that
// cannot be told.
func (c kernelCache) key() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if c.dir == "" || c.root != "" || err != nil {
		return ""
	}
	modules, _ := os.ReadFile("/proc/modules") // not there in kernels without modules
	sum := sha256.Sum256(modules)
	return "kernel symbols 1 " + strings.TrimSpace(string(boot)) + " " + hex.EncodeToString(sum[:])
}

// load gives the kept table, nil when there is none for this kernel.
func (c kernelCache) load() *kallsyms.Table {
	key := c.key()
	if key == "" {
		return nil
	}
	f, err := os.Open(filepath.Join(c.dir, kernelCacheFile))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	in := bufio.NewReader(f)
	if line, err := in.ReadString('\n'); err != nil || line != key+"\n" {
		return nil
	}
	table, err := kallsyms.Parse(in)
	if err != nil {
		return nil
	}
	return table
}

// store keeps a table, without what the kernel makes and drops as it runs.
func (c kernelCache) store(table *kallsyms.Table) {
	key := c.key()
	if key == "" || os.MkdirAll(c.dir, 0o700) != nil {
		return
	}
	// Without the file the kernel is asked again.
	_ = wholefile.Write(filepath.Join(c.dir, kernelCacheFile), 0o600, func(w *os.File) error {
		if _, err := w.WriteString(key + "\n"); err != nil {
			return err
		}
		return table.WriteFixed(w)
	})
}
