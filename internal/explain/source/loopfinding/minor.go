package loopfinding

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"whyhot/internal/explain/analyzer"
)

const (
	// shortLoop is how many iterations a loop has at most that is no place to save
	// time in by itself: a vector body of the usual width runs once or not at all.
	shortLoop = 16
	// fewElements is how many elements an array of known size has at most along which a
	// loop with a bound of its own is not worth a look: it is filled in part.
	fewElements = 128
	// hardlyLoop is how many iterations a loop has at most that does not count as one of
	// a nest: unrolled, it is a part of the loop around it.
	hardlyLoop = 4
	// callInEach is how many calls an average iteration makes where a few loads less
	// are lost beside them.
	callInEach = 0.5
	// loadsBesideStore is how many loads a processor does in the time of a store, by their
	// ports: two and one on Skylake and Zen 2, three and two on newer ones.
	loadsBesideStore = 2
	// littleFaster is what the time by ports has to fall to for the edit to matter.
	littleFaster = 0.9
	// smallPart of what an average iteration loads is what no measurement shows, and of a
	// function what it is not written for.
	smallPart = 0.25
)

// minor says why the edit of a confirmed loop can give back little whatever the
// program does, or that nothing in the source says that it runs often; "" where it is
// worth a look without a profile. No profile is asked: one that shows the loop hot
// overrules it (heat.Rank).
//
// What speaks for a loop is another loop around it whose iterations nothing bounds, or
// an edit that does many iterations at once. A loop by itself that loads a little less
// is as often the copy of a header as the heart of a cipher, and its source looks the
// same.
//
// Example. A loop that calls a function for each element and loads one pointer less
// per iteration after the edit: "calls in the loop".
//
// Names decide where nothing else can: in img->components the loop has as many
// iterations as a pixel has parts.
func (l *loop) minor() string {
	c := l.best
	written := c.Worlds[analyzer.WorldWritten]
	switch {
	case !c.Confirmed:
		return ""
	case strings.HasPrefix(c.Function, "_GLOBAL__sub_I_") || strings.HasPrefix(c.Function, "__cxx_global_var_init"):
		return "runs once, before main"
	case c.MostIterations > 0 && (c.MostIterations <= hardlyLoop || len(c.Enclosing) == 0 && c.MostIterations <= shortLoop):
		return "few iterations"
	case c.Carries:
		return "ends where nothing is carried any more"
	case l.fillsInPart():
		return "the array that it walks along has few elements"
	case c.Pads:
		return "pads to a multiple of a few bytes"
	case c.Digits:
		return "as many iterations as a number has bytes"
	case l.countsParts():
		return "as many iterations as a pixel or sample has parts"
	case l.byteBound():
		return "its bound is kept in a byte"
	case l.isDiagnosis():
		return "in a function that by its name is for debugging"
	case runsOnce(demangled(l.place.Function, c.Function), len(c.Enclosing) > 0):
		return "by its name run once for an object"
	case len(c.Enclosing) == 0 && c.Part > 0 && c.Part < smallPart:
		return "a loop by itself in a function that does much else"
	case l.patch != nil && l.patch.Useless:
		return "its patch, compiled, gains nothing"
	case l.mainEffect() != fewerLoads && l.mainEffect() != fewerStores:
		return ""
	case written.UsualNestCalls >= callInEach:
		return "calls in the loop"
	case l.mainEffect() == fewerLoads && written.UsualNestLoads > 0 && l.usualGain() < smallPart*written.UsualNestLoads:
		return "a small part of what the loop loads"
	case l.mainEffect() == fewerLoads && !c.Counts && l.besideStores():
		return "its stores take as long without these loads"
	case len(c.Enclosing) == 0:
		return "a loop by itself that loads a little less, which only a profile shows to matter"
	}
	return ""
}

// setUpWords are parts of names of functions that set an object up or end it: a nest
// there runs once, too.
var setUpWords = []string{"init", "initialize", "initialise", "setup", "alloc", "realloc", "allocate", "create", "destroy", "config", "configure"}

// onceWords are of functions that end, check or print an object, or are called once.
var onceWords = []string{"final", "finish", "finalize", "finalise", "padding", "parity", "usage", "help", "print", "version", "main", "options",
	"header", "headers", "load", "parse"}

// debugWords are of functions that show an object to a programmer.
var debugWords = []string{"debug", "dbg", "dump"}

// isDiagnosis says whether the loop stands in such a function, or is inlined into one.
func (l *loop) isDiagnosis() bool {
	return slices.ContainsFunc([]string{l.place.Function, l.best.Function}, func(name string) bool {
		return slices.ContainsFunc(words(demangled(name)), func(w string) bool { return slices.Contains(debugWords, w) })
	})
}

// runsOnce says whether a function is a constructor, a destructor or has a name of the
// kind.
func runsOnce(function string, nested bool) bool {
	name, _, _ := strings.Cut(function, "(")
	w := words(name)
	has := func(list []string) bool {
		return slices.ContainsFunc(w, func(s string) bool { return slices.Contains(list, s) })
	}
	if nested {
		return has(setUpWords)
	}
	parts := strings.Split(name, "::")
	if n := len(parts); n > 1 && strings.TrimPrefix(parts[n-1], "~") == parts[n-2] {
		return true
	}
	return strings.Contains(strings.Join(w, " "), "key schedule") || has(setUpWords) || has(onceWords)
}

// partWords are names of counts of the parts of a pixel, a colour or a sample.
var partWords = []string{"components", "comps", "ncomps", "component", "numcomps", "colors", "colours", "ncolors", "ncolours", "numcolors", "channels", "nchannels", "numchannels", "bands", "nbands", "planes",
	"nplanes", "samplesperpixel", "spp", "bpp", "dims", "ndims", "dimensions"}

// words splits the last name of a function, or of an expression, as programmers join
// words: "Image::readHeader(int)" is read, header.
func words(name string) []string {
	name, _, _ = strings.Cut(name, "(")
	name = name[strings.LastIndexAny(name, ":>.")+1:]
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out, word = append(out, strings.ToLower(string(word))), nil
		}
	}
	lower := false
	for _, r := range name {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && lower {
			end()
		}
		if unicode.IsLetter(r) {
			word = append(word, r)
		}
		lower = unicode.IsLower(r)
	}
	end()
	return out
}

// fillsInPart says whether the loop walks along an array of few elements, up to a bound
// that it does not know: 18 bands, 64 tiles. In a nest that is many times; and a loop over
// all 64 coefficients of a block is what a codec does all day.
func (l *loop) fillsInPart() bool {
	c := l.best
	known := c.MostIterations > 0 && c.MostIterations <= c.Capacity
	return len(c.Enclosing) == 0 && c.Capacity > 0 && c.Capacity <= fewElements && !known
}

// countsParts says whether what is copied for the loop's bound counts parts of a pixel.
func (l *loop) countsParts() bool {
	h := l.locals()
	if h == nil {
		return false
	}
	return slices.ContainsFunc(h.Values, func(v string) bool {
		w := words(v)
		return len(w) > 0 && (slices.Contains(partWords, w[len(w)-1]) || slices.Contains(partWords, strings.Join(w, "")))
	})
}

// byteBound says whether the loop loads a byte again to compare its counter with it, or
// whether its counter cannot get beyond what a byte holds.
func (l *loop) byteBound() bool {
	if len(l.best.Enclosing) > 0 && (l.best.MostIterations == math.MaxUint8 || l.best.MostIterations == math.MaxUint8-1) {
		return true
	}
	return len(l.best.Enclosing) > 0 && slices.ContainsFunc(l.best.Loads, func(a analyzer.Access) bool {
		p, ok := ownPoint(a.Where, l.unit)
		return ok && a.Kind == loadedAgain && a.Type == "i8" && p.Line == l.place.Line
	})
}

// besideStores says whether the loads that the edit takes away cost nothing, since the
// loop's stores keep the processor as busy. Measured: Splash::clear of poppler went from
// 5 loads and 3 stores to no load, and was not faster (bench/analyzer.md).
//
// Example. *q++ = *p++ with a bound that is loaded again: two loads take as long as the
// one store, so one load less saves nothing. With four loads it does. Where the loop keeps
// in memory what it counts up (++*at), the ports say nothing: each iteration waits for the
// store of the one before.
func (l *loop) besideStores() bool {
	w := l.best.Worlds[analyzer.WorldWritten]
	stores := w.StoresPerIteration
	if w.LoadsPerIteration > w.UsualLoads { // stores on branches hardly taken are as rare as the loads there
		stores *= w.UsualLoads / w.LoadsPerIteration
	}
	time := func(loads float64) float64 { return max(loads/loadsBesideStore, stores) }
	return time(w.UsualLoads-l.usualGain()) > littleFaster*time(w.UsualLoads)
}

// usualGain is how many loads of an average iteration the better edit takes away.
func (l *loop) usualGain() float64 {
	return takenAway(l.best, l.decisive(), func(s analyzer.LoopState) float64 { return s.UsualLoads })
}
