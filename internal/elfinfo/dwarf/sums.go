package dwarf

import (
	"crypto/md5" //nolint:gosec // DWARF has no other
	"encoding/hex"
)

// Sums are the MD5 sums, in hexadecimal, of the source files that were compiled, by path.
// DWARF 5 has them where the compiler writes them, as clang does. A file of which units
// were given different texts is left out.
func (d *Info) Sums() map[string]string {
	out := map[string]string{}
	seen := map[uint64]bool{}
	for _, u := range d.units {
		if !u.root.hasLines || seen[u.root.stmtList] {
			continue
		}
		seen[u.root.stmtList] = true
		h, err := u.readLineHeader(u.root.stmtList)
		if err != nil {
			d.note(err.Error())
			continue
		}
		for i := range h.files {
			f := &h.files[i]
			if len(f.sum) != md5.Size || f.full == "" {
				continue
			}
			sum := hex.EncodeToString(f.sum)
			if was, ok := out[f.full]; ok && was != sum {
				sum = ""
			}
			out[f.full] = sum
		}
	}
	for path, sum := range out {
		if sum == "" {
			delete(out, path)
		}
	}
	return out
}
