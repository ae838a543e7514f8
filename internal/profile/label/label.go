package label

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"whyhot/internal/profile"
)

// Bounds of the text of a key and of a value, in bytes.
const (
	MaxKey   = 128
	MaxValue = 256
)

// Other stands for values that are not kept one by one.
const Other = "(other)"

// Pair is one label.
type Pair struct{ Key, Value string }

// Set is the labels of a series, in order of their keys. Two sets with the same labels are
// equal; "" has none. It is text that holds no control characters but its separators.
type Set string

const (
	afterKey   = '\x1f'
	afterValue = '\x1e'
)

// Of makes a set. Keys get their usual names ([Name]); of several values of a key the first
// counts. Pairs without a key or a value are left out.
func Of(pairs []Pair) Set {
	if len(pairs) == 0 {
		return ""
	}
	list := make([]Pair, 0, len(pairs))
	for _, p := range pairs {
		p = Pair{Name(key(p.Key)), clean(p.Value, MaxValue)}
		if p.Key != "" && p.Value != "" {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b Pair) int { return strings.Compare(a.Key, b.Key) })
	var out strings.Builder
	for i, p := range list {
		if i > 0 && p.Key == list[i-1].Key {
			continue
		}
		out.WriteString(p.Key)
		out.WriteByte(afterKey)
		out.WriteString(p.Value)
		out.WriteByte(afterValue)
	}
	return Set(out.String())
}

// All yields the labels in order of their keys.
func (s Set) All(yield func(key, value string) bool) {
	for rest := string(s); rest != ""; {
		key, after, _ := strings.Cut(rest, string(afterKey))
		value, next, _ := strings.Cut(after, string(afterValue))
		if !yield(key, value) {
			return
		}
		rest = next
	}
}

// Sound says whether a text is a set: one that [Of] made.
func (s Set) Sound() bool {
	var pairs []Pair
	for k, v := range s.All {
		pairs = append(pairs, Pair{k, v})
	}
	return Of(pairs) == s
}

// Get is the value of a key under its usual name, "" for none.
func (s Set) Get(key string) string {
	for k, v := range s.All {
		if k == key {
			return v
		}
	}
	return ""
}

// key makes a key one that questions can name.
func key(s string) string {
	if Valid(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if allowed(r) {
			return r
		}
		return '_'
	}, clean(s, MaxKey-len("_…")))
	s = strings.TrimSuffix(s, "…")
	if s != "" && !Valid(s) { // it begins with what only others may be
		s = "_" + s
	}
	return s
}

// clean makes a text one that a set can hold.
func clean(s string, limit int) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		s = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, s)
	}
	s = strings.TrimSpace(s)
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

// names are keys that say the same, and what they are called here.
var names = map[string]string{
	"k8s.pod.name": "pod", "kubernetes_pod_name": "pod", "k8s_pod_name": "pod", "pod_name": "pod",
	"k8s.namespace.name": "namespace", "kubernetes_namespace": "namespace", "k8s_namespace_name": "namespace",
	"k8s.node.name": "node", "kubernetes_node_name": "node", "k8s_node_name": "node", "node_name": "node",
	"k8s.deployment.name": "deployment", "k8s.statefulset.name": "statefulset", "k8s.daemonset.name": "daemonset",
	"k8s.job.name": "job", "k8s.cronjob.name": "cronjob", "k8s.cluster.name": "cluster", "k8s.container.name": "container_name",
	"deployment.environment": "environment", "deployment.environment.name": "environment", "deployment_environment": "environment", "env": "environment",
	"thread.name": "thread", "process.pid": "pid", "process_id": "pid",
	"service.name": "service", "service_name": "service", "service.version": "version", "service_version": "version",
	"host.name": "host", "container.id": "container", "process.executable.name": "process",
	"cloud.region": "region", "cloud.availability_zone": "zone",
}

// Name is what a key is called: senders name the same thing in several ways.
func Name(key string) string {
	if name, ok := names[key]; ok {
		return name
	}
	return key
}

// Reserved says that a key under its usual name is one of the columns that all series have: a
// label of that name could not be told from it.
func Reserved(name string) bool {
	switch name {
	case "service", "version", "host", "container", "process":
		return true
	}
	return false
}

// Valid says whether a text can be a key in a question: a letter or _, then letters, digits,
// and _ . - /.
func Valid(key string) bool {
	for i, r := range key {
		if !allowed(r) || i == 0 && r != '_' && !unicode.IsLetter(r) {
			return false
		}
	}
	return key != "" && len(key) <= MaxKey
}

func allowed(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(".-/", r))
}

// In gives the label of a sample of a profile that has a usual name, "" for none.
func In(p *profile.Profile, set profile.LabelSetID, name string) string {
	for _, l := range p.Labels(set) {
		if Name(l.Key) == name || Name(key(l.Key)) == name {
			return Text(&l)
		}
	}
	return ""
}

// Text is the value of a label of a profile; a number is written out, with its unit.
func Text(l *profile.Label) string {
	switch {
	case l.Str != "":
		return l.Str
	case l.Unit != "":
		return strconv.FormatInt(l.Num, 10) + " " + l.Unit
	}
	return strconv.FormatInt(l.Num, 10)
}
