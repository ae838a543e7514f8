package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestTextsReplacedForEachPattern(t *testing.T) {
	checkAll(t, map[string]written{
		"a loop over a dict": {"/me/a.py", `
def clean(line):
    for name, char in ENTITIES.items():
        line = line.replace(name, char)  @1
    return line
for l in LINES:
    clean(l)  @3
`, "clean@1 unicode_replace", "clean@3", profile.KindPython, RuleReplaced, "@1 each replacement;"},
		"a loop of JavaScript": {"/me/a.js", `
function clean(line) {
  for (const [from, to] of table) {
    line = line.split(from).join(to);  @1
  }
  show(line);  @3
}
`, "clean@1 split", "clean@3", profile.KindJS, RuleReplaced, "@1 each replacement;"},
		"of Go": {"/me/a.go", `
func clean(line string) string {
	for from, to := range table {
		line = strings.ReplaceAll(line, from, to)  @1
	}
	show(line)  @3
	return line
}
`, "clean@1 strings.ReplaceAll", "clean@3", profile.KindGo, RuleReplaced, "@1 each replacement;"},
		"of Perl": {"/me/a.pl", `
sub clean {
    my $line = shift;
    for my $from (keys %table) {
        $line =~ s/$from/$table{$from}/g;  @1
    }
    show($line);  @3
}
`, "clean@1 pp_subst", "clean@3", profile.KindPerl, RuleReplaced, "@1 each replacement;"},
		"a chain": {"/me/A.java", `
class A {
  String clean(String s) {
    String out = s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#39;").replace("\"", "&quot;");  @1
    show(out);  @3
    return out;
  }
}
`, "clean@1 replace", "clean@3", profile.KindJava, RuleReplaced, "@1 each replacement;"},
		"lines behind each other": {"/me/a.rb", `
def clean(s)
  s = s.gsub('&', '&amp;')  @2
  s = s.gsub('<', '&lt;')
  s = s.gsub('>', '&gt;')  @1
  s = s.gsub('"', '&quot;')
  s = s.gsub("'", '&#39;')
  show(s)  @3
end
`, "clean@1 rb_str_gsub", "clean@3", profile.KindRuby, RuleReplaced, "@2 each replacement;"},
		"one for each text": {"/me/a.py", `
def clean(lines):
    for line in lines:
        line = line.replace(TAB, " ")  @1
        show(line)  @3
`, "clean@1 unicode_replace", "clean@3", profile.KindPython, "", ""},
		"one for each element": {"/me/a.js", `
function clean(rows) {
  for (const row of rows) {
    let text = row.text;
    text = text.replace(row.from, row.to);  @1
    show(text);  @3
  }
}
`, "clean@1 replace", "clean@3", profile.KindJS, "", ""},
		"two": {"/me/a.rb", `
def clean(s)
  s = s.gsub('<', '&lt;')
  s = s.gsub('>', '&gt;')  @1
  show(s)  @3
end
`, "clean@1 rb_str_gsub", "clean@3", profile.KindRuby, "", ""},
	})
}
