package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"whyhot/internal/collect/ebpf"
	"whyhot/internal/profile"
)

// Each program spends its time in the line with "hot" at its end, which outer calls.
var interpreted = []struct {
	title, tool, file string
	kind              profile.Kind
	hot               int32
	outer             string
	source            string
}{
	{"Lua", "lua5.4", "burn.lua", profile.KindLua, 5, "outer", `
local function inner(n)
  local t = {}
  for i = 1, n do t[i] = i end
  while #t > 0 do table.remove(t, 1) end -- hot
end
local function outer() inner(9000) end
local stop = os.clock() + 1.5
coroutine.wrap(function() while os.clock() < stop do outer() end end)()
`},
	{"R", "Rscript", "burn.R", profile.KindR, 4, "outer", `
inner <- function(n) {
  v <- c()
  for (i in seq_len(n)) v <- c(v, i) # hot
  sum(v)
}
outer <- function() {
  inner(9000)
}
stop_at <- proc.time()[[1]] + 2
while (proc.time()[[1]] < stop_at) outer()
`},
}

func TestLinesOfScripts(t *testing.T) {
	for _, c := range interpreted {
		t.Run(c.title, func(t *testing.T) {
			path, err := exec.LookPath(c.tool)
			if err != nil {
				t.Skipf("%s is not installed", c.tool)
			}
			file := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(file, []byte(c.source), 0o600); err != nil {
				t.Fatal(err)
			}
			p, _ := recordWith(t, &ebpf.Sampler{}, path, file)
			var hot, outer, joined, all int64
			for _, s := range p.Samples() {
				all += s.Count
				isHot, isOuter, isJoined := false, false, false
				for _, loc := range p.Stack(s.Stack) {
					for _, l := range p.Lines(loc) {
						f := p.Function(l.Function)
						isJoined = isJoined || f.Kind == c.kind
						isHot = isHot || f.Kind == c.kind && f.Name == "inner" && f.File == file && l.Line == c.hot
						isOuter = isOuter || f.Kind == c.kind && f.Name == c.outer && f.File == file
					}
				}
				if isHot {
					hot += s.Count
				}
				if isOuter {
					outer += s.Count
				}
				if isJoined {
					joined += s.Count
				}
			}
			// How many are joined depends on how often a busy machine lets the reader run.
			if float64(joined) < 0.2*float64(all) || float64(hot) < 0.8*float64(joined) || float64(outer) < 0.8*float64(joined) {
				t.Errorf("of %d samples %d are joined: the line in %d, its caller in %d", all, joined, hot, outer)
			}
			t.Logf("of %d samples %d are joined: the line in %d, its caller in %d", all, joined, hot, outer)
		})
	}
}
