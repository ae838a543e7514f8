package inside

import (
	_ "embed" // the counter is a file of its own
	"os"

	"whyhot/internal/profile"
)

// rubyCounter is required by the interpreter at start. It counts methods that are written
// with def, also in texts that are evaluated, by a TracePoint for each; not blocks, what
// define_method makes of them, and methods that are written in C. It does not look at the
// arguments of calls with arguments that have no name (def f(*)), and a block that is given
// without being named counts as another argument each time. What another Ractor calls is
// not counted. It does nothing before Ruby 2.7, whose object_id can be given twice.
//
//go:embed whyhot_count.rb
var rubyCounter []byte

var ruby = language{
	kind: profile.KindRuby, name: "ruby", file: "whyhot_count.rb", text: rubyCounter, variable: "RUBYOPT",
	value: func(dir, old string) string {
		load := "-r" + dir + string(os.PathSeparator) + "whyhot_count.rb"
		if old == "" {
			return load
		}
		return old + " " + load
	},
	silent: "functions of Ruby: the interpreter did not load the counter (before 2.7, other than CRuby, --disable=rubyopt), or it was killed or left by exit! before it could write",
}
