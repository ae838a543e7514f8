package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestWholeObjectsThatAreCleared(t *testing.T) {
	const (
		native = profile.KindNative
		clears = "main@2 begin@1 __memset_avx2_unaligned_erms"
	)
	checkAll(t, map[string]written{
		"a struct that is given a value": {"/me/a.c", `
void begin(struct request *r)
{
    *r = (struct request){ .method = "GET", .status = 200 };  @1
}
int main(void) {
    while (next_wire(&w)) {
        begin(&r);  @2
        other();  @3
    }
}
`, clears, "main@3", native, RuleCleared, "@1 object cleared for each"},
		"by its size": {"/me/a.cc", `
void begin(Frame *f)
{
    memset(f, 0, sizeof(*f));  @1
    f->id = next_id();
}
int main() {
    for (int i = 0; i < n; i++) {
        begin(&frames);  @2
        other(i);  @3
    }
}
`, clears, "main@3", native, RuleCleared, "@1 object cleared for each"},
		"a local array": {"/me/a.cc", `
int begin(int i)
{
    char line[65536] = {0};  @1
    return filled(line, i);
}
int main() {
    for (int i = 0; i < n; i++) {
        begin(i);  @2
        other(i);  @3
    }
}
`, clears, "main@3", native, RuleCleared, "@1 object cleared for each"},
		"once": {"/me/a.c", `
void begin(struct request *r)
{
    *r = (struct request){ .method = "GET" };  @1
}
int main(void) {
    begin(&r);  @2
    other();  @3
}
`, clears, "main@3", native, "", ""},
		"a value that is computed": {"/me/a.c", `
void begin(struct request *r)
{
    *r = (struct request){ .method = next_field(w) };  @1
}
int main(void) {
    while (next_wire(&w)) {
        begin(&r);  @2
        other();  @3
    }
}
`, "main@2 begin@1 next_field", "main@3", native, "", ""},
		"as much as is asked for": {"/me/a.c", `
void begin(char *to, int n)
{
    memset(to, 0, n);  @1
}
int main(void) {
    while (next_wire(&w)) {
        begin(to, w.n);  @2
        other();  @3
    }
}
`, clears, "main@3", native, "", ""},
	})
}
