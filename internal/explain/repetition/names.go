package repetition

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile"
)

// cost says how long making one may take.
type cost uint8

const (
	none  cost = iota // it makes no tool
	brief             // milliseconds
	long              // seconds at times
)

var (
	// makes are verbs of functions that give something new.
	makes = words("new create make build construct constructor init initialize initialise setup instance compile parse load open plan must dial connect from")
	// initialises are verbs of functions that are given what they make ready.
	initialises = words("init initialize initialise setup")
	// acts are verbs that are enough by themselves.
	acts = words("handshake")
	// constructors are names that languages have for the function that makes an object.
	constructors = words("<init> __init__ __new__ initialize __construct .ctor ctor new constructor")
	// briefTools take milliseconds to make, and serve for long.
	briefTools = words("template templates regex regexp pattern format formatter collator locale calendar validator mapper client session connection " +
		"environment adapter rng random cipher ssl tls factory transformer stylesheet xpath xslt expression translator translations compressor deflater serializer " +
		"serialiser marshaller unmarshaller resolver driver logger timezone zoneinfo location iconv transliterator certificate certificates keystore truststore credentials renderer " +
		"markdown highlighter sanitizer tokenizer lexer evaluator schema jsonschema policy")
	// longTools may take seconds to make.
	longTools = words("model index dictionary grammar config configuration settings container kernel plugin plugins catalog catalogue pool executor interpreter engine workspace compiler gazetteer ruleset")
	// definitions are what is read to make a tool: to parse or load anything else is to read data.
	definitions = words("template templates regex regexp pattern stylesheet xpath xslt expression schema jsonschema policy grammar config configuration settings translations locale " +
		"timezone location certificate certificates keystore truststore credentials plugin model dictionary catalog catalogue ruleset")
	reads = words("parse load from open")
	// rows are what an object is made from for each of them: Model.from_db of Django.
	rows = words("db row rows record records tuple result results cursor")
	// data are nouns of what is made from each item, whatever else the name says.
	data = words("reader writer iterator node element token list map set array buffer string bytes decimal number path row record request response message event error exception " +
		"match matcher stream cursor result builder scanner decoder value object tree document page cell frame series table thread task future promise")
)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// nativeTools are functions of C libraries whose names run their words together.
var nativeTools = regexp.MustCompile(`^(_*regcomp|re_compile_\w+|pcre2?_compile\w*|iconv_open|newlocale|setlocale|dlopen|_*dlmopen|SSL_CTX_new\w*|SSL_(do_handshake|connect|accept)|PQconnect\w+|mysql_real_connect|curl_easy_init|fftwf?_plan_\w+|u(col|dat|num|cal|regex)_open\w*(_\d+)?|ucnv_open\w*(_\d+)?|xmlXPathCompile|xsltParseStylesheet\w*|xmlSchemaParse|xmlRelaxNGParse|jq_compile\w*|EVP_(CIPHER|MD|KDF|PKEY)_fetch)$`)

// objects are functions of C libraries that are given the object to fill, or one that they
// change, before what they make it of.
var objects = regexp.MustCompile(`^(_*regcomp|re_compile_internal|re_compile_fastmap\w*|mysql_real_connect|SSL_(do_handshake|connect|accept)|jq_compile\w*)$`)

// fills says whether the first argument of a function of C is what it fills, by its name:
// those that initialise something are given it.
func fills(name string) bool {
	return objects.MatchString(name) || slices.ContainsFunc(tokens(name), func(w string) bool { return initialises[w] })
}

// tokens are the words of a name, in small letters: simple, date, format of
// SimpleDateFormat.
func tokens(name string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return out
}

// costOf says what a function makes, by its name and its source.
func costOf(fn *profile.Function) cost {
	if fn.Name == "" || fn.Kind == profile.KindKernel {
		return none
	}
	if (fn.Kind == profile.KindNative || fn.Kind == profile.KindUnknown) && nativeTools.MatchString(fn.Name) {
		return brief
	}
	owner, own := ownline.Parts(fn.Name)
	ownWords := tokens(own)
	if len(ownWords) == 0 && own != "<init>" {
		return none
	}
	if own == "<init>" {
		ownWords = nil
	}
	constructor := isConstructor(fn)
	verb := constructor
	for _, w := range ownWords {
		if acts[w] {
			return brief
		}
	}
	if len(ownWords) > 0 {
		verb = verb || makes[ownWords[0]] || ownWords[len(ownWords)-1] == "instance" || makes[ownWords[len(ownWords)-1]] && fn.Kind <= profile.KindNative
	}
	if !verb {
		return none
	}
	of := append(tokens(owner), ownWords...)
	if owner == "" && fn.File != "" && fn.Kind > profile.KindJIT { // no class or module is named: the file tells
		of = append(tokens(module(fn.File)), of...)
	}
	from := len(ownWords) > 0 && ownWords[0] == "from" // a string: what it is made of
	if !from && data[noun(of)] || from && slices.ContainsFunc(ownWords, func(w string) bool { return rows[w] }) {
		return none
	}
	tools := of
	if !constructor && len(ownWords) > 0 && reads[ownWords[0]] {
		tools = slices.DeleteFunc(slices.Clone(of), func(w string) bool { return !definitions[w] && w != "environment" })
	}
	found := none
	for _, w := range tools {
		switch {
		case briefTools[w]:
			found = brief
		case longTools[w] && found == none:
			found = long
		}
	}
	return found
}

// module is what a file is the source of: ssl of ssl.py, jinja2 of jinja2/__init__.py.
func module(file string) string {
	base := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if base == "__init__" || base == "index" {
		base = path.Base(path.Dir(file))
	}
	return base
}

// noun is the last word that is no verb: what a name is the name of.
func noun(of []string) string {
	for _, w := range slices.Backward(of) {
		if !makes[w] && !constructors[w] {
			return w
		}
	}
	return ""
}

// isConstructor says whether a function's name is that of one that makes an object ready.
func isConstructor(fn *profile.Function) bool {
	owner, own := ownline.Parts(fn.Name)
	return constructors[own] || constructors[strings.ToLower(own)] || owner != "" && owner == own || isClass(fn, own)
}

// isClass says whether a function of JavaScript is named as classes are.
func isClass(fn *profile.Function, own string) bool {
	return fn.Kind == profile.KindJS && own != "" && unicode.IsUpper([]rune(own)[0])
}
