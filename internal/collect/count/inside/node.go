package inside

import (
	_ "embed" // the counter is a file of its own
	"os"

	"whyhot/internal/profile"
)

// nodeCounter is required by Node.js at start. It rewrites the source of the functions when
// their file is loaded, CommonJS as well as modules: a call and what it returns is told to
// the counter in the lines where they are. It counts functions, arrow functions, methods,
// getters and constructors that have a name or are given to one; calls of generators, async
// functions and arrow functions that take their arguments apart without looking at them, and
// constructors without what they give. Of what a function closes over, the call of the
// function around it is part of its arguments, and nothing of what changes within that. It does not count in worker threads, in code that was not loaded from its file
// (bundled at run time, evaluated, of jest), in TypeScript, and functions whose body cannot
// stand in a block. Columns, the source line of an uncaught exception and the text of such a
// function (toString) are those of the rewritten source.
//
//go:embed whyhot_count.cjs
var nodeCounter []byte

var node = language{
	kind: profile.KindJS, name: "node", file: "whyhot_count.cjs", text: nodeCounter, variable: "NODE_OPTIONS",
	value: func(dir, old string) string {
		load := `--require="` + dir + string(os.PathSeparator) + `whyhot_count.cjs"`
		if old == "" {
			return load
		}
		return old + " " + load
	},
	silent: "functions of JavaScript: only Node.js 18 and later load the counter, or it was killed before it could write",
}
