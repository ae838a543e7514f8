package api

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile/label"
	"whyhot/internal/profile/where"
	"whyhot/internal/store"
)

const (
	// defaultLast is the time that is asked about where nobody says which.
	defaultLast = time.Hour
	// maxValues bounds how many values one dimension is filtered by.
	maxValues = 200
)

// selection reads the parameters that choose samples.
func (s *Server) selection(r *request) (store.Selection, error) { return s.selectionIn(r, "") }

// selectionIn reads those of one half of a comparison, which go before the ones of both.
func (s *Server) selectionIn(r *request, half string) (store.Selection, error) {
	now := s.now()
	var err error
	out := store.Selection{From: now.Add(-defaultLast), To: now}
	list := func(name string) []string {
		if values, there := r.values[half+name]; there && half != "" {
			return values
		}
		return r.values[name]
	}
	for name, to := range map[string]*time.Time{paramFrom: &out.From, paramTo: &out.To} {
		if text := strings.Join(list(name), ""); text != "" {
			if *to, err = parseTime(text, now); err != nil {
				return out, invalid("%s%s: %v", half, name, err)
			}
		}
	}
	if !out.From.Before(out.To) {
		return out, invalid("%sfrom (%s) must be before to (%s)", half, out.From.UTC().Format(time.RFC3339), out.To.UTC().Format(time.RFC3339))
	}
	out.From, out.To = store.WholeMinutes(out.From, out.To, now)
	for name, to := range map[string]*[]string{paramService: &out.Service, paramVersion: &out.Version, paramHost: &out.Host, paramContainer: &out.Container, paramProcess: &out.Process} {
		if *to = list(name); len(*to) > maxValues {
			return out, invalid("%s is there %d times; at most %d are taken", name, len(*to), maxValues)
		}
	}
	if out.Where, err = condition(half, list(paramWhere)); err != nil {
		return out, err
	}
	if err := known(r, half, out.Where); err != nil {
		return out, err
	}
	if out.Exact, err = r.boolean(paramExact); err != nil {
		return out, err
	}
	own, err := r.boolean(paramOwn)
	if own {
		out.Only = &store.Only{Keep: isOwn, Rest: ownline.Outside}
	}
	return out, err
}

// condition reads the parameter "where"; samples meet all of several.
func condition(half string, texts []string) (*where.Expr, error) {
	if len(texts) > maxValues {
		return nil, invalid("%s is there %d times; at most %d are taken", paramWhere, len(texts), maxValues)
	}
	var all []string
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		if _, err := where.Parse(text); err != nil { // each of its own: the place in the message is in what was sent
			return nil, invalidWhere(half, err)
		}
		all = append(all, "("+text+")")
	}
	if len(all) == 0 {
		return nil, nil //nolint:nilnil // no condition is no error
	}
	e, err := where.Parse(strings.Join(all, " and "))
	if err != nil {
		return nil, invalidWhere(half, err)
	}
	return e, nil
}

// known refuses a condition on a label that no sample of the project has: the answer would be
// empty, or everything, and nobody would see that it was misspelt.
func known(r *request, half string, e *where.Expr) error {
	if e == nil || r.project == nil || r.project.Readable() != nil {
		return nil
	}
	unknown := func() *label.UnknownError {
		others := slices.DeleteFunc(slices.Clone(e.Keys()), func(key string) bool { return slices.Contains(store.Dimensions(), store.Dimension(key)) })
		if len(others) == 0 {
			return nil
		}
		keys := make([]string, 0, len(others))
		for _, k := range r.project.LabelKeys() {
			keys = append(keys, string(k.Key))
		}
		for _, key := range others {
			if !slices.Contains(keys, key) {
				return &label.UnknownError{Key: key, Known: keys}
			}
		}
		return nil
	}
	if unknown() == nil {
		return nil
	}
	settle(r.Context(), r) // it may be of a profile that was pushed a moment ago
	if err := unknown(); err != nil {
		return invalid("%s%s: %v", half, paramWhere, err)
	}
	return nil
}

func invalidWhere(half string, err error) error {
	return &problem{
		status: http.StatusBadRequest, kind: badRequest, detail: fmt.Sprintf("%s%s: %v", half, paramWhere, err),
		help: `Write a condition such as service="web" and pod=~"web-.*" and not thread="gc".`,
	}
}

var relative = regexp.MustCompile(`^now(?:-(\d{1,9})(s|m|h|d|w))?$`)

// parseTime reads RFC 3339, "now", or "now-24h".
func parseTime(text string, now time.Time) (time.Time, error) {
	if m := relative.FindStringSubmatch(text); m != nil {
		if m[1] == "" {
			return now, nil
		}
		n, _ := strconv.ParseInt(m[1], 10, 64) // nine digits
		unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[m[2]]
		if n > int64(100*365*24*time.Hour/unit) {
			return time.Time{}, fmt.Errorf("%q is more than a hundred years ago", text)
		}
		return now.Add(-time.Duration(n) * unit), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no time: give RFC 3339 such as 2026-11-22T10:00:00Z, now, or now-24h (s, m, h, d, w)", text)
	}
	if y := t.Year(); y < 1970 || y > 2100 {
		return time.Time{}, fmt.Errorf("%q is not between 1970 and 2100", text)
	}
	return t, nil
}

// boolean reads a parameter that is true or false.
func (r *request) boolean(name string) (bool, error) {
	switch text := r.values.Get(name); text {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, invalid("%s=%q: must be true or false", name, text)
	}
}

// number reads a whole number.
func (r *request) number(name string, byDefault, least, most int) (int, error) {
	text := r.values.Get(name)
	if text == "" {
		return byDefault, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, invalid("%s=%q: must be a number from %d to %d", name, text, least, most)
	}
	return n, nil
}

// share reads a fraction.
func (r *request) share(name string, byDefault float64) (float64, error) {
	text := r.values.Get(name)
	if text == "" {
		return byDefault, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1 {
		return 0, invalid("%s=%q: must be a fraction from 0 to 1", name, text)
	}
	return v, nil
}

// choice reads one of several words; the first is the default.
func (r *request) choice(name string, words ...string) (string, error) {
	text := r.values.Get(name)
	if text == "" {
		return words[0], nil
	}
	for _, w := range words {
		if w == text {
			return w, nil
		}
	}
	return "", invalid("%s=%q: must be %s", name, text, strings.Join(words, ", "))
}

// eachOf refuses values of a parameter that are none of some words.
func (r *request) eachOf(name string, words ...string) error {
	for _, text := range r.values[name] {
		if !slices.Contains(words, text) {
			return invalid("%s=%q: must be %s", name, text, strings.Join(words, ", "))
		}
	}
	return nil
}

// function reads the ID of a function.
func functionID(name, text string) (store.FunctionID, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, invalid("%s=%q: must be the id of a function; /api/v1/functions finds it", name, text)
	}
	return store.FunctionID(n), nil
}

// pattern reads a regular expression.
func (r *request) pattern(name string) (*regexp.Regexp, error) {
	text := r.values.Get(name)
	const most = 1000
	switch {
	case text == "":
		return nil, nil //nolint:nilnil // no pattern is no error
	case len(text) > most:
		return nil, invalid("%s is longer than %d bytes", name, most)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, &problem{status: http.StatusBadRequest, kind: badRequest, detail: fmt.Sprintf("%s: %v", name, err), help: `Write \ before ( ) [ ] * + ? . to mean the character itself.`}
	}
	return re, nil
}

// duration reads a time span such as 30s, 5m or 1h.
func (r *request) duration(name string, least, most time.Duration) (time.Duration, error) {
	text := r.values.Get(name)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > most {
		return 0, invalid("%s=%q: must be a time from %s to %s, such as 5m", name, text, least, most)
	}
	return d, nil
}
