package preload

import "whyhot/internal/elfinfo/elffile"

// buildIDs remembers the build ID of each file. They are read after the
// processes have ended, which is right unless a file was replaced meanwhile.
type buildIDs struct{ seen map[string]string }

func newBuildIDs() *buildIDs { return &buildIDs{seen: map[string]string{}} }

func (b *buildIDs) of(path string) string {
	if id, ok := b.seen[path]; ok {
		return id
	}
	id := elffile.BuildIDOf(path)
	b.seen[path] = id
	return id
}
