package inside

import (
	_ "embed" // the counter is a file of its own

	"whyhot/internal/profile"
)

// perlCounter is used by the interpreter at start. It replaces subroutines that have a name
// as soon as their file has been compiled, by ones that caller does not see. It does not
// count anonymous subroutines, those of XS, constants, lvalues, AUTOLOAD, DESTROY and those
// with the prototype ($$), which may order for sort; nor subroutines that are made at run time, or in files that are required
// by an absolute path, before the next module is looked for or the program begins. Of calls
// without arguments of their own (&name, by sort, by first of List::Util) only the number is
// counted. A counted subroutine gives no warning of deep recursion, and the message about a
// missing module has a space more in its list. An interpreter that starts with a debugger is
// left alone.
//
//go:embed WhyhotCount.pm
var perlCounter []byte

var perl = language{
	kind: profile.KindPerl, name: "perl", file: "WhyhotCount.pm", text: perlCounter, variable: "PERL5OPT",
	value: func(dir, old string) string {
		load := "-I" + dir + " -MWhyhotCount"
		if old == "" {
			return load
		}
		return old + " " + load
	},
	silent: "functions of Perl: the interpreter did not load the counter (perl -T and -d do not), or it was killed before it could write",
}
