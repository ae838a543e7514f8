package waits

import (
	"strings"
	"testing"
	"time"

	"whyhot/internal/elfinfo"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// sources are files by their paths. Nothing else is asked.
type sources map[string]string

func (s sources) Source(path string) ([]string, bool) {
	code, ok := s[path]
	return strings.Split(strings.Trim(code, "\n"), "\n"), ok
}

func (sources) Code(*profile.Mapping, uint64) (*elffile.File, uint64, bool) { return nil, 0, false }
func (sources) Binary(*profile.Mapping) (judge.Binary, judge.Trust) {
	return nil, judge.NoTrust
}
func (sources) Info(*profile.Mapping) *elfinfo.Info { return nil }

// notes are those on a program with a sample in a line of its code.
func notes(t *testing.T, path, code string, line int32, meta profile.Meta) []string {
	t.Helper()
	b := profile.NewBuilder()
	kind := profile.KindPython
	if strings.HasSuffix(path, ".js") {
		kind = profile.KindJS
	}
	f := b.Function(profile.Function{Name: "main", File: path, Kind: kind})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{b.Location(0, 0, kind, profile.Line{Function: f, Line: line})}), Count: 1, Value: int64(time.Second)})
	a, err := Judge(t.Context(), judge.Subject{Facts: sources{path: code}, Profile: b.Build(meta)})
	if err != nil {
		t.Fatal(err)
	}
	return a.Waits.Sentences()
}

func recorded(elapsed, idle time.Duration) profile.Meta {
	return profile.Meta{Command: []string{"./app"}, Duration: elapsed, Idle: idle, ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}}
}

// A second of CPU.
func TestWaits(t *testing.T) {
	for name, x := range map[string]struct {
		meta profile.Meta
		want bool
	}{
		"four seconds, a CPU free":    {recorded(4*time.Second, 4*time.Second), true},
		"four seconds, no CPU free":   {recorded(4*time.Second, time.Second), false},
		"hardly longer than its CPU":  {recorded(3*time.Second/2, 2*time.Second), false},
		"nobody knows what was idle":  {recorded(4*time.Second, 0), false},
		"too short to say":            {recorded(time.Second/2, time.Second), false},
		"a whole machine":             {profile.Meta{Duration: 4 * time.Second, Idle: 4 * time.Second, ValueType: profile.ValueType{Unit: "nanoseconds"}}, false},
		"something else than the CPU": {profile.Meta{Command: []string{"./app"}, Duration: 4 * time.Second, Idle: 4 * time.Second, ValueType: profile.ValueType{Unit: "bytes"}}, false},
	} {
		got := notes(t, "/me/a.py", "x = 1", 1, x.meta)
		if (len(got) == 1) != x.want {
			t.Errorf("%s: %q", name, got)
		}
		if x.want && !strings.Contains(got[0], "it used a CPU for 25% of 4s") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Loops that wait for one thing after the other, and others that look like them.
func TestLoopsThatWaitForOneAfterTheOther(t *testing.T) {
	for name, x := range map[string]struct{ path, code, want string }{
		"a loop of JavaScript": {"/me/a.js", `
async function sendAll(queue) {
  const results = [];
  for (const message of queue) {
    results.push(await deliver(message));
  }
  return results;
}
`, "a.js:4 waits for deliver on each pass of the loop at a.js:3"},
		"a loop of Python": {"/me/a.py", `
async def load(client, urls):
    pages = []
    for url in urls:
        pages.append(await client.get(url))
    return pages
`, "a.py:4 waits for client.get on each pass of the loop at a.py:3"},
		"a loop of C#": {"/me/a.cs", `
async Task Load(HttpClient client, List<string> urls) {
    foreach (var url in urls) {
        pages.Add(await client.GetStringAsync(url));
    }
}
`, "a.cs:3 waits for client.GetStringAsync on each pass of the loop at a.cs:2"},
		"a loop of Rust": {"/me/a.rs", `
async fn load(client: &Client, urls: &[String]) -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    for url in urls {
        pages.push(client.fetch(url).await?);
    }
    Ok(pages)
}
`, "a.rs:4 waits for client.fetch on each pass of the loop at a.rs:3"},
		"a chain of Rust over lines": {"/me/a.rs", `
async fn load(client: &Client, urls: &[String]) -> Result<()> {
    for url in urls {
        let page = client
            .get(url)
            .send()
            .await?;
        keep(page);
    }
    Ok(())
}
`, "a.rs:6 waits for a call on each pass of the loop at a.rs:2"},
		"a loop of Rust that takes a lock": {"/me/a.rs", `
async fn count(all: &Mutex<u64>, urls: &[String]) {
    for url in urls {
        *all.lock().await += 1;
    }
}
`, ""},
		"a stage that goes on with what comes": {"/me/a.js", `
async function* mapped(source, fn) {
  for await (const item of source) {
    yield await fn(item);
  }
}
`, "a.js:3 waits for fn on each pass of the loop at a.js:2"},
		"all at once": {"/me/a.js", `
async function sendAll(queue) {
  for (const group of groups(queue)) {
    await Promise.all(group.map(deliver));
  }
}
`, ""},
		"what comes one after the other": {"/me/a.js", `
async function read(file) {
  for await (const line of lines(file)) {
    count(line);
  }
}
`, ""},
		"a page tells the next": {"/me/a.js", `
async function pages(client) {
  let next = first;
  while (next) {
    const page = await client.get(next);
    next = page.next;
  }
}
`, ""},
		"time that passes on purpose": {"/me/a.py", `
async def poll(jobs):
    for job in jobs:
        await asyncio.sleep(1)
`, ""},
		"no loop": {"/me/a.js", `
async function one(message) {
  return await deliver(message);
}
`, ""},
	} {
		got := notes(t, x.path, x.code, 2, recorded(4*time.Second, 4*time.Second))
		if x.want == "" && len(got) != 1 || x.want != "" && (len(got) != 2 || !strings.HasPrefix(got[1], x.want)) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
