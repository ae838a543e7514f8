package pyroscope

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/profile/label"
	"whyhot/internal/profile/where"
	"whyhot/internal/store"
)

// ProfileType is the one type of profile that a store has: CPU time.
const ProfileType = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"

// constants are the labels that Pyroscope gives to each profile beside those of its sender.
var constants = map[string]string{
	"__profile_type__": ProfileType, "__name__": "process_cpu", "__type__": "cpu", "__unit__": "nanoseconds",
	"__period_type__": "cpu", "__period_unit__": "nanoseconds",
}

const serviceName = "service_name"

// nameOf is what a dimension is called in the protocol.
func nameOf(d store.Dimension) string {
	if d == store.ByService {
		return serviceName
	}
	return string(d)
}

// dimensionOf is the dimension that a label is, whichever of its names is used.
func dimensionOf(name string) (store.Dimension, error) {
	d := label.Name(name)
	if !label.Valid(d) {
		return "", invalid("invalid label %q: must be a letter and then letters, digits and _ . - /", name)
	}
	return store.Dimension(d), nil
}

// selection reads what chooses samples. none says that no sample can be chosen, as with a
// type of profile that is not kept.
func selection(profileType string, selectors []string, start, end int64, now time.Time) (sel store.Selection, none bool, err error) {
	const usual = time.Hour
	sel.To = now
	if end != 0 {
		sel.To = time.UnixMilli(end)
	}
	sel.From = sel.To.Add(-usual)
	if start != 0 {
		sel.From = time.UnixMilli(start)
	}
	if y := sel.From.UTC().Year(); y < 1970 || sel.To.UTC().Year() > 2100 {
		return sel, false, invalid("start and end must be milliseconds between the years 1970 and 2100")
	}
	if !sel.From.Before(sel.To) {
		return sel, false, invalid("start (%s) must be before end (%s)", sel.From.UTC().Format(time.RFC3339), sel.To.UTC().Format(time.RFC3339))
	}
	sel.From, sel.To = store.WholeMinutes(sel.From, sel.To, now)
	if profileType != "" && profileType != ProfileType {
		if strings.Count(profileType, ":") != strings.Count(ProfileType, ":") {
			return sel, false, invalid("invalid profile type %q: must be NAME:TYPE:UNIT:PERIOD_TYPE:PERIOD_UNIT; this server has %s", profileType, ProfileType)
		}
		return sel, true, nil
	}
	var parts []string
	for _, text := range selectors {
		matchers, err := parseSelector(text)
		if err != nil {
			return sel, false, err
		}
		for _, m := range matchers {
			value, constant := constants[m.name]
			if !constant {
				parts = append(parts, m.name+m.operator+where.Quote(m.value))
				continue
			}
			meets, err := m.meets(value)
			if err != nil {
				return sel, false, err
			}
			none = none || !meets
		}
	}
	if len(parts) > 0 {
		if sel.Where, err = where.Parse(strings.Join(parts, " and ")); err != nil {
			return sel, false, invalid("invalid label selector: %v", err)
		}
	}
	return sel, none, nil
}

// chosen is selection for a query that is answered with samples. A label that no sample has is
// refused where one of its values is asked for: nobody would see that it was misspelt.
func chosen(s Store, profileType, selector string, start, end int64, now time.Time) (sel store.Selection, none bool, err error) {
	sel, none, err = selection(profileType, []string{selector}, start, end, now)
	if err != nil || none || sel.Where == nil {
		return sel, none, err
	}
	matchers, err := parseSelector(selector)
	if err != nil {
		return sel, false, err
	}
	var names []string
	for _, m := range matchers {
		_, constant := constants[m.name]
		d := label.Name(m.name)
		if constant || m.value == "" || m.operator == "!=" || m.operator == "!~" || slices.Contains(store.Dimensions(), store.Dimension(d)) {
			continue
		}
		if names == nil {
			for _, k := range s.LabelKeys() {
				names = append(names, nameOf(k.Key))
			}
		}
		if !slices.Contains(names, d) {
			return sel, false, invalid("%v", &label.UnknownError{Key: m.name, Known: names})
		}
	}
	return sel, none, nil
}

// matcher is one comparison of a selector.
type matcher struct{ name, operator, value string }

func (m *matcher) meets(value string) (bool, error) {
	wanted := m.operator == "=" || m.operator == "=~"
	if m.operator == "=" || m.operator == "!=" {
		return (m.value == value) == wanted, nil
	}
	re, err := regexp.Compile("^(?:" + m.value + ")$")
	if err != nil {
		return false, invalid("invalid label selector: %s: %v", m.name, err)
	}
	return re.MatchString(value) == wanted, nil
}

var operators = []string{"=~", "!~", "!=", "="}

// parseSelector reads {service_name="checkout", pod=~"web-.*"}. Names may be in quotes, and
// values in any quotes of PromQL.
func parseSelector(text string) (out []matcher, err error) {
	s := strings.TrimSpace(text)
	if s == "" {
		return nil, nil
	}
	wrong := func(problem string) ([]matcher, error) {
		return nil, invalid("invalid label selector %q: %s; write {service_name=\"checkout\", pod=~\"web-.*\"}", text, problem)
	}
	s, opened := strings.CutPrefix(s, "{")
	s, closed := strings.CutSuffix(s, "}")
	if !opened || !closed {
		return wrong("it must be in braces")
	}
	for s = strings.TrimSpace(s); s != ""; {
		var m matcher
		if m.name, s = labelName(s); m.name == "" {
			return wrong("a label's name is missing")
		}
		s = strings.TrimSpace(s)
		i := slices.IndexFunc(operators, func(o string) bool { return strings.HasPrefix(s, o) })
		if i < 0 {
			return wrong("after " + m.name + " there must be =, !=, =~ or !~")
		}
		m.operator = operators[i]
		s = strings.TrimSpace(s[len(m.operator):])
		var ok bool
		if m.value, s, ok = quoted(s); !ok {
			return wrong("the value of " + m.name + " must be in quotes")
		}
		out = append(out, m)
		s = strings.TrimSpace(s)
		rest, more := strings.CutPrefix(s, ",")
		if s != "" && !more {
			return wrong("after the value of " + m.name + " there must be a comma or the end")
		}
		s = strings.TrimSpace(rest)
	}
	return out, nil
}

// labelName takes a name from the front of a selector.
func labelName(s string) (name, rest string) {
	if name, rest, ok := quoted(s); ok {
		return name, rest
	}
	end := strings.IndexAny(s, "=!~, \t\n\"'`{}")
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:]
}

// quoted takes a text in quotes from the front of a selector.
func quoted(s string) (value, rest string, ok bool) {
	if strings.HasPrefix(s, "'") { // Go has these for single characters alone
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '\'':
				inner := strings.ReplaceAll(s[1:i], `\'`, `'`)
				value, err := strconv.Unquote(`"` + strings.ReplaceAll(inner, `"`, `\"`) + `"`)
				return value, s[i+1:], err == nil
			}
		}
		return "", s, false
	}
	prefix, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", s, false
	}
	value, err = strconv.Unquote(prefix)
	return value, s[len(prefix):], err == nil
}
