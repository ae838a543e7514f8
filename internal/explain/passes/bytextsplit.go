package passes

import (
	"regexp"
	"slices"

	"whyhot/internal/explain/text"
)

// throughText are, by language, what writes an object as text or bytes and what reads it.
var throughText = map[string]struct{ write, read *regexp.Regexp }{
	"JavaScript": {regexp.MustCompile(`^(JSON\.stringify|(v8\.)?serialize)$`), regexp.MustCompile(`^(JSON\.parse|(v8\.)?deserialize)$`)},
	"Python":     {regexp.MustCompile(`^((c?[Pp]ickle|json|orjson|ujson|marshal|dill)\.dumps|.*\.model_dump_json)$`), regexp.MustCompile(`^((c?[Pp]ickle|json|orjson|ujson|marshal|dill)\.loads|.*\.model_validate_json)$`)},
	"Ruby":       {regexp.MustCompile(`^(Marshal\.dump|JSON\.(generate|dump)|.*\.to_json)$`), regexp.MustCompile(`^(Marshal\.load|JSON\.(parse|load))$`)},
	"PHP":        {regexp.MustCompile(`^(serialize|json_encode|igbinary_serialize)$`), regexp.MustCompile(`^(unserialize|json_decode|igbinary_unserialize)$`)},
	"Perl":       {regexp.MustCompile(`^((Storable::)?n?freeze|encode_json|.*->encode)$`), regexp.MustCompile(`^((Storable::)?thaw|decode_json|.*->decode)$`)},
	"Java":       {regexp.MustCompile(`\b(writeValueAs(String|Bytes)|toJson|JsonSerializer\.Serialize\w*|JsonConvert\.SerializeObject|encodeToString)$`), regexp.MustCompile(`\b(readValue|fromJson|JsonSerializer\.Deserialize\w*|JsonConvert\.DeserializeObject|decodeFromString)$`)},
	"Go":         {regexp.MustCompile(`^(json|jsoniter|sonic|yaml|proto|msgpack|bson|xml|cbor)\.Marshal$`), regexp.MustCompile(`^(json|jsoniter|sonic|yaml|proto|msgpack|bson|xml|cbor)\.Unmarshal$`)},
	"Rust":       {regexp.MustCompile(`^(serde_\w+|bincode|rmp_serde|postcard|toml)::(to_\w+|serialize)$`), regexp.MustCompile(`^(serde_\w+|bincode|rmp_serde|postcard|toml)::(from_\w+|deserialize)$`)},
}

// splitCopy is a copy by way of text in two statements, of which one is at a line: a name has what
// was written, and nothing in the function uses it but what reads it. first is the line that writes.
//
// Example. b, err := json.Marshal(cart); if err != nil {…}; out := new(Cart); json.Unmarshal(b, out)
func splitCopy(f *text.File, line int) (first int, how string) {
	of, known := throughText[f.Language()]
	fn, in := f.Function(line)
	if !known || !in {
		return 0, ""
	}
	statement, lines := f.Statement(line)
	writer, reader := callOf(f, statement, of.write), callOf(f, statement, of.read)
	if (writer == nil) == (reader == nil) {
		return 0, ""
	}
	for n := fn.First; n <= fn.Last; n++ {
		other, at := f.Statement(n)
		n = max(n, at.Last)
		if at == lines {
			continue
		}
		w, rd, from, to := writer, reader, lines, at
		if writer != nil {
			rd = callOf(f, other, of.read)
		} else {
			w, from, to = callOf(f, other, of.write), at, lines
		}
		if w == nil || rd == nil || to.First <= from.Last {
			continue
		}
		if slices.ContainsFunc(text.Names(rd.Args), func(name string) bool {
			return len(f.Assignments(name, from)) > 0 && !isUsedBeside(f, fn, name, from, to)
		}) {
			return from.First, w.Name + "(" + w.Args + "), " + rd.Name
		}
	}
	return 0, ""
}

// callOf is the first call of a statement whose name is of a kind, nil for none.
func callOf(f *text.File, statement string, kind *regexp.Regexp) *text.Call {
	for _, c := range f.Calls(statement) {
		if kind.MatchString(c.Name) {
			return &c
		}
	}
	return nil
}

// isUsedBeside says whether a function uses a name elsewhere than in two statements: a text that
// is sent or kept too is no mere way to a copy.
func isUsedBeside(f *text.File, fn text.Function, name string, a, b text.Range) bool {
	for n := fn.First; n <= fn.Last; n++ {
		if !a.Has(n) && !b.Has(n) && slices.Contains(text.Names(f.Code(n)), name) {
			return true
		}
	}
	return false
}
