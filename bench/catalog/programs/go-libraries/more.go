package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/expr-lang/expr"
	"github.com/go-playground/validator/v10"
	"github.com/gorilla/mux"
	"github.com/jinzhu/copier"
	"github.com/robertkrimen/otto"
	"github.com/shopspring/decimal"
	"github.com/spf13/viper"
	"github.com/traefik/yaegi/interp"
	"github.com/xuri/excelize/v2"
	bolt "go.etcd.io/bbolt"
)

func newBuffer(w io.Writer) *bufio.Writer { return bufio.NewWriter(w) }

const goSource = `
func primes(n int) int {
	c := 0
	for i := 2; i < n; i++ {
		p := true
		for j := 2; j*j <= i; j++ {
			if i%j == 0 {
				p = false
				break
			}
		}
		if p {
			c++
		}
	}
	return c
}`

func primes(n int) int {
	c := 0
	for i := 2; i < n; i++ {
		p := true
		for j := 2; j*j <= i; j++ {
			if i%j == 0 {
				p = false
				break
			}
		}
		if p {
			c++
		}
	}
	return c
}

func interpreted() int {
	i := interp.New(interp.Options{})
	_, err := i.Eval("package main\n" + goSource)
	check(err)
	v, err := i.Eval("main.primes(60000)")
	check(err)
	return int(v.Int())
}

const script = `function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(21)`

func expressions(once bool) (n int) {
	env := map[string]any{"price": 3, "amount": 4}
	kept, err := expr.Compile("price * amount + (amount > 10 ? 1 : 2)", expr.Env(env))
	check(err)
	for range 4000 {
		p := kept
		if !once {
			p, err = expr.Compile("price * amount + (amount > 10 ? 1 : 2)", expr.Env(env))
			check(err)
		}
		v, err := expr.Run(p, env)
		check(err)
		n += v.(int)
	}
	return n
}

func sheet(stream bool) int {
	f := excelize.NewFile()
	defer f.Close()
	if stream {
		w, err := f.NewStreamWriter("Sheet1")
		check(err)
		for y := range 4000 {
			check(w.SetRow("A"+strconv.Itoa(y+1), []any{y, "user" + strconv.Itoa(y), 1.5, y * 3, "text", y, y, y}))
		}
		check(w.Flush())
	} else {
		for y := range 4000 {
			for x, v := range []any{y, "user" + strconv.Itoa(y), 1.5, y * 3, "text", y, y, y} {
				cell, _ := excelize.CoordinatesToCellName(x+1, y+1)
				check(f.SetCellValue("Sheet1", cell, v))
			}
		}
	}
	b, err := f.WriteToBuffer()
	check(err)
	return b.Len()
}

func stored(batch int) int {
	file := temporary("pairs.db")
	db, err := bolt.Open(file, 0o600, &bolt.Options{NoSync: true})
	check(err)
	defer os.Remove(file)
	defer db.Close()
	for i := 0; i < 20000; i += batch {
		check(db.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists([]byte("rows"))
			check(err)
			for j := i; j < i+batch; j++ {
				check(b.Put([]byte(strconv.Itoa(j*7919%100003)), []byte("value")))
			}
			return nil
		}))
	}
	return 1
}

func sums(exact bool) int {
	if exact {
		s, f := decimal.Zero, decimal.RequireFromString("1.19")
		for i := range 300000 {
			s = s.Add(decimal.New(int64(i), -2).Mul(f).Round(2))
		}
		return int(s.IntPart())
	}
	var cents int64
	for i := range int64(300000) {
		cents += (i*119 + 50) / 100
	}
	return int(cents / 100)
}

func routes(gorilla bool) (n int) {
	h := func(w http.ResponseWriter, _ *http.Request) { n++ }
	var s http.Handler
	if gorilla {
		r := mux.NewRouter()
		for i := range 80 {
			r.HandleFunc(fmt.Sprintf("/api/v1/thing%d/{id}/part", i), h).Methods("GET")
		}
		s = r
	} else {
		m := http.NewServeMux()
		for i := range 80 {
			m.HandleFunc(fmt.Sprintf("GET /api/v1/thing%d/{id}/part", i), h)
		}
		s = m
	}
	for i := range 20000 {
		s.ServeHTTP(nil, httptest.NewRequest("GET", fmt.Sprintf("/api/v1/thing%d/17/part", i%80), nil))
	}
	return n
}

func settings(kept bool) (n int) {
	v := viper.New()
	v.SetConfigType("json")
	check(v.ReadConfig(strings.NewReader(`{"server": {"limits": {"rows": 7}}, "a": 1, "b": 2}`)))
	var s struct {
		Server struct{ Limits struct{ Rows int } }
	}
	check(v.Unmarshal(&s))
	for range 300000 {
		if kept {
			n += s.Server.Limits.Rows
		} else {
			n += v.GetInt("server.limits.rows")
		}
	}
	return n
}

func valid(kept bool) (n int) {
	v := validator.New(validator.WithRequiredStructEnabled())
	for _, r := range rows(1500) {
		if !kept {
			v = validator.New(validator.WithRequiredStructEnabled())
		}
		if v.Struct(r) == nil {
			n++
		}
	}
	return n
}

func copies(reflected bool) (n int) {
	for _, r := range rows(60000) {
		var t row
		if reflected {
			check(copier.Copy(&t, &r))
		} else {
			t = row{r.ID, r.Name, r.Score, r.Labels}
		}
		n += len(t.Name)
	}
	return n
}

func more(sides map[string]func() int) {
	sides["yaegi"] = interpreted
	sides["compiled"] = func() int { return primes(60000) }
	sides["otto"] = func() int {
		v, err := otto.New().Run(script)
		check(err)
		n, _ := v.ToInteger()
		return int(n)
	}
	sides["goja"] = func() int {
		v, err := goja.New().RunString(script)
		check(err)
		return int(v.ToInteger())
	}
	sides["expr-each"] = func() int { return expressions(false) }
	sides["expr-once"] = func() int { return expressions(true) }
	sides["sheet-cells"] = func() int { return sheet(false) }
	sides["sheet-stream"] = func() int { return sheet(true) }
	sides["bolt-each"] = func() int { return stored(1) }
	sides["bolt-batches"] = func() int { return stored(1000) }
	sides["decimal"] = func() int { return sums(true) }
	sides["cents"] = func() int { return sums(false) }
	sides["mux-gorilla"] = func() int { return routes(true) }
	sides["mux-http"] = func() int { return routes(false) }
	sides["viper"] = func() int { return settings(false) }
	sides["settings-kept"] = func() int { return settings(true) }
	sides["validator-each"] = func() int { return valid(false) }
	sides["validator-once"] = func() int { return valid(true) }
	sides["copier"] = func() int { return copies(true) }
	sides["assigned"] = func() int { return copies(false) }
}
