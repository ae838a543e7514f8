package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash"
	"hash/fnv"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	gojson "github.com/goccy/go-json"
	kgzip "github.com/klauspost/compress/gzip"
	"github.com/sirupsen/logrus"
	"go.uber.org/zap"
)

// Second workloads: small programs with a purpose, of which the pair is a part.
func init() {
	for name, side := range map[string]func() int{
		"orders-json": func() int { return orders(json.Unmarshal, json.Marshal) },
		"orders-goccy": func() int {
			return orders(func(b []byte, v any) error { return gojson.Unmarshal(b, v) }, gojson.Marshal)
		},
		"archive-gzip":  func() int { return archive(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }) },
		"archive-kgzip": func() int { return archive(func(w io.Writer) io.WriteCloser { return kgzip.NewWriter(w) }) },
		"keys-sprintf": func() int {
			return keys(func(h, p int) string { return fmt.Sprintf("host-%d:%d/%s", h, p, "metrics") })
		},
		"keys-strconv": func() int {
			return keys(func(h, p int) string { return "host-" + strconv.Itoa(h) + ":" + strconv.Itoa(p) + "/metrics" })
		},
		"windows-grow":  func() int { return windows(false) },
		"windows-sized": func() int { return windows(true) },
		"fields-each":   func() int { return fields(func(s string) *regexp.Regexp { return regexp.MustCompile(s) }) },
		"fields-once": func() int {
			once := map[string]*regexp.Regexp{}
			return fields(func(s string) *regexp.Regexp { return cached(once, s) })
		},
		"filter-fnv":    func() int { return bloom(func() hash.Hash64 { return fnv.New64a() }) },
		"filter-xxhash": func() int { return bloom(func() hash.Hash64 { return xxhash.New() }) },
		"ranks-slice": func() int {
			return ranks(func(p []place) { sort.Slice(p, func(i, j int) bool { return p[i].score > p[j].score }) })
		},
		"ranks-func": func() int {
			return ranks(func(p []place) { slices.SortFunc(p, func(a, b place) int { return compare(b.score, a.score) }) })
		},
		"rows-concat":  func() int { return rows(true) },
		"rows-builder": func() int { return rows(false) },
		"mails-each":   func() int { return mails(true) },
		"mails-once":   func() int { return mails(false) },
		"hours-parse": func() int {
			return hours(func(s string) time.Time { t, err := time.Parse(time.RFC3339, s); check(err); return t })
		},
		"hours-digits":   func() int { return hours(byDigits) },
		"service-logrus": func() int { return serviceLogrus() },
		"service-zap":    func() int { return serviceZap() },
	} {
		sides[name] = side
	}
}

type order struct {
	Number string             `json:"number"`
	To     map[string]string  `json:"to"`
	Lines  []line             `json:"lines"`
	Extra  map[string]float64 `json:"extra"`
}

type line struct {
	Text  string  `json:"text"`
	Price float64 `json:"price"`
	Count int     `json:"count"`
}

func orders(parse func([]byte, any) error, write func(any) ([]byte, error)) int {
	var in []order
	for i := range 1500 {
		o := order{Number: "o" + strconv.Itoa(i), To: map[string]string{"city": "A\u00e9", "street": "long street name"}, Extra: map[string]float64{"tax": 0.19 * float64(i)}}
		for k := range i%9 + 1 {
			o.Lines = append(o.Lines, line{Text: strings.Repeat("word ", k+2), Price: math.Sqrt(float64(i + k)), Count: k})
		}
		in = append(in, o)
	}
	text, err := json.Marshal(in)
	check(err)
	total := map[string]float64{}
	for range 6 {
		var all []order
		check(parse(text, &all))
		for _, o := range all {
			for _, l := range o.Lines {
				total[o.To["city"]+l.Text[:5]] += l.Price * float64(l.Count)
			}
		}
	}
	b, err := write(total)
	check(err)
	return len(b)
}

func archive(to func(io.Writer) io.WriteCloser) int {
	n := 0
	for i := range 60 {
		var out bytes.Buffer
		w := to(&out)
		sum := uint32(0)
		for k := range 1500 {
			l := "GET /item/" + strconv.Itoa(i*k%977) + " 200 agent/" + strconv.Itoa(k%13) + "\n"
			for _, c := range []byte(l) {
				sum = sum*31 + uint32(c)
			}
			_, err := io.WriteString(w, l)
			check(err)
		}
		check(w.Close())
		n += out.Len() + int(sum&1)
	}
	return n
}

func keys(key func(host, port int) string) int {
	count := map[string]int{}
	for i := range 500000 {
		count[key(i*7919%3000, 8000+i%3)]++
	}
	return len(count)
}

func windows(sized bool) int {
	n := 0.0
	for r := range 3000 {
		size := 200 + r%900
		var w []float64
		if sized {
			w = make([]float64, 0, size)
		}
		for i := range size {
			w = append(w, math.Abs(float64(i*r%101)-50))
		}
		mean := 0.0
		for _, x := range w {
			mean += x / float64(size)
		}
		n += mean
	}
	return int(n)
}

func cached(m map[string]*regexp.Regexp, s string) *regexp.Regexp {
	if m[s] == nil {
		m[s] = regexp.MustCompile(s)
	}
	return m[s]
}

func fields(compiled func(string) *regexp.Regexp) int {
	n := 0
	for i, l := range lines()[:6000] {
		m := compiled(`^(?P<id>\d+),[a-z]+` + strconv.Itoa(i%97) + `,([0-9.]+)$`).FindStringSubmatch(l)
		n += len(m) + len(strings.Split(l, ","))
	}
	return n
}

func bloom(h func() hash.Hash64) int {
	bits, n := make([]bool, 1<<20), 0
	for _, w := range words(300000) {
		x := h()
		_, err := x.Write([]byte(w + "/path/of/some/length?with=query"))
		check(err)
		s := x.Sum64()
		if bits[s&(1<<20-1)] && bits[s>>32&(1<<20-1)] {
			n++
		}
		bits[s&(1<<20-1)], bits[s>>32&(1<<20-1)] = true, true
	}
	return n
}

type place struct {
	name  string
	score float64
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func ranks(order func([]place)) int {
	n := 0
	for r := range 12 {
		p := make([]place, 30000)
		for i := range p {
			p[i] = place{"p" + strconv.Itoa(i), math.Sin(float64(i * (r + 1)))}
		}
		order(p)
		n += len(p[10].name)
	}
	return n
}

func rows(concat bool) int {
	n := 0
	for r := range 400 {
		s := ""
		var b strings.Builder
		for i := range 250 {
			cell := strconv.Itoa(i*r) + ";" + strconv.Itoa(i%7)
			if concat {
				s += cell
				s += "\n"
			} else {
				b.WriteString(cell)
				b.WriteByte('\n')
			}
		}
		if !concat {
			s = b.String()
		}
		n += strings.Count(s, "7")
	}
	return n
}

const mailText = `Dear {{.Name}},{{if .Late}} your bill is due: {{printf "%.2f" .Sum}}{{else}} thanks{{end}}
{{range $i, $l := .Lines}}{{$i}}: {{$l.Text}} x {{$l.Count}} {{end}}`

func mails(each bool) int {
	n := 0
	once := template.Must(template.New("m").Parse(mailText))
	for i := range 1500 {
		t := once
		if each {
			t = template.Must(template.New("m").Parse(mailText))
		}
		var b strings.Builder
		check(t.Execute(&b, map[string]any{"Name": "some one", "Late": i%2 == 0, "Sum": float64(i), "Lines": []line{{"a", 1, 2}, {"b", 2, 3}, {"c", 3, 4}, {"d", 1, 1}, {"e", 2, 2}, {"f", 1, 9}}}))
		n += b.Len()
	}
	return n
}

func byDigits(s string) time.Time {
	two := func(at int) int { return int(s[at]-'0')*10 + int(s[at+1]-'0') }
	return time.Date(two(0)*100+two(2), time.Month(two(5)), two(8), two(11), two(14), two(17), 0, time.UTC)
}

func hours(parse func(string) time.Time) int {
	count := map[int]int{}
	var text strings.Builder
	for i := range 200000 {
		text.WriteString("2026-03-")
		text.WriteString(strconv.Itoa(10 + i%19))
		text.WriteString("T12:14:")
		text.WriteString(strconv.Itoa(10 + i%49))
		text.WriteString("Z request took ")
		text.WriteString(strconv.Itoa(i % 900))
		text.WriteByte('\n')
	}
	in := bufio.NewScanner(strings.NewReader(text.String()))
	for in.Scan() {
		at, rest, _ := strings.Cut(in.Text(), " ")
		ms, err := strconv.Atoi(rest[strings.LastIndexByte(rest, ' ')+1:])
		check(err)
		t := parse(at)
		count[t.Day()*24+t.Hour()] += ms
	}
	return len(count)
}

// handled is the work of a request, of which one line is logged.
func handled(i int) (status int, took float64) {
	for k := range 60 {
		took += math.Sqrt(float64(i*k%113)) / 3
	}
	return 200 + i%3, took
}

func serviceLogrus() int {
	l := logrus.New()
	l.SetOutput(io.Discard)
	for i := range 60000 {
		s, t := handled(i)
		l.WithField("status", s).WithField("took", t).Infof("request %d", i)
	}
	return 1
}

func serviceZap() int {
	l := zap.New(zapCore())
	for i := range 60000 {
		s, t := handled(i)
		l.Info("request "+strconv.Itoa(i), zap.Int("status", s), zap.Float64("took", t))
	}
	return 1
}
