package passes

import "regexp"

// madeText is how a language writes texts made of values. A form that ends with a parenthesis
// goes on to the one that closes it.
type madeText struct {
	forms []*regexp.Regexp
	cure  string
	// least and likely are parts of the line's time that other keys save, as measured with a
	// grid's cells (docs/rules/text-as-key.md), where a language has been.
	least, likely float64
}

// Parts of an expression that adds texts and values up.
const (
	aValue  = `[$@]?[A-Za-z_][\w:]*(?:(?:\.|->)\w+)*(?:\((?:[^()"']|\([^()]*\))*\))?(?:\[[^\[\]"']*\])*`
	aText   = `(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`
	addedUp = `(?:` + aValue + `\s*\+\s*` + aText + `|` + aText + `\s*\+\s*` + aValue + `)(?:\s*\+\s*(?:` + aValue + `|` + aText + `))*`
)

var madeTexts = map[string]madeText{
	"Go": {forms("fmt\\.Sprint(?:f|ln)?\\(", `strconv\.(?:Itoa|FormatInt|FormatUint)\([^()]*(?:\([^()]*\))?\)(?:\s*\+\s*(?:`+aText+`|`+aValue+`))*`, addedUp),
		"A struct of the values is a key of a map: type key struct{ x, y int }; nothing is allocated or formatted", 0.25, 0.5},
	"Python": {forms(`\bf"[^"{]*\{[^"]*"`, `\bf'[^'{]*\{[^']*'`, `"[^"]*%[^"]*"\s*%\s*(?:\(|`+aValue+`)`, `'[^']*%[^']*'\s*%\s*(?:\(|`+aValue+`)`, aText+`\.(?:format|join)\(`, addedUp),
		"Of whole numbers of a known range one number: x * height + y; else a tuple of the values: seen[x, y]", 0.15, 0.35},
	"JavaScript": {forms("`[^`]*\\$\\{[^`]*`", `\[[^\[\]]*,[^\[\]]*\]\.(?:join|toString)\([^()]*\)`, addedUp),
		"Of whole numbers of a known range one number in a Map, or the place in an array: x * height + y; of others a Map for each first value (Map of Maps)", 0.45, 0.8},
	"Java": {forms(`\bs?"[^"]*\$\{?[A-Za-z_][^"]*"`, `\bString\.(?:format|join)\(`, addedUp),
		"A record of the values as the key (record Key(int x, int y); data class, case class), or of two ints one long: ((long) x << 32) | y", 0.25, 0.6},
	"C": {forms(`\$"[^"]*\{[^"]*"`, `\b(?:std|fmt)::format\(`, `\b[sS]tring\.(?:Format|Join|Concat)\(`, `\bstd::to_string\([^()]*(?:\([^()]*\))?\)(?:\s*\+\s*(?:`+aText+`|`+aValue+`))*`, addedUp),
		"The values as the key: of whole numbers one of 64 bits, else a struct or a std::pair with a hash for it (C#: a tuple (x, y) or a record struct)", 0.25, 0.6},
	"Rust": {forms(`\bformat!\(`), "A tuple of the values is a key: HashMap<(u32, u32), V>; nothing is allocated or formatted", 0.25, 0.6},
	"Ruby": {forms(`"[^"]*#\{[^"]*"`, `\[[^\[\]]*,[^\[\]]*\]\.join(?:\([^()]*\))?`, addedUp),
		"Of whole numbers of a known range one number: x * height + y; else a Hash for each first value (seen[x][y])", 0.4, 0.7},
	"PHP": {forms(`"[^"]*\$\w[^"]*"`, `\bsprintf\(`, `\bimplode\(`, phpAdded),
		"An array for each first value: $seen[$x][$y]; of places in a grid the number $x * $height + $y", 0.4, 0.7},
	"Perl": {forms(`"[^"]*\$\w[^"]*"`, `\bsprintf\(`, `\bjoin\(`, phpAdded),
		"A hash for each first value: $seen{$x}{$y}; of places in a grid an array and $x * $height + $y", 0.15, 0.45},
	"Lua": {forms(`[A-Za-z_][\w.]*(?:\s*\.\.\s*(?:[A-Za-z_][\w.]*|`+aText+`))+`, `\bstring\.format\(`),
		"Of whole numbers one number: x * height + y; else a table for each first value (seen[x][y])", 0.25, 0.6},
	"Elixir": {forms(`"[^"]*#\{[^"]*"`), "A tuple of the values is a key of a map: {x, y}", 0.15, 0.45},
}

// phpAdded is a text added up with a point between its parts.
const phpAdded = `\$\w+(?:->\w+|\[[^\[\]]*\])*(?:\s*\.\s*(?:` + aText + `|\$\w+(?:->\w+|\[[^\[\]]*\])*))+`

func forms(all ...string) (out []*regexp.Regexp) {
	for _, f := range all {
		out = append(out, regexp.MustCompile(f))
	}
	return out
}
