package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestSearchesWithoutMoreThanACondition(t *testing.T) {
	const (
		native = profile.KindNative
		search = "main@2 label_id@1 strcmp"
	)
	checkAll(t, map[string]written{
		"texts of an array that grows": {"/me/a.c", `
static char **names;
static int used;
int label_id(const char *name)
{
    int id = 0;
    while (id < used && strcmp(names[id], name) != 0)  @1
        id++;
    if (id == used)
        names[used++] = strdup(name);
    return id;
}
int main(void) {
    while (read_record(&r)) {
        count[label_id(r.name)]++;  @2
        other();  @3
    }
}
`, search, "main@3", native, RuleScan, "@1 all of names"},
		"numbers, with the count in the condition's body": {"/me/a.c", `
int slot_for(long key)
{
    int at;
    at = 0;
    while (at < n && table[at].key != key) at += 1;  @1
    return at;
}
int main(void) {
    for (int i = 0; i < rows; i++) {
        count[slot_for(keys[i])]++;  @2
        other();  @3
    }
}
`, "main@2 slot_for@1", "main@3", native, RuleScan, "@1 all of table"},
		"in a loop of the same function": {"/me/a.js", `
function main(rows, known) {
  for (const row of rows) {
    let i = 0;
    while (i < known.length && known[i] !== row.key) i++;  @1
    use(row, i);  @3
  }
}
`, "main@1", "main@3", profile.KindJS, RuleScan, "@1 all of known"},
		"places of a hash table": {"/me/a.c", `
int label_id(const char *name)
{
    int id = hash(name) % size;
    while (id < size && strcmp(names[id], name) != 0)  @1
        id++;
    return id;
}
int main(void) {
    while (read_record(&r)) {
        count[label_id(r.name)]++;  @2
        other();  @3
    }
}
`, search, "main@3", native, "", ""},
		"a text that is given": {"/me/a.c", `
int label_id(const char *text, char until)
{
    int id = 0;
    while (id < size && text[id] != until)  @1
        id++;
    return id;
}
int main(void) {
    while (read_record(&r)) {
        count[label_id(r.name, r.end)]++;  @2
        other();  @3
    }
}
`, search, "main@3", native, "", ""},
		"two lists that are gone through together": {"/me/a.c", `
void join(void)
{
    int id = 0;
    for (int i = 0; i < n; i++) {
        while (id < used && strcmp(names[id], rows[i].name) != 0)  @1
            id++;
        other();  @3
    }
}
`, "join@1 strcmp", "join@3", native, "", ""},
		"what is stepped over has more to do": {"/me/a.c", `
int label_id(const char *name)
{
    int id = 0;
    while (id < used && strcmp(names[id], name) != 0) {  @1
        passed(names[id]);
        id++;
    }
    return id;
}
int main(void) {
    while (read_record(&r)) {
        count[label_id(r.name)]++;  @2
        other();  @3
    }
}
`, search, "main@3", native, "", ""},
	})
}
