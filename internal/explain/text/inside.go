package text

import (
	"regexp"
	"strings"
)

// inside is how the values stand that a language puts into a text: "${name}". Their names are
// left where the rest of a text is blanked, since the text is another one when they change.
type inside struct {
	quotes string         // those of texts that have such
	prefix string         // a character before the quote without which there are none
	value  *regexp.Regexp // a value; its groups are the expression
}

var (
	fString    = &inside{`"'`, "fF", regexp.MustCompile(`\{([^{}:!]+)[^{}]*\}`)}
	csharp     = &inside{`"`, "$", fString.value}
	template   = &inside{"`", "", regexp.MustCompile(`\$\{([^{}]+)\}`)}
	hashBraces = &inside{"\"`", "", regexp.MustCompile(`#\{([^{}]+)\}`)}
	kotlin     = &inside{`"`, "", regexp.MustCompile(`\$\{([^{}]+)\}|\$([A-Za-z_]\w*)|\\\(([^()]+)\)`)} // and Scala's, Groovy's and Swift's
	formatted  = &inside{`"`, "", regexp.MustCompile(`\{([A-Za-z_]\w*)(?::[^{}]*)?\}`)}
	dollars    = &inside{`"`, "", regexp.MustCompile(`\$\(([^()]+)\)|\$([A-Za-z_]\w*)`)}
	variables  = &inside{`"`, "", regexp.MustCompile(`([$@][A-Za-z_]\w*)|([$@])\{\s*([A-Za-z_]\w*)`)}
)

// names puts the names of values back that stand in a text, whose quotes are at begin and end.
// Signs stay blanked: what is computed in a text is no code that somebody looks for.
//
// Example. Of f"{order.id:05}.html" it leaves f" order.id         ".
func (n *inside) names(line string, b []byte, begin, end int) {
	if n == nil || strings.IndexByte(n.quotes, line[begin]) < 0 {
		return
	}
	if n.prefix != "" {
		word := begin
		for word > 0 && (isWordByte(line[word-1]) || line[word-1] == '$' || line[word-1] == '@') {
			word--
		}
		if !strings.ContainsAny(line[word:begin], n.prefix) || begin-word > 2 {
			return
		}
	}
	for _, m := range n.value.FindAllStringSubmatchIndex(line[begin+1:end], -1) {
		if n.prefix != "" && line[begin+m[0]] == '{' {
			continue // {{ is a bracket of the text
		}
		for g := 2; g < len(m); g += 2 {
			for i := begin + 1 + m[g]; m[g] >= 0 && i < begin+1+m[g+1]; i++ {
				if c := line[i]; isWordByte(c) || c == '.' || c == '$' || c == '@' {
					b[i] = c
				}
			}
		}
	}
}
