package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestPatternsThatBacktrack(t *testing.T) {
	checkAll(t, map[string]written{
		"a repetition in a repetition": {"/me/a.py", `
HEADER = re.compile(r"^((?:[\w.-]+\s*,?\s*)+):\s*(.*)$")
def scan(lines):
    for line in lines:
        m = HEADER.match(line)  @1
        show(m)  @3
`, "scan@1 sre_ucs1_match", "scan@3", profile.KindPython, RulePattern, "@1 a repetition within"},
		"with a separator": {"/me/a.py", `
HEADER = re.compile(r"^((?:[\w.-]+,)+):\s*(.*)$")
def scan(lines):
    for line in lines:
        m = HEADER.match(line)  @1
        show(m)  @3
`, "scan@1 sre_ucs1_match", "scan@3", profile.KindPython, "", ""},
		"a run at the end": {"/me/a.js", `
function trim(rows) {
  for (const row of rows) {
    const t = row.replace(/\s+$/, '');  @1
    show(t);  @3
  }
}
`, "trim@1 replace V8::StubFrame V8::ExitFrame v8::internal::Runtime_RegExpExec", "trim@3", profile.KindJS, RulePattern, "@1 begins with"},
		"a name that a pattern is matched with, elsewhere": {"/me/a.pl", `
sub process {
    for my $context (@_) {
        my $out = &$block($context);  @1
        show($out);  @3
    }
}
sub as_perl {
    my ($block) = @_;
    $block =~ s/\s+$//;
    return $block;
}
`, "process@1 Perl_pp_subst Perl_regexec_flags", "process@3", profile.KindPerl, "", ""},
		"a lazy trim": {"/me/a.pl", `
sub clean {
    my ($text) = @_;
    $text =~ s{^\s*(.*?)\s*$}{$1}s;  @1
    return $text;  @3
}
`, "clean@1 Perl_pp_subst Perl_regexec_flags", "clean@3", profile.KindPerl, RulePattern, "@1 tries the end"},
		"trims of an end each": {"/me/a.pl", `
sub clean {
    my ($text) = @_;
    $text =~ s{^\s+}{};
    ($text) = $text =~ m{^(.*\S)}s;  @1
    return $text;  @3
}
`, "clean@1 Perl_pp_match Perl_regexec_flags", "clean@3", profile.KindPerl, "", ""},
		"of Go, in linear time": {"/me/a.go", `
var trail = regexp.MustCompile("\\s+$")
func trim(rows []string) {
	for _, row := range rows {
		t := trail.ReplaceAllString(row, "")  @1
		show(t)  @3
	}
}
`, "main.trim@1 regexp.(*Regexp).ReplaceAllString", "main.trim@3", profile.KindGo, "", ""},
	})
}
