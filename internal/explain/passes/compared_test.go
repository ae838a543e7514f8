package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestComparedByText(t *testing.T) {
	checkAll(t, map[string]written{
		"in JavaScript": {"/me/a.js", `
function changed(rows) {
  for (const row of rows) {
    if (JSON.stringify(row.mine) !== JSON.stringify(row.theirs)) n++;  @1
    show(row);  @3
  }
}
`, "changed@1 stringify", "changed@3", profile.KindJS, RuleCompared, "@1 by way of text;"},
		"optimised, without lines": {"/me/a.js", `
class Replica {  @2
  isChanged(row) {
    return JSON.stringify(row.mine) !== JSON.stringify(row.theirs);  @1
  }
}
for (const row of rows) show(replica.isChanged(row));  @3
`, "<anonymous>@2 v8::internal::JsonStringify", "<anonymous>@3", profile.KindJS, RuleCompared, "@1 by way of text;"},
		"in Python": {"/me/a.py", `
def changed(rows):
    for row in rows:
        if json.dumps(row.mine) == json.dumps(row.theirs):  @1
            n += 1
        show(row)  @3
`, "changed@1 dumps", "changed@3", profile.KindPython, RuleCompared, "@1 by way of text;"},
		"one side is text": {"/me/a.js", `
function changed(rows) {
  for (const row of rows) {
    if (JSON.stringify(row.mine) !== row.text) n++;  @1
    show(row);  @3
  }
}
`, "changed@1 stringify", "changed@3", profile.KindJS, "", ""},
	})
}

func TestChecksumsBitByBit(t *testing.T) {
	checkAll(t, map[string]written{
		"a CRC": {"/me/a.c", `
static uint32_t crc(const uint8_t *p, size_t n) {
    uint32_t c = ~0u;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++)  @2
            c = c & 1 ? (c >> 1) ^ 0xEDB88320u : c >> 1;  @1
        show(c);  @3
    }
    return ~c;
}
`, "crc@1", "crc@3", profile.KindNative, RuleBits, "@2 bit by"},
		"a table": {"/me/a.c", `
static uint32_t crc(const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        c = table[(c ^ p[i]) & 0xff] ^ (c >> 8);  @1
        show(c);  @3
    }
    return ~c;
}
`, "crc@1", "crc@3", profile.KindNative, "", ""},
		"bits that are counted": {"/me/a.c", `
static int ones(const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 8; k++)
            sum += (p[i] >> k) & 1;  @1
        show(sum);  @3
    }
    return sum;
}
`, "ones@1", "ones@3", profile.KindNative, "", ""},
	})
}
