package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestProbesOfHashTables(t *testing.T) {
	const native = profile.KindNative
	const table = `
static int find(struct entry *all, unsigned size, unsigned key)
{
    unsigned at = hash_of(key) % size;
    while (all[at].used) {  @2
        if (all[at].key == key)  @4
            return at;
        at = (at + 1) % size;  @1
    }
    return -1;
}
int main(void) {
    other();  @3
}
`
	checkAll(t, map[string]written{
		"one slot after the other": {"/me/a.c", table, "main@3 find@1", "main@3", native, RuleProbes, "@1 probe"},
		"mostly the first slot":    {"/me/a.c", table, "main@3 find@4", "main@3", native, "", ""},
		"a mask, in Go": {"/me/a.go", `
func (t *Table) find(key string) *slot {
	i := t.hash(key) & t.mask
	for {  @2
		if t.slots[i].key == key {
			return &t.slots[i]
		}
		i = (i + 1) & t.mask  @1
	}
}
func main() {
	other()  @3
}
`, "main@3 find@1", "main@3", profile.KindGo, RuleProbes, "@1 probe"},
		"a first slot of its own": {"/me/a.rs", `
fn find(&self, key: u64) -> usize {
    let start = self.hasher.hash_one(key) as usize % self.cap;
    let mut i = start;
    loop {  @2
        if self.keys[i] == key {
            return i;
        }
        i = (i + 1) % self.cap;  @1
    }
}
fn main() {
    other();  @3
}
`, "main@3 find@1", "main@3", native, RuleProbes, "@1 probe"},
		"a ring": {"/me/a.c", `
static int waiting(struct queue *q, int job)
{
    unsigned at = q->head;
    while (at != q->tail) {  @2
        if (q->jobs[at] == job)
            return at;
        at = (at + 1) % q->size;  @1
    }
    return -1;
}
int main(void) {
    other();  @3
}
`, "main@3 waiting@1", "main@3", native, "", ""},
	})
	// Of a lookup that mostly finds its key at once, the step is seldom taken.
	for steps, want := range map[int]string{60: "", 300: "@1 probe"} {
		p := read("/me/a.c", table, native)
		p.add(900, "main@3 find@4")
		p.add(steps, "main@3 find@1")
		p.add(100, "main@3")
		checkOne(t, "some steps", p, RuleProbes, want)
	}
}
