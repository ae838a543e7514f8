package passes

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

func TestChainsOfHashTables(t *testing.T) {
	const native = profile.KindNative
	checkAll(t, map[string]written{
		"from a pointer to the slot": {"/me/a.c", `
static struct account *slots[SLOTS];
struct account *account_get(const char *id)
{
    struct account **head = &slots[slot_of(id) % 512];
    for (struct account *a = *head; a; a = a->next)  @2
        if (!strcmp(a->id, id))  @1
            return a;
    return added(head, id);
}
int main(void) {
    for (int i = 0; i < n; i++) {
        account_get(ids[i])->total += i;
        other();  @3
    }
}
`, "main@3 account_get@1 strcmp", "main@3", native, RuleChain, "@2 chains"},
		"a number of a number": {"/me/a.go", `
func (t *Table) find(key uint64) *node {
	h := mix(key)
	b := h & 1023
	for e := t.buckets[b]; e != nil; e = e.next {  @1
		if e.key == key {
			return e
		}
	}
	return nil
}
func main() {
	other()  @3
}
`, "main@3 find@1", "main@3", profile.KindGo, RuleChain, "@1 chains"},
		"by a remainder, in a loop with a condition": {"/me/a.cc", `
Node *find(int key)
{
    Node *n = table[key % 64];
    while (n) {  @2
        if (n->key == key) return n;  @1
        n = n->next;
    }
    return nullptr;
}
int main() {
    other();  @3
}
`, "main@3 find@1", "main@3", native, RuleChain, "@2 chains"},
		"a table that grows": {"/me/a.c", `
struct ent *find(struct tab *t, const char *key)
{
    struct ent *e = t->b[fnv(key) & t->mask];
    while (e) {  @2
        if (strcmp(e->key, key) == 0)  @1
            return e;
        e = e->next;
    }
    return NULL;
}
int main(void) {
    other();  @3
}
`, "main@3 find@1", "main@3", native, "", ""},
		"edges of a node": {"/me/a.c", `
int has_edge(int u, int v)
{
    for (struct edge *e = near[u]; e; e = e->next)  @2
        if (e->to == v)  @1
            return 1;
    return 0;
}
int main(void) {
    other();  @3
}
`, "main@3 has_edge@1", "main@3", native, "", ""},
		"a list": {"/me/a.c", `
struct job *find(struct list *l, int id)
{
    for (struct job *j = l->first; j; j = j->next)  @2
        if (j->id == id)  @1
            return j;
    return NULL;
}
int main(void) {
    other();  @3
}
`, "main@3 find@1", "main@3", native, "", ""},
		"all of a slot": {"/me/a.c", `
long total(const char *id)
{
    long sum = 0;
    for (struct account *a = slots[slot_of(id)]; a; a = a->next)  @2
        sum += a->total;  @1
    return sum;
}
int main(void) {
    other();  @3
}
`, "main@3 total@1", "main@3", native, "", ""},
	})
}

// Which part of the key a hash reads shows in its text.
func TestAHashOfAPart(t *testing.T) {
	for body, want := range map[string]string{
		"    uint64_t w;\n    memcpy(&w, id, sizeof w);\n    return w >> 49;":                                    "Hash the whole key",
		"    uint32_t h = 0;\n    while (*id)\n        h += *id++;\n    return h % SLOTS;":                       "Multiply at each step",
		"    uint32_t h = 0;\n    for (int i = 0; id[i]; i++)\n        h ^= id[i];\n    return h & (SLOTS - 1);": "Multiply at each step",
		"    uint32_t h = 0;\n    while (*id)\n        h = h * 31 + *id++;\n    return h % 64;":                  "The table has 64 slots",
		"    uint32_t h = 0;\n    while (*id)\n        h = h * 31 + *id++;\n    return h % SLOTS;":               "",
		"    return XXH3_64bits(id, strlen(id)) % SLOTS;":                                                        "",
	} {
		p := read("/me/a.c", `
static uint32_t slot_of(const char *id)
{
`+body+`
}
struct account *account_get(const char *id)
{
    for (struct account *a = slots[slot_of(id)]; a; a = a->next)
        if (!strcmp(a->id, id))  @1
            return a;
    return NULL;
}
int main(void) {
    other();  @3
}
`, profile.KindNative)
		p.turns("main@3 account_get@1 strcmp", "main@3")
		found := p.found(t)
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.HasPrefix(found[0].Fix.Steps[0], want)) {
			t.Errorf("%s: %+v", body, found)
		}
	}
}
