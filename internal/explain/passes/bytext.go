package passes

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleByText is of copies by way of text.
const RuleByText = "copy-by-text"

// byText is an object that is copied by writing it as text and reading that.
type byText struct {
	spot

	how    string       // as it is written
	caller profile.Line // the own line that calls the function around it most, none in the stacks
}

// textCopies are, by language, calls that write an object, within one that reads it.
var textCopies = map[string]*regexp.Regexp{
	"JavaScript": regexp.MustCompile(`\bJSON\.parse\(\s*JSON\.stringify\(|\bv8\.deserialize\(\s*v8\.serialize\(`),
	"Python":     regexp.MustCompile(`\b(?:json|pickle|marshal|orjson|ujson|dill)\.loads\(\s*(?:json|pickle|marshal|orjson|ujson|dill)\.dumps\(`),
	"Ruby":       regexp.MustCompile(`\bMarshal\.load\(\s*Marshal\.dump\(|\bJSON\.parse\(\s*(?:JSON\.(?:generate|dump)\(|[\w.@]+\.to_json\b)`),
	"PHP":        regexp.MustCompile(`\bunserialize\(\s*serialize\(|\bjson_decode\(\s*json_encode\(`),
	"Perl":       regexp.MustCompile(`\bdecode_json\(\s*encode_json\(|\bthaw\(\s*freeze\(`),
	"Java":       regexp.MustCompile(`\b(?:readValue|fromJson|Deserialize(?:Object)?(?:<[^>]*>)?|decodeFromString(?:<[^>]*>)?)\(\s*[\w.]+\.(?:writeValueAs\w+|toJson|Serialize(?:Object)?|encodeToString)\(|\bSerializationUtils\.clone\(`),
}

// byText gives them, the dearest first.
//
// Example. const next = JSON.parse(JSON.stringify(state)) for each event.
func (r *reader) byText() []byText {
	known := map[profile.Line]*byText{}
	for _, h := range r.hottest {
		line, caller := h.line, profile.Line{}
		at, how := r.textCopy(h.line.Function, int(h.line.Line))
		if how != "" {
			line.Line = int32(at) //nolint:gosec // a line of a file
			caller, _ = h.caller()
		} else if line, how = r.copyingHelper(h); how != "" {
			caller = h.line
		} else {
			continue
		}
		gather(known, line, byText{how: how, caller: caller}, h.rows)
	}
	for _, x := range known {
		x.rows = r.ofText(joinRows(x.rows, r.runsIn(r.p.Function(x.line.Function).File, text.Range{First: int(x.line.Line), Last: int(x.line.Line)})))
	}
	return enough(r, known)
}

// writesText are functions that write or read objects as text or bytes, or belong to what does.
var writesText = regexp.MustCompile(`(?i)json|jackson|gson|pickle|marshal|dill|serial|dumps|loads|freeze|thaw|storable|msgpack|bson|yaml|xml|cbor|bincode|postcard|toml|proto`)

// ofText are the rows that a copy by way of text takes: a line may do more. Where hardly any row
// has a function of that kind, as in an interpreter without symbols, all are meant.
//
// Example. total += heavy(json.loads(json.dumps(x))) + sum(sorted(y)): of 83%, 12 are below json.
func (r *reader) ofText(rows []int32) []int32 {
	const told = 0.05
	of := slices.DeleteFunc(slices.Clone(rows), func(row int32) bool {
		return !slices.ContainsFunc(r.p.Stack(r.p.Samples()[row].Stack), func(loc profile.LocationID) bool {
			return slices.ContainsFunc(r.p.Lines(loc), func(l profile.Line) bool {
				f := r.p.Function(l.Function)
				return writesText.MatchString(f.Name) && !r.lines.IsOwn(l.Function)
			})
		})
	})
	if float64(r.p.Weight(of)) < told*float64(r.p.Weight(rows)) {
		return rows
	}
	return of
}

// textCopy is the call in a line that copies by way of text, "" for none. In two statements, at is
// the line of the first.
func (r *reader) textCopy(id profile.FunctionID, line int) (at int, how string) {
	f := r.file(id)
	if f == nil {
		return line, ""
	}
	if form := textCopies[f.Language()]; form != nil {
		statement, _ := f.Statement(line)
		if how := form.FindString(statement); how != "" {
			return line, asCalled(statement, how)
		}
	}
	return splitCopy(f, line)
}

// copyingHelper is the line of a short function that a step calls and that copies by way of text:
// of JavaScript that is optimised, a recording knows no line.
func (r *reader) copyingHelper(h *hot) (line profile.Line, how string) {
	f := r.file(h.callee)
	if !h.calls || f == nil || h.callee == h.line.Function {
		return line, ""
	}
	_, name := ownline.Parts(r.p.Function(h.callee).Name)
	for _, d := range definitions(f, name) {
		for n := d.fn.First; n <= min(d.fn.Last, d.fn.First+shortHelper); n++ {
			if at, how := r.textCopy(h.callee, n); how != "" {
				return lineOf(h.callee, at).line, how
			}
		}
	}
	return line, ""
}

// asCalled is a call with its arguments, where they are short.
func asCalled(statement, call string) string {
	const most = 40
	at := strings.Index(statement, call)
	inside, closed := text.Inside(statement, at+len(call))
	if !closed || len(inside) > most {
		return call + "…))"
	}
	return call + inside + "))"
}

func (r *reader) byTextFinding(s judge.Subject, x byText) judge.Found {
	place := ownline.Place(r.p, x.line)
	// A function that does nothing else stands for its caller.
	kept := copiesKept.MatchString(x.how)
	if f := r.file(x.line.Function); x.caller != (profile.Line{}) && !kept {
		if fn, in := f.Function(int(x.line.Line)); !in || fn.Last-fn.First <= shortHelper {
			place = ownline.Place(r.p, x.caller)
		}
	}
	f := r.suspected(s, RuleByText, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.9, why: "writes the text and reads it again"})
	f.Title = fmt.Sprintf("A whole copy by way of text; copy what changes (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{
		cmp.Or(copiesLess[r.file(x.line.Function).Language()], "Copy the parts that are changed, and share the others"),
		"Where nobody changes it: pass the object itself",
	}
	if kept {
		f.Fix.Steps[0], f.Fix.Steps[1] = "Give the object itself, or the parts that are asked for, to all who only read it", f.Fix.Steps[0]
	}
	f.Fix.Caveats = []string{"A caller that keeps the object and changes it later needs a copy of what is changed", "A faster way to copy all of it gives a part of that"}
	own := ownline.Place(r.p, x.line)
	f.Evidence = []finding.Evidence{
		{Kind: "source", Text: fmt.Sprintf("%s: %s", at(own.File, own.Line), r.excerpt(own.File, own.Line))},
		{Kind: "repetition", Share: &x.share, Text: x.how + " visits all that the object holds twice, and allocates all of it again"},
	}
	if own != place {
		f.Evidence = append([]finding.Evidence{r.quoted(place)}, f.Evidence...)
	}
	return f
}

// copiesKept is a copy of what an object keeps: whoever asks for it gets one, and most only read it.
//
// Example. get state() { return JSON.parse(JSON.stringify(this.#state)); }
var copiesKept = regexp.MustCompile(`\(\s*(?:this\.|self\.|@|\$this->|\$self->)[\w#.>{}-]+\s*\)`)

// shortHelper are the lines of a function around such a copy that does nothing else.
const shortHelper = 3

// copiesLess is how a part of an object is copied, by language.
var copiesLess = map[string]string{
	"JavaScript": "Copy what changes: {...state, bins: {...state.bins, [id]: changed}}, or immer; structuredClone copies as much",
	"Python":     "Copy what changes: dataclasses.replace, {**state, key: changed}; copy.deepcopy copies as much",
	"Ruby":       "Copy what changes: state.merge(key => changed), and dup of the parts that are changed; freeze the others",
	"PHP":        "Arrays are copied when they are changed: assign them. Of objects, clone those that are changed (__clone, or with-methods)",
	"Perl":       "Copy what changes: { %$state, key => $changed }",
	"Java":       "Copy what changes: records with with-methods, copy(…) of data classes, a copy constructor",
	"Go":         "Copy what changes: out := *cart, with slices.Clone and maps.Clone for the parts that are changed",
	"Rust":       "#[derive(Clone)] and clone() for what changes, Rc or Arc for what does not",
}
