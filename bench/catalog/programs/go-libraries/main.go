// Command libraries runs one side of a pair of Go packages or habits: libraries SIDE [TIMES].
// run.py compares the CPU times of two sides.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"io"
	"log"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/crypto/bcrypt"
	"gopkg.in/yaml.v3"
)

type row struct {
	ID     int      `json:"id" yaml:"id" validate:"gte=0"`
	Name   string   `json:"name" yaml:"name" validate:"required,max=40"`
	Score  float64  `json:"score" yaml:"score"`
	Labels []string `json:"labels" yaml:"labels"`
}

func rows(n int) []row {
	out := make([]row, n)
	for i := range out {
		out[i] = row{ID: i, Name: "user" + strconv.Itoa(i), Score: float64(i) * 1.37, Labels: []string{"a", "b" + strconv.Itoa(i%7)}}
	}
	return out
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func document(marshal func(any) ([]byte, error), unmarshal func([]byte, any) error) int {
	text, err := marshal(rows(3000))
	check(err)
	var back []row
	check(unmarshal(text, &back))
	return len(back)
}

func elements(raw bool) (n int) {
	var b bytes.Buffer
	for i := range 60000 {
		fmt.Fprintf(&b, `<i id="%d"><n>user%d</n></i>`, i, i)
	}
	text := "<r>" + b.String() + "</r>"
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		next := d.Token
		if raw {
			next = d.RawToken
		}
		t, err := next()
		if err == io.EOF {
			return n
		}
		check(err)
		if c, ok := t.(xml.CharData); ok {
			n += len(c)
		}
	}
}

func passwords(each bool) (n int) {
	hash, err := bcrypt.GenerateFromPassword([]byte("correct horse"), 8)
	check(err)
	key := []byte("a key of the server")
	for range 40 {
		if each {
			check(bcrypt.CompareHashAndPassword(hash, []byte("correct horse")))
			continue
		}
		m := hmac.New(sha256.New, key)
		m.Write([]byte("a user's token"))
		n += len(m.Sum(nil))
	}
	return n
}

func messages(kept bool) (n int) {
	text := []byte(strings.Repeat("a message of some words; ", 12))
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for range 3000 {
		b.Reset()
		if kept {
			w.Reset(&b)
		} else {
			w = gzip.NewWriter(&b)
		}
		_, _ = w.Write(text)
		check(w.Close())
		n += b.Len()
	}
	return n
}

func seeds(each bool) (n int) {
	r := rand.New(rand.NewSource(1))
	for i := range 60000 {
		if each {
			r = rand.New(rand.NewSource(int64(i)))
		}
		n += r.Intn(6)
	}
	return n
}

func requests(kept bool) (n int) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	defer s.Close()
	c := s.Client()
	for range 300 {
		if !kept {
			t := s.Client().Transport.(*http.Transport).Clone()
			c = &http.Client{Transport: t}
			defer t.CloseIdleConnections()
		}
		a, err := c.Get(s.URL)
		check(err)
		b, _ := io.ReadAll(a.Body)
		a.Body.Close()
		n += len(b)
	}
	return n
}

func pixels(direct bool) (n int) {
	m := image.NewRGBA(image.Rect(0, 0, 1200, 900))
	for i := range m.Pix {
		m.Pix[i] = byte(i)
	}
	var in image.Image = m
	out := image.NewRGBA(m.Bounds())
	for y := range 900 {
		for x := range 1200 {
			if direct {
				i := m.PixOffset(x, y)
				p, q := m.Pix[i:i+4:i+4], out.Pix[i:i+4:i+4]
				q[0], q[1], q[2], q[3] = 255-p[0], 255-p[1], 255-p[2], p[3]
				continue
			}
			r, g, b, a := in.At(x, y).RGBA()
			out.Set(x, y, color.RGBA{255 - uint8(r>>8), 255 - uint8(g>>8), 255 - uint8(b>>8), uint8(a >> 8)})
		}
	}
	return int(out.Pix[77])
}

func lines(flags int) int {
	l := log.New(io.Discard, "", flags)
	l.SetOutput(&bytes.Buffer{})
	for i := range 200000 {
		l.Print(i)
	}
	return 1
}

func printed(buffered bool) int {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	check(err)
	defer f.Close()
	var w io.Writer = f
	if buffered {
		b := newBuffer(f)
		defer b.Flush()
		w = b
	}
	for i := range 300000 {
		fmt.Fprintln(w, "line", i)
	}
	return 1
}

func spans(o ...trace.TracerProviderOption) int {
	p := trace.NewTracerProvider(o...)
	t := p.Tracer("pairs")
	for i := range 60000 {
		ctx, outer := t.Start(context.Background(), "request")
		_, inner := t.Start(ctx, "query")
		inner.SetAttributes(attribute.Int("row", i), attribute.String("table", "users"))
		inner.End()
		outer.End()
	}
	check(p.Shutdown(context.Background()))
	return 1
}

// encoder is an exporter that writes JSON, as one that sends it would.
type encoder struct{ n int }

func (e *encoder) ExportSpans(_ context.Context, s []trace.ReadOnlySpan) error {
	for _, x := range s {
		b, err := json.Marshal(map[string]any{"name": x.Name(), "id": x.SpanContext().SpanID(), "start": x.StartTime(), "attributes": x.Attributes()})
		check(err)
		e.n += len(b)
	}
	return nil
}

func (e *encoder) Shutdown(context.Context) error { return nil }

func equal(reflected bool) (n int) {
	a, b := rows(400), rows(400)
	for range 40 {
		if reflected {
			if reflect.DeepEqual(a, b) {
				n++
			}
		} else if slices.EqualFunc(a, b, func(x, y row) bool {
			return x.ID == y.ID && x.Name == y.Name && x.Score == y.Score && slices.Equal(x.Labels, y.Labels)
		}) {
			n++
		}
	}
	return n
}

func temporary(name string) string {
	dir, err := os.MkdirTemp("", "pairs")
	check(err)
	return filepath.Join(dir, name)
}

func main() {
	sides := map[string]func() int{
		"yaml":           func() int { return document(yaml.Marshal, yaml.Unmarshal) },
		"json":           func() int { return document(json.Marshal, json.Unmarshal) },
		"xml":            func() int { return elements(false) },
		"xml-raw":        func() int { return elements(true) },
		"bcrypt-each":    func() int { return passwords(true) },
		"token":          func() int { return passwords(false) },
		"gzip-each":      func() int { return messages(false) },
		"gzip-reset":     func() int { return messages(true) },
		"seed-each":      func() int { return seeds(true) },
		"seed-once":      func() int { return seeds(false) },
		"client-each":    func() int { return requests(false) },
		"client-kept":    func() int { return requests(true) },
		"image-at":       func() int { return pixels(false) },
		"image-pix":      func() int { return pixels(true) },
		"log-caller":     func() int { return lines(log.LstdFlags | log.Lshortfile) },
		"log-plain":      func() int { return lines(log.LstdFlags) },
		"print-direct":   func() int { return printed(false) },
		"print-buffered": func() int { return printed(true) },
		"spans-all":      func() int { return spans(trace.WithSyncer(&encoder{})) },
		"spans-sampled": func() int {
			return spans(trace.WithBatcher(&encoder{}), trace.WithSampler(trace.TraceIDRatioBased(0.05)))
		},
		"deep-equal":      func() int { return equal(true) },
		"fields-compared": func() int { return equal(false) },
	}
	more(sides)
	if len(os.Args) < 2 || sides[os.Args[1]] == nil {
		names := make([]string, 0, len(sides))
		for n := range sides {
			names = append(names, n)
		}
		slices.Sort(names)
		fmt.Fprintln(os.Stderr, strings.Join(names, "\n"))
		os.Exit(2)
	}
	times := 1
	if len(os.Args) > 2 {
		times, _ = strconv.Atoi(os.Args[2])
	}
	n := 0
	for range times {
		n += sides[os.Args[1]]()
	}
	fmt.Println(n)
}
