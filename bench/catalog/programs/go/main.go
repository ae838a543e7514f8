// Command pairs runs one side of a pair of Go packages or habits: pairs SIDE [TIMES].
// run.py compares the CPU times of two sides.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime/pprof"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/bytedance/sonic"
	"github.com/cespare/xxhash/v2"
	gojson "github.com/goccy/go-json"
	kgzip "github.com/klauspost/compress/gzip"
	"github.com/sirupsen/logrus"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"
)

type record struct {
	ID     int      `json:"id"`
	Name   string   `json:"name"`
	Score  float64  `json:"score"`
	Tags   []string `json:"tags"`
	Nested struct {
		X int       `json:"x"`
		Y []float64 `json:"y"`
	} `json:"nested"`
}

func records(n int) []record {
	out := make([]record, n)
	for i := range out {
		out[i] = record{ID: i, Name: "user" + strconv.Itoa(i), Score: float64(i) * 1.37, Tags: []string{"a", "b", strconv.Itoa(i % 7)}}
		out[i].Nested.X, out[i].Nested.Y = i, []float64{1, 2, 3.5}
	}
	return out
}

func text() []byte {
	var b bytes.Buffer
	for i := range 200000 {
		fmt.Fprintf(&b, "%d,alpha%d,%f\n", i*7919%1500007, i%97, float64(i)*3.7)
	}
	return b.Bytes()
}

func roundTrip(marshal func(any) ([]byte, error), unmarshal func([]byte, any) error) int {
	in := records(6000)
	n := 0
	for range 4 {
		b, err := marshal(in)
		check(err)
		var out []record
		check(unmarshal(b, &out))
		n += len(out)
	}
	return n
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

type node struct{ left, right *node }

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

func trees() int {
	kept := tree(17)
	n := 0
	for range 40 {
		t := tree(14)
		if t.left != nil && kept.left != nil {
			n++
		}
	}
	return n
}

func words(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "user" + strconv.Itoa(i*7919%1500007)
	}
	return out
}

func lines() []string { return strings.Split(string(text()), "\n") }

var shared = regexp.MustCompile(`alpha(\d+),(\d+)\.`)

var pageText = `<ul>{{range .Rows}}<li class="{{.Name}}">{{.ID}} {{.Name}}{{if gt .Score 3.0}} *{{end}}</li>{{end}}</ul>`

func serve(start func(net.Listener), n int) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go start(l)
	c := &fasthttp.HostClient{Addr: l.Addr().String(), MaxConns: 1}
	total := 0
	for range n {
		var req fasthttp.Request
		var res fasthttp.Response
		req.SetRequestURI("http://" + l.Addr().String() + "/users?id=7")
		check(c.Do(&req, &res))
		total += len(res.Body())
	}
	return total
}

var sides = map[string]func() int{
	"json": func() int { return roundTrip(json.Marshal, json.Unmarshal) },
	"goccy": func() int {
		return roundTrip(gojson.Marshal, func(b []byte, v any) error { return gojson.Unmarshal(b, v) })
	},
	"sonic": func() int { return roundTrip(sonic.Marshal, sonic.Unmarshal) },
	"trees": trees,
	"gzip": func() int {
		w := gzip.NewWriter(io.Discard)
		_, err := w.Write(text())
		check(err)
		check(w.Close())
		return 1
	},
	"klauspost-gzip": func() int {
		w := kgzip.NewWriter(io.Discard)
		_, err := w.Write(text())
		check(err)
		check(w.Close())
		return 1
	},
	"sprintf": func() int {
		n := 0
		for i := range 2000000 {
			n += len(fmt.Sprintf("%d:%s", i, "user"))
		}
		return n
	},
	"strconv": func() int {
		n := 0
		var b []byte
		for i := range 2000000 {
			b = strconv.AppendInt(b[:0], int64(i), 10)
			b = append(b, ":user"...)
			n += len(b)
		}
		return n
	},
	"grow": func() int {
		n := 0
		for range 20000 {
			var s []int
			for i := range 1000 {
				s = append(s, i)
			}
			n += len(s)
		}
		return n
	},
	"sized": func() int {
		n := 0
		for range 20000 {
			s := make([]int, 0, 1000)
			for i := range 1000 {
				s = append(s, i)
			}
			n += len(s)
		}
		return n
	},
	"regexp-each": func() int {
		n := 0
		for _, l := range lines()[:20000] {
			if regexp.MustCompile(`alpha(\d+),(\d+)\.`).MatchString(l) {
				n++
			}
		}
		return n
	},
	"regexp-once": func() int {
		n := 0
		for _, l := range lines()[:20000] {
			if shared.MatchString(l) {
				n++
			}
		}
		return n
	},
	"regexp": func() int {
		n := 0
		for _, l := range lines() {
			n += len(shared.FindStringSubmatch(l))
		}
		return n
	},
	"cut": func() int {
		n := 0
		for _, l := range lines() {
			if _, rest, ok := strings.Cut(l, "alpha"); ok {
				a, b, _ := strings.Cut(rest, ",")
				c, _, _ := strings.Cut(b, ".")
				if a != "" && c != "" {
					n += 3
				}
			}
		}
		return n
	},
	"fnv": func() int {
		n, b := 0, make([]byte, 1500)
		for i := range 300000 {
			b[0] = byte(i)
			h := fnv.New64a()
			_, err := h.Write(b)
			check(err)
			n += int(h.Sum64() & 1)
		}
		return n
	},
	"xxhash": func() int {
		n, b := 0, make([]byte, 1500)
		for i := range 300000 {
			b[0] = byte(i)
			n += int(xxhash.Sum64(b) & 1)
		}
		return n
	},
	"logrus": func() int {
		l := logrus.New()
		l.SetOutput(io.Discard)
		l.SetFormatter(&logrus.JSONFormatter{})
		for i := range 150000 {
			l.WithFields(logrus.Fields{"id": i, "table": "users"}).Info("row stored")
		}
		return 1
	},
	"zap": func() int {
		l := zap.New(zapCore())
		for i := range 150000 {
			l.Info("row stored", zap.Int("id", i), zap.String("table", "users"))
		}
		return 1
	},
	"sort-slice": func() int {
		w := words(400000)
		sort.Slice(w, func(i, j int) bool { return w[i] < w[j] })
		return len(w[3])
	},
	"slices-sort": func() int {
		w := words(400000)
		slices.Sort(w)
		return len(w[3])
	},
	"concat": func() int {
		s := ""
		for i := range 12000 {
			s += strconv.Itoa(i) + ","
		}
		return len(s)
	},
	"builder": func() int {
		var b strings.Builder
		for i := range 12000 {
			b.WriteString(strconv.Itoa(i))
			b.WriteByte(',')
		}
		return b.Len()
	},
	"template-each": func() int {
		n := 0
		for range 2500 {
			var b strings.Builder
			check(template.Must(template.New("p").Parse(pageText)).Execute(&b, map[string]any{"Rows": records(4)}))
			n += b.Len()
		}
		return n
	},
	"template-once": func() int {
		n := 0
		t := template.Must(template.New("p").Parse(pageText))
		for range 2500 {
			var b strings.Builder
			check(t.Execute(&b, map[string]any{"Rows": records(4)}))
			n += b.Len()
		}
		return n
	},
	"time-parse": func() int {
		n := 0
		for i := range 2000000 {
			t, err := time.Parse("2006-01-02 15:04:05", "2026-03-04 12:00:"+strconv.Itoa(10+i%40))
			check(err)
			n += t.Second()
		}
		return n
	},
	"time-digits": func() int {
		n := 0
		for i := range 2000000 {
			s := "2026-03-04 12:00:" + strconv.Itoa(10+i%40)
			two := func(at int) int { return int(s[at]-'0')*10 + int(s[at+1]-'0') }
			t := time.Date(two(0)*100+two(2), time.Month(two(5)), two(8), two(11), two(14), two(17), 0, time.UTC)
			n += t.Second()
		}
		return n
	},
	"net-http": func() int {
		return serve(func(l net.Listener) {
			check(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, err := io.WriteString(w, "hello "+r.URL.Query().Get("id"))
				check(err)
			})))
		}, 15000)
	},
	"fasthttp": func() int {
		return serve(func(l net.Listener) {
			check(fasthttp.Serve(l, func(c *fasthttp.RequestCtx) {
				c.WriteString("hello ")
				c.Write(c.QueryArgs().Peek("id"))
			}))
		}, 15000)
	},
	"load-location": func() int {
		n := 0
		for i := range 8000 {
			l, err := time.LoadLocation("Europe/Berlin")
			check(err)
			n += time.Unix(int64(i)*100000, 0).In(l).Hour()
		}
		return n
	},
	"location-once": func() int {
		n := 0
		l, err := time.LoadLocation("Europe/Berlin")
		check(err)
		for i := range 8000 {
			n += time.Unix(int64(i)*100000, 0).In(l).Hour()
		}
		return n
	},
}

func main() {
	// profile FILE SIDE TIMES writes what -pgo reads.
	if len(os.Args) > 3 && os.Args[1] == "profile" {
		f, err := os.Create(os.Args[2])
		check(err)
		check(pprof.StartCPUProfile(f))
		defer pprof.StopCPUProfile()
		os.Args = append(os.Args[:1], os.Args[3:]...)
	}
	if len(os.Args) < 2 || sides[os.Args[1]] == nil {
		for s := range sides {
			fmt.Fprintln(os.Stderr, s)
		}
		os.Exit(2)
	}
	times := 1
	if len(os.Args) > 2 {
		var err error
		times, err = strconv.Atoi(os.Args[2])
		check(err)
	}
	n := 0
	for range times {
		n += sides[os.Args[1]]()
	}
	fmt.Println(n)
}
