package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestCalledTwice(t *testing.T) {
	const total = `
def total(order):
    n = 0
    for line in order.lines:
        n += line.price  @3
    return n
`
	const withText = `
def total(order, kind):
    n = 0
    for line in order.lines:
        n += line.price  @3
    return n
`
	checkAll(t, map[string]written{
		"in one statement": {"/me/a.js", `
function main(order) {
  if (total(order) > 0 && total(order) < LIMIT) keep(order);  @1
  other();  @2
}
function total(order) {
  let n = 0;
  for (const line of order.lines) n += line.price;  @3
  return n;
}
`, "main@1 total@3", "main@2", profile.KindJS, RuleCalledTwice, "@1 twice"},
		"in the line behind": {"/me/a.py", `
def main(order):
    if total(order) > 0:  @1
        show(total(order))  @2
    other()  @4
` + total, "main@1 total@3", "main@4", profile.KindPython, RuleCalledTwice, "@1 twice"},
		"the header of a method": {"/me/a.js", `
class A extends B {
  visit(node) {  @1
    return super.visit(node);
  }
}
function main(node) {
  other();  @2
}
function visit(node) {
  return node.kind;  @3
}
`, "main@2 visit@1 visit@3", "main@2", profile.KindJS, "", ""},
		"in the other branch": {"/me/a.py", `
def main(order):
    if order.open:
        show(total(order))  @1
    else:
        hide(total(order))  @2
    other()  @4
` + total, "main@1 total@3", "main@4", profile.KindPython, "", ""},
		"with another text": {"/me/a.py", `
def main(order, kind):
    html = total(order, f"{kind}.html")  @1
    text = total(order, f"{kind}.txt")  @2
    other()  @4
` + withText, "main@1 total@3", "main@4", profile.KindPython, "", ""},
		"with the same text": {"/me/a.py", `
def main(order, kind):
    html = total(order, f"{kind}.html")  @1
    text = total(order, f"{kind}.html")  @2
    other()  @4
` + withText, "main@1 total@3", "main@4", profile.KindPython, RuleCalledTwice, "@1 twice"},
		"with a text in which another value stands": {"/me/a.rb", `
def main(order, kind)
  if total(order, "#{kind}-a") > 0  @1
    kind = following(kind)
    keep(total(order, "#{kind}-a"))
  end
  other()  @2
end
def total(order, kind)
  n = 0
  order.lines.each { |line| n += line.price }  @3
  n
end
`, "main@1 total@3", "main@2", profile.KindRuby, "", ""},
		"with another argument": {"/me/a.py", `
def main(order, next):
    if total(order) > total(next):  @1
        show(order)  @2
    other()  @4
` + total, "main@1 total@3", "main@4", profile.KindPython, "", ""},
		"changed between": {"/me/a.py", `
def main(order):
    a = total(order)  @1
    order = after(order)
    b = total(order)  @2
    other()  @4
` + total, "main@1 total@3", "main@4", profile.KindPython, "", ""},
		"what changes something": {"/me/a.py", `
def main(order):
    if step(order) > 0:  @1
        show(step(order))  @2
    other()  @4

def step(order):
    order.at += 1  @3
    return order.at
`, "main@1 step@3", "main@4", profile.KindPython, "", ""},
	})
}
