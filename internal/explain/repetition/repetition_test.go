package repetition

import (
	"strings"
	"testing"
	"time"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

func TestNames(t *testing.T) {
	for name, x := range map[string]struct {
		kind profile.Kind
		file string
		want cost
	}{
		"Model.from_db":           {profile.KindPython, "/x/site-packages/django/db/models/base.py", none},
		"Environment.from_string": {profile.KindPython, "/x/site-packages/jinja2/environment.py", brief},
		"create_default_context":  {profile.KindPython, "/usr/lib/python3.11/ssl.py", brief},
		"SSLContext.__new__":      {profile.KindPython, "/usr/lib/python3.11/ssl.py", brief},
		"Decimal.__new__":         {profile.KindPython, "/usr/lib/python3.11/_pydecimal.py", none},
		"loads":                   {profile.KindPython, "/usr/lib/python3.11/json/__init__.py", none},
		"github.com/go-playground/validator/v10.New":                  {profile.KindGo, "", brief},
		"html/template.(*Template).Parse":                             {profile.KindGo, "", brief},
		"html/template.(*Template).Execute":                           {profile.KindGo, "", none},
		"encoding/json.NewDecoder":                                    {profile.KindGo, "", none},
		"time.Parse":                                                  {profile.KindGo, "", none},
		"crypto/tls.(*Conn).Handshake":                                {profile.KindGo, "", brief},
		"void java.text.SimpleDateFormat.<init>(java.lang.String)":    {profile.KindJava, "", brief},
		"java.util.Date java.text.DateFormat.parse(java.lang.String)": {profile.KindJava, "", none},
		"java.text.NumberFormat java.text.NumberFormat.getCurrencyInstance(java.util.Locale)": {profile.KindJava, "", brief},
		"void java.util.HashMap.<init>(java.util.Map)":                                        {profile.KindJava, "", none},
		"regex::regex::string::Regex::new":                                                    {profile.KindNative, "", brief},
		"<regex::regex::string::Regex>::new":                                                  {profile.KindNative, "", brief},
		"alloc::vec::Vec<T>::new":                                                             {profile.KindNative, "", none},
		"std::random_device::random_device":                                                   {profile.KindNative, "", brief},
		"std::map<int, std::locale>::map":                                                     {profile.KindNative, "", none},
		"iconv_open":                                                                          {profile.KindNative, "", brief},
		"initialize":                                                                          {profile.KindRuby, "/gems/liquid-5/lib/liquid/template.rb", brief},
		"DerivedLogger.<computed>":                                                            {profile.KindJS, "/x/node_modules/winston/create-logger.js", none},
		"v8::internal::JSNumberFormat::New":                                                   {profile.KindNative, "", brief},
		"load_model":                                                                          {profile.KindPython, "/x/site-packages/nets/core.py", long},
	} {
		if got := costOf(&profile.Function{Name: name, Kind: x.kind, File: x.file}); got != x.want {
			t.Errorf("%s: %d, want %d", name, got, x.want)
		}
	}
}

// stacks makes a profile of Python's functions, "name|file:line", outermost first: files
// without a folder are the program's own.
type stacks struct {
	b *profile.Builder
	t *testing.T
	n int64
}

const tick = int64(2 * time.Millisecond)

// add adds n samples; at, where it is not negative, is their time in tenths of the run.
func (s *stacks) add(n int64, at int64, frames string) {
	var locs []profile.LocationID
	for word := range strings.FieldsSeq(frames) {
		name, file, _ := strings.Cut(strings.ReplaceAll(word, "_in_", " in "), "|")
		line := int32(7)
		if strings.Contains(file, "/") {
			file = "/x/site-packages/" + file
		} else {
			file = "/home/me/" + file
		}
		id := s.b.Function(profile.Function{Name: name, File: file, Kind: profile.KindPython})
		locs = append([]profile.LocationID{s.b.Location(0, 0, profile.KindPython, profile.Line{Function: id, Line: line})}, locs...)
	}
	stack := s.b.Stack(locs)
	for range n {
		s.n++
		sample := profile.Sample{Stack: stack, Count: 1, Value: tick}
		if at >= 0 {
			sample.Time = 1 + at*int64(time.Second) + s.n
		}
		s.b.Sample(sample)
	}
}

func (s *stacks) found() []judge.Found {
	a, err := Judge(s.t.Context(), judge.Subject{Profile: s.b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})})
	if err != nil {
		s.t.Fatal(err)
	}
	return a.Found
}

const (
	making  = "run|app.py mail|app.py Environment.from_string|jinja2/environment.py"
	using   = "run|app.py mail|app.py Template.render|jinja2/environment.py"
	loading = "run|app.py serve|app.py load_model|nets/core.py"
	asking  = "run|app.py serve|app.py predict|nets/core.py"
)

func TestWhatIsMadePerCall(t *testing.T) {
	each := func(n int64, frames string) func(*stacks) {
		return func(s *stacks) { s.add(n, -1, frames) }
	}
	timed := func(n int64, frames string, from, to int64) func(*stacks) {
		return func(s *stacks) {
			for at := from; at < to; at++ {
				s.add(n, at, frames)
			}
		}
	}
	for name, x := range map[string]struct {
		of   []func(*stacks)
		want bool
	}{
		"a template for each mail":           {[]func(*stacks){each(600, making), each(400, using)}, true},
		"one template, in a moment":          {[]func(*stacks){each(100, making), each(400, using)}, false},
		"templates are the job":              {[]func(*stacks){each(980, making), each(20, using)}, false},
		"nobody uses them":                   {[]func(*stacks){each(600, making), each(400, "run|app.py other|app.py")}, false},
		"a model, without times":             {[]func(*stacks){each(600, loading), each(400, asking)}, false},
		"a model that is loaded once":        {[]func(*stacks){timed(150, loading, 0, 4), timed(100, asking, 4, 10)}, false},
		"a model that is loaded per request": {[]func(*stacks){timed(60, loading, 0, 10), timed(40, asking, 0, 10)}, true},
		"templates at the start only":        {[]func(*stacks){timed(150, making, 0, 4), timed(100, using, 4, 10)}, false},
		"imports":                            {[]func(*stacks){each(600, strings.Replace(making, "Environment", "_find_and_load|/lib/importlib/_bootstrap.py Environment", 1)), each(400, using)}, false},
	} {
		s := &stacks{b: profile.NewBuilder(), t: t}
		for _, add := range x.of {
			add(s)
		}
		got := s.found()
		if (len(got) == 1) != x.want {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		if x.want && (got[0].Place.Line != 7 || got[0].Place.File != "/home/me/app.py" || !got[0].Yields || got[0].Share.Main() != 0.6) {
			t.Errorf("%s: %+v", name, got[0])
		}
	}
	s := &stacks{b: profile.NewBuilder(), t: t}
	s.add(600, -1, making)
	s.add(400, -1, using)
	if got := s.found(); len(got) != 1 || got[0].Title != "Environment.from_string on each call in mail (app.py:7); keep what it makes" {
		t.Errorf("%+v", got)
	}
}

// What was counted decides: the same arguments confirm it, different ones deny it.
func TestWhatWasCounted(t *testing.T) {
	const file = "/x/site-packages/jinja2/environment.py"
	for name, x := range map[string]struct {
		count, different uint64
		samples          int64
		want             int
		certainty        finding.Certainty
	}{
		"the same each time":          {2500, 1, 600, 1, finding.Confirmed},
		"the same, and little of it":  {2500, 1, 100, 1, finding.Confirmed},
		"another each time":           {2500, 2400, 600, 0, ""},
		"called once":                 {1, 1, 600, 0, ""},
		"arguments were not counted":  {2500, 0, 600, 1, finding.Suspected},
		"often, and little was known": {2500, 0, 100, 1, finding.Suspected},
	} {
		s := &stacks{b: profile.NewBuilder(), t: t}
		s.add(x.samples, -1, making)
		s.add(400, -1, using)
		meta := profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Functions: []profile.FunctionCalls{{Name: "Environment.from_string", File: file, Count: x.count, Different: x.different}}}
		a, err := Judge(t.Context(), judge.Subject{Profile: s.b.Build(meta)})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Found) != x.want || x.want == 1 && (a.Found[0].Certainty != x.certainty || len(a.Found[0].Evidence) != 2) {
			t.Errorf("%s: %+v", name, a.Found)
		}
	}
}

// Of a function of C that is given the object to fill, the arguments come after it.
func TestArgumentsThatAreFilled(t *testing.T) {
	for name, want := range map[string]bool{
		"regcomp": true, "__regcomp": true, "re_compile_internal": true, "template_init": true, "SSL_connect": true,
		"iconv_open": false, "newlocale": false, "pcre2_compile_8": false, "template_parse": false,
	} {
		if fills(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestCandidates(t *testing.T) {
	s := &stacks{b: profile.NewBuilder(), t: t}
	s.add(100, -1, making)
	s.add(400, -1, using)
	p := s.b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
	got := Candidates(p)
	if len(got) != 1 || p.Function(got[0].Function).Name != "Environment.from_string" || got[0].Texts {
		t.Errorf("%+v", got)
	}
}
