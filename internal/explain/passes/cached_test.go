package passes

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

func TestCachesThatMiss(t *testing.T) {
	const code = `
CACHED = 256
@lru_cache(maxsize=CACHED)  @5
def parsed(name):
    return [split(l) for l in TEXTS[name]]  @1
def plan(names):
    for name in names:
        use(parsed(name))  @2
def main(names):
    for day in range(90):
        plan(names)  @4
        show(day)  @3
`
	const hot, other = "main@4 plan@2 parsed@1 split", "main@3"
	with := func(old, text string) string { return strings.ReplaceAll(code, old, text) }
	checkAll(t, map[string]written{
		"too small":                    {"/me/a.py", code, hot, other, profile.KindPython, RuleMisses, "@5 misses; make"},
		"of the usual size":            {"/me/a.py", with("@lru_cache(maxsize=CACHED)", "@functools.lru_cache"), hot, other, profile.KindPython, RuleMisses, "@5 misses; make"},
		"of cachetools":                {"/me/a.py", with("@lru_cache(maxsize=CACHED)", "@cached(LRUCache(maxsize=64))"), hot, other, profile.KindPython, RuleMisses, "@5 misses; make"},
		"without a bound":              {"/me/a.py", with("maxsize=CACHED", "maxsize=None"), hot, other, profile.KindPython, "", ""},
		"large":                        {"/me/a.py", with("= 256", "= 100_000"), hot, other, profile.KindPython, "", ""},
		"called in one loop":           {"/me/a.py", with("for day in range(90):", "if names:"), hot, other, profile.KindPython, "", ""},
		"a function that calls itself": {"/me/a.py", with("split(l) for l in TEXTS[name]]", "split(l) for l in TEXTS[name]] + parsed(name[1:])"), hot, other, profile.KindPython, "", ""},
		"of arguments that differ":     {"/me/a.py", strings.Replace(with("        plan(names)", "        plan(named(day))"), "plan(names)", "plan(names)", 1), hot, other, profile.KindPython, RuleMisses, "@5 parsed misses"},
		"of another function":          {"/me/a.py", with("def parsed", "def asked(name):\n    return 1\ndef parsed"), hot, other, profile.KindPython, "", ""},
	})
}
