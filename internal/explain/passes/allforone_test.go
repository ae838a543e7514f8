package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestAllForOne(t *testing.T) {
	checkAll(t, map[string]written{
		"whether there is any": {"/me/a.js", `
function main(orders) {
  return orders.filter((o) => total(o.lines) > 100).length > 0;  @1
}
main(ORDERS);  @2
`, "main@1 filter total@1", "main@2", profile.KindJS, RuleForOne, "@1 one;"},
		"the first": {"/me/a.py", `
def main(rows):
    return [parsed(r) for r in rows if r.open][0]  @1
main(ROWS)  @2
`, "main@1 parsed", "main@2", profile.KindPython, RuleForOne, "@1 one;"},
		"any of a list": {"/me/a.py", `
def main(rows):
    return any([parsed(r) for r in rows])  @1
main(ROWS)  @2
`, "main@1 parsed", "main@2", profile.KindPython, RuleForOne, "@1 one;"},
		"the least": {"/me/a.rb", `
def main(rows)
  rows.sort_by { |r| price(r) }.first  @1
end
main(ROWS)  @2
`, "main@1 rb_ary_sort_by price", "main@2", profile.KindRuby, RuleForOne, "@1 use one;"},
		"the first word": {"/me/a.pl", `
sub main {
    my $name = (split /,/, $line)[0];  @1
}
main();  @2
`, "main@1 pp_split", "main@2", profile.KindPerl, RuleForOne, "@1 one;"},
		"one field of many": {"/me/a.go", `
func main(line string) {
	fields := strings.Split(line, " ")  @1
	n, _ := strconv.Atoi(fields[8])  @2
	show(n)
}
`, "main@1 strings.Split", "main@2", profile.KindGo, RuleForOne, "@1 one;"},
		"two fields": {"/me/a.go", `
func main(line string) {
	fields := strings.Split(line, " ")  @1
	show(fields[8], fields[2])  @2
}
`, "main@1 strings.Split", "main@2", profile.KindGo, "", ""},
		"all fields": {"/me/a.py", `
def main(line):
    fields = line.split(",")  @1
    show(fields[3], len(fields))  @2
`, "main@1 unicode_split", "main@2", profile.KindPython, "", ""},
		"a stream": {"/me/A.java", `
class A {
  static void main() {
    return rows.stream().filter(r -> r.open()).count() > 0;  @1
  }
  static void other() {
    use();  @2
  }
}
`, "main@1 evaluate", "other@2", profile.KindJava, RuleForOne, "@1 one;"},
		"a vector": {"/me/a.rs", `
fn main() {
    let first = line.split(',').map(parse).collect::<Vec<Field>>()[0];  @1
    other();  @2
}
`, "main@1 parse", "main@2", profile.KindNative, RuleForOne, "@1 one;"},
		"the three first": {"/me/a.rb", `
def main(rows)
  rows.sort_by { |r| price(r) }.first(3)  @1
end
main(ROWS)  @2
`, "main@1 rb_ary_sort_by price", "main@2", profile.KindRuby, "", ""},
		"any of what is made one at a time": {"/me/a.py", `
def main(rows):
    return any(parsed(r) for r in rows)  @1
main(ROWS)  @2
`, "main@1 parsed", "main@2", profile.KindPython, "", ""},
		"all are used": {"/me/a.js", `
function main(orders) {
  return orders.filter((o) => total(o.lines) > 100).length;  @1
}
main(ORDERS);  @2
`, "main@1 filter total", "main@2", profile.KindJS, "", ""},
		"an element of a list that is written out": {"/me/a.py", `
def main(rows):
    return [parsed(rows), 1][0]  @1
main(ROWS)  @2
`, "main@1 parsed", "main@2", profile.KindPython, "", ""},
	})
}
