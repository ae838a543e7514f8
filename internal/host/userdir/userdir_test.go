package userdir_test

import (
	"testing"

	"whyhot/internal/host/userdir"
)

func TestDirectories(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		environment  map[string]string
		cache, state string
	}{
		{"of the home", map[string]string{"HOME": "/home/ann"}, "/home/ann/.cache/whyhot/a/b", "/home/ann/.local/state/whyhot/a/b"},
		{
			"of the variables", map[string]string{"HOME": "/home/ann", "XDG_CACHE_HOME": "/c", "XDG_STATE_HOME": "/s"},
			"/c/whyhot/a/b", "/s/whyhot/a/b",
		},
		{
			"relative ones are ignored", map[string]string{"HOME": "/home/ann", "XDG_CACHE_HOME": "c", "XDG_STATE_HOME": "s"},
			"/home/ann/.cache/whyhot/a/b", "/home/ann/.local/state/whyhot/a/b",
		},
	} {
		getenv := func(name string) string { return c.environment[name] }
		cache, err := userdir.Cache(getenv, "a", "b")
		if err != nil || cache != c.cache {
			t.Errorf("%s: cache %q (%v), want %q", c.name, cache, err, c.cache)
		}
		state, err := userdir.State(getenv, "a", "b")
		if err != nil || state != c.state {
			t.Errorf("%s: state %q (%v), want %q", c.name, state, err, c.state)
		}
	}
	if dir, err := userdir.Cache(func(string) string { return "" }); err == nil || err.Error() != "neither XDG_CACHE_HOME nor HOME is set" {
		t.Errorf("nothing set: %q, %v", dir, err)
	}
}
