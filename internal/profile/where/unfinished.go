package where

import (
	"regexp"
	"strings"
)

// Unfinished is the key or value that the end of a text breaks off in: of `service="we` the value
// "we" of service, of `pod="a" and se` the key "se".
type Unfinished struct {
	Key   string // whose value it is; "" for a key
	Typed string
	head  string // of the text, before it
}

var (
	unfinishedValue = regexp.MustCompile(`([\w./-]+)\s*(?:=~|!~|!=|=)\s*(?:"([^"]*)|'([^']*)|([\w./:-]*))$`)
	unfinishedKey   = regexp.MustCompile(`(?:^|[\s(,])([\w./-]*)$`)
	finishedValue   = regexp.MustCompile(`([\w./-]+)\s*(?:=~|!~|!=|=)\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\w./:-]+)\s+$`)
	plainValue      = regexp.MustCompile(`^[\w./:-]+$`)
)

// End says what the end of a text is about; ok is false behind a whole comparison, where "and" or
// "or" comes. The web UI has the same in conditions.ts.
func End(text string) (u Unfinished, ok bool) {
	if finishedValue.MatchString(text) {
		return u, false
	}
	if m := unfinishedValue.FindStringSubmatch(text); m != nil {
		typed := m[2] + m[3] + m[4]
		return Unfinished{Key: m[1], Typed: typed, head: strings.TrimRight(strings.TrimSuffix(text, typed), `"'`)}, true
	}
	if m := unfinishedKey.FindStringSubmatch(text); m != nil {
		return Unfinished{Typed: m[1], head: strings.TrimSuffix(text, m[1])}, true
	}
	return u, false
}

// With is the text with a key or a value written out in the place of what was typed of it. A value
// that the grammar takes without quotes has none: shells have their own.
func (u Unfinished) With(word string) string {
	switch {
	case u.Key == "":
		return u.head + word + "="
	case plainValue.MatchString(word):
		return u.head + word
	}
	return u.head + `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}
