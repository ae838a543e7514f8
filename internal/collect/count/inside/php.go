package inside

import (
	_ "embed" // the counter is a file of its own
	"os"

	"whyhot/internal/profile"
)

// phpCounter is run by the interpreter before the script, and includes the script itself. It
// rewrites the functions when their file is included. It does not count closures, functions
// that return by reference, and what is evaluated or in archives; of generators and functions
// that ask for their variables it counts the calls only. It does nothing in a server, before
// PHP 8, without the tokenizer, and where the script knows where it ends (__halt_compiler).
// A stack that a program prints by itself has one frame more at its end, that of the counter,
// and the list of included files has the counter.
//
//go:embed whyhot_count.php
var phpCounter []byte

var php = language{
	kind: profile.KindPHP, name: "php", file: "whyhot_count.php", text: phpCounter, variable: "PHP_INI_SCAN_DIR",
	beside: map[string]string{"whyhot.ini": "auto_prepend_file = \"${" + resultsVariable + "}/../php/whyhot_count.php\"\n"},
	value: func(dir, old string) string {
		// The directory that the interpreter has otherwise is an empty one.
		return dir + string(os.PathListSeparator) + old
	},
	silent: "functions of PHP: the interpreter did not load the counter (php -n, a file of its own that comes first, a server, before PHP 8), or it was killed before it could write",
}
