package unexplained

import (
	"math"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// stacks makes samples of whole stacks, leaf first, each frame in a binary.
func (b *builder) stack(count int64, frames ...framed) {
	var locs []profile.LocationID
	for _, f := range frames {
		m := b.Mapping(profile.Mapping{Path: f.binary, Start: 1, Limit: 1 << 40})
		id := b.Function(profile.Function{Name: f.function, File: f.file, Mapping: m, Kind: profile.KindNative})
		b.address += 16
		locs = append(locs, b.Location(m, b.address, profile.KindNative, profile.Line{Function: id, Line: f.line}))
	}
	b.Sample(profile.Sample{Stack: b.Stack(locs), Count: count, Value: count})
}

type framed struct {
	binary, function, file string
	line                   int32
}

const libc, app = "/usr/lib/x86_64-linux-gnu/libc.so.6", "/home/me/app"

var (
	strlen  = framed{libc, "__strlen_avx2", "../sysdeps/x86_64/multiarch/strlen-avx2.S", 76}
	printf  = framed{libc, "printf", "", 0}
	report  = framed{app, "report", "/home/me/src/report.c", 41}
	other   = framed{app, "other", "/home/me/src/other.c", 7}
	cut     = framed{"", "[truncated stack]", "", 0}
	engine  = framed{"/usr/bin/node", "V8::UnknownFrame", "", 0}
	encoder = framed{"/usr/lib/x86_64-linux-gnu/libx264.so.164", "x264_pixel_satd", "", 0}
	ffmpeg  = framed{"/usr/bin/ffmpeg", "main", "", 0}
)

func only(t *testing.T, b *builder, in Input) []finding.Unexplained {
	t.Helper()
	in.Profile = b.Build(profile.Meta{})
	in.Machine = func(*profile.Mapping, uint64) (text, kind string, ok bool) { return "vpcmpeqb", "vectors", true }
	return New(in).Functions()
}

// What strlen does is no news; who calls it is.
func TestTheLineThatLeadsToALibrary(t *testing.T) {
	b := newBuilder()
	b.stack(300, strlen, printf, report)
	b.stack(100, strlen, other)
	b.stack(600, framed{app, "main", "/home/me/src/main.c", 3})
	us := only(t, b, Input{})
	if len(us) != 2 {
		t.Fatalf("%+v", us)
	}
	u := us[1]
	if u.Into == nil || u.Into.Function != strlen.function || u.Place.Function != "report" || u.Place.Line != 41 || u.Place.Binary != app {
		t.Errorf("%+v, into %+v", u.Place, u.Into)
	}
	if math.Abs(*u.Share.Exclusive-0.4) > 1e-9 || len(u.Lines) != 2 || math.Abs(u.Lines[0].Share-0.3) > 1e-9 || u.Lines[0].Function != "report" {
		t.Errorf("%+v", u.Lines)
	}
	if len(u.Machine) > 0 || len(u.Lines[0].Instructions) > 0 {
		t.Errorf("instructions of a library: %+v", u)
	}
	if us[0].Into != nil || len(us[0].Machine) == 0 {
		t.Errorf("of the program's own function: %+v", us[0])
	}
}

func TestNoLineLeadsThere(t *testing.T) {
	b := newBuilder()
	b.stack(477, encoder, ffmpeg)
	b.stack(300, cut)
	b.stack(223, engine)
	us := only(t, b, Input{
		// An aside about all of it explains nothing.
		Findings: []finding.Finding{{ID: "encoder", Aside: true}}, Samples: map[string][]int32{"encoder": {0, 1, 2}},
	})
	if len(us) != 1 || us[0].Place.Function != encoder.function || us[0].Into != nil || len(us[0].Machine) > 0 || !strings.Contains(us[0].Looked, "No line of the program") {
		t.Errorf("%+v", us)
	}
}

// A finding that names the function as its place and is about as large says it already; a
// small one there does not.
func TestWhatAFindingNames(t *testing.T) {
	for share, want := range map[float64]int{0.6: 0, 0.02: 1} {
		b := newBuilder()
		b.stack(900, report)
		b.stack(100, framed{app, "main", "/home/me/src/main.c", 3})
		us := only(t, b, Input{Findings: []finding.Finding{{ID: "x", Place: finding.Place{Function: "report"}, Share: finding.Share{Inclusive: &share}}}, Samples: map[string][]int32{"x": {1}}})
		if len(us) != want {
			t.Errorf("a finding of %v: %+v", share, us)
		}
	}
}

// Whose lines are SQL is led to by a statement.
func TestTheStatementThatIsExecuted(t *testing.T) {
	b := newBuilder()
	exec := framed{"/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", "sqlite3VdbeExec", "", 0}
	at := func(count int64, text string) {
		m := b.Mapping(profile.Mapping{Path: exec.binary, Start: 1, Limit: 1 << 40})
		id := b.Function(profile.Function{Name: exec.function, Mapping: m, Kind: profile.KindNative})
		loc := b.Location(m, 0x40, profile.KindNative, profile.Line{Function: id})
		labels := b.Labels([]profile.Label{{Key: profile.LabelStatement, Str: text}})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Labels: labels, Count: count, Value: count})
	}
	at(500, "SELECT a FROM t")
	at(300, "SELECT b FROM t")
	at(5, "SELECT c FROM t")
	us := only(t, b, Input{})
	want := []finding.HotStatement{{Text: "SELECT a FROM t", Share: 500. / 805}, {Text: "SELECT b FROM t", Share: 300. / 805}}
	if len(us) != 1 || !slices.Equal(us[0].Statements, want) || strings.Contains(us[0].Looked, "No line of the program") {
		t.Fatalf("%+v", us)
	}
}

// What an interpreter does for a script is the script's, however hot one of its functions is;
// what many functions of libraries do for a compiled program is the program's, each being small.
func TestTheLineThatCalls(t *testing.T) {
	const perl = "/usr/bin/perl"
	script := func(b *builder, name, file string, line int32) profile.LocationID {
		id := b.Function(profile.Function{Name: name, File: file, Kind: profile.KindPerl})
		return b.Location(0, 0, profile.KindPerl, profile.Line{Function: id, Line: line})
	}
	b := newBuilder()
	below := func(count int64, at profile.LocationID, frames ...framed) {
		var locs []profile.LocationID
		for _, f := range frames {
			m := b.Mapping(profile.Mapping{Path: f.binary, Start: 1, Limit: 1 << 40})
			kind := profile.KindNative
			if f.binary == "" {
				kind = profile.KindKernel
			}
			id := b.Function(profile.Function{Name: f.function, Mapping: m, Kind: kind})
			b.address += 16
			locs = append(locs, b.Location(m, b.address, kind, profile.Line{Function: id}))
		}
		b.Sample(profile.Sample{Stack: b.Stack(append(locs, at)), Count: count, Value: count})
	}
	first, second := script(b, "rank", "/home/me/rank.pl", 23), script(b, "rank", "/home/me/rank.pl", 29)
	packaged := script(b, "JSON::PP::decode", "/usr/share/perl/5.36/JSON/PP.pm", 700)
	below(250, first, framed{perl, "Perl_sv_vcatpvfn", "", 0})
	below(90, first, framed{perl, "Perl_hv_common", "", 0})
	below(60, second, framed{"", "copy_user", "", 0})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{packaged, second}), Count: 60, Value: 60})
	b.stack(270, report)
	for i, name := range []string{"strtod", "strchr", "memchr"} {
		b.stack(90, framed{libc, name, "", 0}, framed{app, "parse", "/home/me/src/parse.c", int32(5 + i/2)})
	}
	us := New(Input{Profile: b.Build(profile.Meta{})}).Functions()
	if len(us) != 3 || us[0].Place.Function != "rank" || us[1].Place.Function != "parse" && us[2].Place.Function != "parse" {
		t.Fatalf("%+v", us)
	}
	if rank := us[0]; rank.Into != nil || math.Abs(*rank.Share.Exclusive-0.46) > 1e-9 || len(rank.Lines) != 2 ||
		rank.Lines[0].Line != 23 || math.Abs(rank.Lines[0].Share-0.34) > 1e-9 || rank.Lines[0].Into != "" ||
		rank.Lines[1].Line != 29 || math.Abs(rank.Lines[1].Share-0.12) > 1e-9 {
		t.Errorf("%+v", rank)
	}
	parse := us[slices.IndexFunc(us, func(u finding.Unexplained) bool { return u.Place.Function == "parse" })]
	if parse.Into != nil || math.Abs(*parse.Share.Exclusive-0.27) > 1e-9 || len(parse.Lines) != 2 || parse.Lines[0].Line != 5 || parse.Lines[1].Into != "memchr" {
		t.Errorf("%+v", parse)
	}
}

// A script that is installed stands for its package: nobody edits the line that starts it.
func TestAnInstalledScriptIsNotShown(t *testing.T) {
	for file, want := range map[string]string{"/usr/bin/perltidy": "Perl_hv_common", "/home/me/tidy.pl": "start"} {
		b := newBuilder()
		start := b.Function(profile.Function{Name: "start", File: file, Kind: profile.KindPerl})
		work := b.Function(profile.Function{Name: "Perl_hv_common", Mapping: b.Mapping(profile.Mapping{Path: "/usr/bin/perl"}), Kind: profile.KindNative})
		b.Sample(profile.Sample{Count: 500, Value: 500, Stack: b.Stack([]profile.LocationID{
			b.Location(0, 1, profile.KindNative, profile.Line{Function: work}), b.Location(0, 2, profile.KindPerl, profile.Line{Function: start, Line: 20}),
		})})
		us := New(Input{Profile: b.Build(profile.Meta{})}).Functions()
		if len(us) != 1 || us[0].Place.Function != want {
			t.Errorf("%s: %+v", file, us)
		}
	}
}

// The functions of libraries on the way are named, without those of the language's own library, as far
// as most of it goes.
func TestTheWayThroughLibraries(t *testing.T) {
	const lib = "/usr/lib/x86_64-linux-gnu/libjoda.so"
	next := framed{lib, "java.lang.Object java.util.TreeMap$KeyIterator.next()", "TreeMap.java", 9}
	zone := framed{lib, "int org.joda.time.TimeZoneId.parseInto(org.joda.time.Bucket, java.lang.CharSequence, int)", "Builder.java", 3}
	parse := framed{lib, "org.joda.time.DateTime org.joda.time.DateTimeFormatter.parse(java.lang.String)", "Formatter.java", 5}
	date := framed{lib, "org.joda.time.DateTime org.joda.time.DateTime.of(java.lang.String)", "DateTime.java", 5}
	b := newBuilder()
	b.stack(300, strlen, next, zone, zone, parse, report)
	b.stack(100, strlen, next, zone, date, report)
	b.stack(600, framed{app, "main", "/home/me/src/main.c", 3})
	us := only(t, b, Input{})
	if len(us) != 2 || !slices.Equal(us[1].Through, []string{zone.function, parse.function}) || len(us[0].Through) != 0 {
		t.Errorf("%+v", us)
	}
}
