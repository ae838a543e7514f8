package deployment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"whyhot/internal/host/yamldoc/schematest"
	"whyhot/internal/server/project"
	"whyhot/internal/server/push"
	"whyhot/internal/server/servertest"
	"whyhot/internal/store/batch"
)

const schemaFile = "../../../docs/deployments.schema.json"

func TestTheSchemaIsWhatIsRead(t *testing.T) {
	s := schematest.Of(t, Config{}, "whyhot-server serve --deployments", nil)
	schematest.Require(t, s, "Requests", "service", "url", "query")
	schematest.Hold(t, s, schemaFile)
}

// The guide's example is a file that both the schema and Load take.
func TestTheGuidesExample(t *testing.T) {
	for _, b := range schematest.Examples(t, "../../../docs/guide/deployments.md", schemaFile) {
		if _, err := Load(written(t, b)); err != nil {
			t.Error(err)
		}
	}
}

func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "deployments.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestWhatIsWrongWithAFile(t *testing.T) {
	const rest = "url: http://p:9090, query: 'sum(increase(x[$range]))'"
	for text, want := range map[string]string{
		"limit: 3\n": "invalid limit",
		"requests: [{service: 'web(', " + rest + "}]\n":                                        "invalid service",
		"requests: [{" + rest + "}]\n":                                                         "service, url and query",
		"requests: [{service: web, url: nowhere, query: 'x[$range]'}]\n":                       "invalid url",
		"requests: [{service: web, url: http://p:9090, query: 'sum(x)'}]\n":                    "no $range",
		"requests: [{service: web, url: http://p:9090, query: 'sum(x[$range])', colour: 1}]\n": "colour",
	} {
		if _, err := Load(written(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// shop is a service whose load changes over the day. Its requests cost some CPU, more in
// the hash function of a slower version, and each ten minutes differ by some per cent.
type shop struct {
	t       *testing.T
	project *project.Project
	rng     *rand.Rand
	to      time.Time
	server  *httptest.Server
	served  map[string]map[int64]float64 // requests, by version and the minute's beginning
}

func newShop(t *testing.T, seed uint64) *shop {
	t.Helper()
	projects, err := project.Open(t.Context(), t.TempDir(), project.Options{Open: servertest.Open})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = projects.Close() })
	s := &shop{t: t, rng: rand.New(rand.NewPCG(seed, 1)), to: time.Now().Truncate(time.Hour), served: map[string]map[int64]float64{}}
	var done func()
	if s.project, done, err = projects.Get(t.Context(), "default", false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
	s.server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.server.Close)
	return s
}

var asked = regexp.MustCompile(`version="([^"]*)".*\[(\d+)s\]`)

// answer is what Prometheus would say.
func (s *shop) answer(w http.ResponseWriter, r *http.Request) {
	m := asked.FindStringSubmatch(r.FormValue("query"))
	at, err := strconv.ParseFloat(r.FormValue("time"), 64)
	if m == nil || err != nil {
		http.Error(w, "what?", http.StatusBadRequest)
		return
	}
	seconds, _ := strconv.ParseInt(m[2], 10, 64)
	sum := 0.0
	for minute, n := range s.served[m[1]] {
		if minute >= int64(at)-seconds && minute < int64(at) {
			sum += n
		}
	}
	result := "[]"
	if sum > 0 {
		result = fmt.Sprintf(`[{"metric":{},"value":[%v,"%v"]}]`, at, sum)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":%s}}`, result)
}

// run has a version serve from hours ago until hours ago. hash is how much of a request's
// time its hash function takes, of the usual.
func (s *shop) run(version string, from, until, hash float64) {
	s.t.Helper()
	s.served[version] = map[int64]float64{}
	const every = 10 * time.Minute
	for at := s.to.Add(-time.Duration(from * float64(time.Hour))); at.Before(s.to.Add(-time.Duration(until * float64(time.Hour)))); at = at.Add(every) {
		load := 1 + 0.8*math.Sin(float64(at.Unix())/7000)
		requests := math.Round(1000 * load)
		cost := 1 + 0.02*s.rng.NormFloat64() // milliseconds
		parse, sum := 0.7*cost*requests, 0.3*hash*cost*requests
		text := fmt.Sprintf("main;parse %d\nmain;hash %d\n", int(parse), int(sum))
		_, err := push.Append(s.t.Context(), s.project.Store, strings.NewReader(text), push.Profile{
			Labels: batch.Labels{Service: "web", Version: version}, Period: time.Millisecond, Start: at,
		}, 1<<20, s.to)
		if err != nil {
			s.t.Fatal(err)
		}
		s.served[version][at.Unix()] = requests
	}
	if err := s.project.Flush(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) config() *Config {
	s.t.Helper()
	c, err := Load(written(s.t, "requests:\n  - {service: we., url: '"+s.server.URL+"', query: 'sum(increase(requests{version=\"$version\"}[$range]))'}\n"))
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *shop) compare(c *Config) *Comparison {
	s.t.Helper()
	x, err := c.Compare(s.t.Context(), s.project, "web", s.to, 6*time.Hour)
	if err != nil {
		s.t.Fatal(err)
	}
	return x
}

func TestASlowerVersionIsFound(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		s := newShop(t, 1)
		until := 5.0
		if parallel {
			until = 0
		}
		s.run("1.4", 14, until, 1)
		s.run("1.5", 5, 0, 1.5) // 15% more
		c := s.config()
		x := s.compare(c)
		if x == nil || x.Before != "1.4" || x.After != "1.5" || x.Parallel != parallel || math.Abs(x.Ratio.Estimate-1.15) > 0.03 {
			t.Fatalf("parallel %v: %+v", parallel, x)
		}
		if len(x.Functions) != 1 || x.Functions[0].Name != "hash" || math.Abs(x.Functions[0].Delta-0.15) > 0.03 {
			t.Errorf("functions: %+v", x.Functions)
		}
		f := c.Finding(x)
		if f == nil || !strings.Contains(f.Title, "more CPU per request than 1.4") || f.Place.Function != "hash" || !strings.Contains(f.Next.String(), "version=1.4") {
			t.Fatalf("%+v", f)
		}
		if share := f.Share.Main(); math.Abs(share-0.13) > 0.03 || *f.Share.Error <= 0 {
			t.Errorf("share %v ± %v", share, *f.Share.Error)
		}
	}
}

// Nobody counts requests: only what functions take of the CPU can be told.
func TestSharesAreComparedWithoutRequests(t *testing.T) {
	s := newShop(t, 2)
	s.run("1.4", 14, 5, 1)
	s.run("1.5", 5, 0, 1.5)
	c := &Config{}
	x := s.compare(c)
	if x == nil || x.Ratio != nil {
		t.Fatalf("%+v", x)
	}
	if f := c.Finding(x); f == nil || !strings.Contains(f.Title, "more of its CPU in hash") {
		t.Errorf("%+v", f)
	}
	// A limit that the growth of 9 points is below of.
	c.Limit = 0.2
	if f := c.Finding(x); f != nil {
		t.Errorf("%+v", f)
	}
}

// Equal versions are no finding, whatever the load did.
func TestEqualVersionsAreNoFinding(t *testing.T) {
	const times = 10
	for seed := range uint64(times) {
		s := newShop(t, 100+seed)
		s.run("1.4", 14, 5, 1)
		s.run("1.5", 5, 0, 1)
		for _, c := range []*Config{s.config(), {}} {
			c.Limit = 1e-9
			x := s.compare(c)
			if x == nil {
				t.Fatal("not compared")
			}
			if f := c.Finding(x); f != nil {
				t.Errorf("seed %d: %s, %+v", seed, f.Title, f.Evidence)
			}
		}
	}
}

func TestWhatIsNotCompared(t *testing.T) {
	one := newShop(t, 3)
	one.run("1.4", 14, 0, 1)
	if x := one.compare(one.config()); x != nil {
		t.Errorf("one version: %+v", x)
	}
	// The newest version has ended long ago.
	old := newShop(t, 4)
	old.run("1.4", 40, 30, 1)
	old.run("1.5", 30, 20, 2)
	if x := old.compare(old.config()); x != nil {
		t.Errorf("an old one: %+v", x)
	}
	// Nobody answers.
	s := newShop(t, 5)
	s.run("1.4", 14, 5, 1)
	s.run("1.5", 5, 0, 2)
	c := s.config()
	s.server.Close()
	if _, err := c.Compare(t.Context(), s.project, "web", s.to, 6*time.Hour); err == nil {
		t.Error("no error without Prometheus")
	}
	if q := quoted(`a"b\c'`); q != `a\"b\\c\'` {
		t.Errorf("quoted: %s", q)
	}
}
