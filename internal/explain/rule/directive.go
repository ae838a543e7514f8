package rule

import (
	"regexp"
	"slices"
)

// directiveName is how an advice spells a setting of a configuration file: two words or
// more, as in gzip_comp_level, hash-max-listpack-entries, opcache.jit or
// DeflateCompressionLevel. Other words of that form are no line of such a file.
var directiveName = regexp.MustCompile(`\b(?:[a-z][a-z0-9]*(?:[._-][a-z0-9]+)+|[A-Z][a-z]+(?:[A-Z][a-z]+)+)\b`)

var (
	// configured is a file of settings that a command names.
	configured = regexp.MustCompile(`["']?([\w./-]+\.(?:conf|cnf|ini|cfg|properties|toml|ya?ml))\b`)
	// directiveLine sets one: NAME VALUE; or NAME = VALUE or NAME: VALUE.
	directiveLine = regexp.MustCompile(`^\s*([\w.-]+)(?:\s*[=:]\s*|\s+)([^;#]*[^;#\s])`)
	// directiveOption sets one on a command line: --NAME VALUE, --NAME=VALUE, -c NAME=VALUE.
	directiveOption = regexp.MustCompile(`(?:^|[\s"'])(?:--([\w.-]+)(?:=|\s+)|-[a-zA-Z]\s*["']?([\w.-]+)=)([\w.%/-]+)`)
)

// directed are the settings of the names that a line of a command makes, which is in a file
// or, with "", on the command line itself; and those of the files of settings that it names.
func (e *engine) directed(names []string, file string, number int, line string) []setting {
	if len(names) == 0 || isComment(line) {
		return nil
	}
	var out []setting
	for _, m := range directiveOption.FindAllStringSubmatch(line, -1) {
		if name := m[1] + m[2]; slices.Contains(names, name) {
			out = append(out, setting{file, number, name, name + " " + m[3]})
		}
	}
	if e.facts == nil {
		return out
	}
	for _, m := range configured.FindAllStringSubmatch(line, -1) {
		path := beside(file, m[1])
		lines, _ := e.facts.Source(path)
		for n, text := range lines {
			if m := directiveLine.FindStringSubmatch(text); m != nil && slices.Contains(names, m[1]) {
				out = append(out, setting{path, n + 1, m[1], m[1] + " " + m[2]})
			}
		}
	}
	return out
}
