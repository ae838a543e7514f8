package signin

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"whyhot/internal/host/yamldoc"
	"whyhot/internal/server/access"
	"whyhot/internal/server/access/session"
)

// Config is the file of `whyhot serve --sign-in`; docs/signin.schema.json describes it to
// editors.
type Config struct {
	Issuer           string   `yaml:"issuer"`
	ClientID         string   `yaml:"client_id"`
	ClientSecretFile string   `yaml:"client_secret_file"`
	ClientSecretEnv  string   `yaml:"client_secret_env"`
	RedirectURL      string   `yaml:"redirect_url"` // where the issuer sends people back to
	Scopes           []string `yaml:"scopes"`       // what is asked of the issuer
	GroupsClaim      string   `yaml:"groups_claim"` // groups
	Session          string   `yaml:"session"`      // how long it lasts; 8h
	Access           []Rule   `yaml:"access"`

	secret  string
	lasts   time.Duration
	changed time.Time // the file, when it was read
}

// Rule gives some people something. Who is in one of the groups, or has one of the addresses,
// has the scopes in the projects.
type Rule struct {
	Groups   []string `yaml:"groups"`
	Emails   []string `yaml:"emails"`   // verified by the issuer; *@example.org for all of a domain
	Projects []string `yaml:"projects"` // "*" for all
	Scopes   []string `yaml:"scopes"`   // of whyhot
}

// Path is where the issuer sends people back to.
const (
	Prefix       = "/auth/"
	callbackPath = Prefix + "callback"
	loginPath    = Prefix + "login"
)

// Load reads and checks a file, and the secret that it names.
func Load(file string) (*Config, error) {
	var c Config
	// Its time is taken before it is read: a change in between is read again, rather than missed.
	if info, err := os.Stat(file); err == nil {
		c.changed = info.ModTime()
	}
	if err := yamldoc.Read(file, &c); err != nil {
		return nil, fmt.Errorf("sign-in: %w", err)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("sign-in: %s: %w", file, err)
	}
	return &c, nil
}

func (c *Config) check() (err error) {
	if err := checkURL(c.Issuer); err != nil {
		return fmt.Errorf("issuer: %w", err)
	}
	if c.ClientID == "" {
		return errors.New("client_id is missing: the name under which the issuer knows this server")
	}
	if err := checkURL(c.RedirectURL); err != nil {
		return fmt.Errorf("redirect_url: %w", err)
	}
	if u, err := url.Parse(c.RedirectURL); err != nil || u.Path != callbackPath || u.RawQuery != "" {
		return fmt.Errorf("redirect_url: %q: must be https://HOST%s, with the host under which people open the page", c.RedirectURL, callbackPath)
	}
	if c.secret, err = c.readSecret(); err != nil {
		return err
	}
	if len(c.Scopes) == 0 {
		c.Scopes = []string{"openid", "email", "profile"}
	}
	if !slices.Contains(c.Scopes, "openid") {
		return errors.New("scopes: openid must be among them")
	}
	c.GroupsClaim = cmp.Or(c.GroupsClaim, "groups")
	if c.lasts, err = time.ParseDuration(cmp.Or(c.Session, "8h")); err != nil || c.lasts < time.Minute || c.lasts > session.Longest {
		return fmt.Errorf("session: %q: must be between 1m and %s, such as 8h", c.Session, session.Longest)
	}
	if len(c.Access) == 0 {
		return errors.New("access is empty: list groups or emails, each with projects and scopes")
	}
	for i := range c.Access {
		if err := c.Access[i].check(); err != nil {
			return fmt.Errorf("access %d: %w", i+1, err)
		}
	}
	return nil
}

// readSecret gives the client's secret, "" for a client without one.
func (c *Config) readSecret() (string, error) {
	const most = 4 << 10
	switch {
	case c.ClientSecretFile != "" && c.ClientSecretEnv != "":
		return "", errors.New("give client_secret_file or client_secret_env, not both")
	case c.ClientSecretEnv != "":
		text := os.Getenv(c.ClientSecretEnv)
		if text == "" {
			return "", fmt.Errorf("client_secret_env: the variable %s is not set", c.ClientSecretEnv)
		}
		return text, nil
	case c.ClientSecretFile != "":
		data, err := os.ReadFile(c.ClientSecretFile)
		if err != nil {
			return "", fmt.Errorf("client_secret_file: %w", err)
		}
		text := strings.TrimSpace(string(data))
		if text == "" || len(text) > most {
			return "", fmt.Errorf("client_secret_file: %s: must have the secret on one line", c.ClientSecretFile)
		}
		return text, nil
	}
	return "", nil
}

func (r *Rule) check() error {
	switch {
	case len(r.Groups) == 0 && len(r.Emails) == 0:
		return errors.New("it is for nobody: give groups or emails")
	case len(r.Projects) == 0:
		return errors.New(`projects is empty: list projects, or "*" for all`)
	case len(r.Scopes) == 0:
		return errors.New("scopes is empty: list some of read, administer, send and metrics")
	case slices.Contains(r.Groups, ""):
		return errors.New("groups: one is empty")
	}
	if _, err := access.ParseScopes(strings.Join(r.Scopes, ",")); err != nil {
		return err
	}
	for _, p := range r.Projects {
		if p == access.Any {
			continue
		}
		if err := access.CheckProject(p); err != nil {
			return err
		}
	}
	for _, e := range r.Emails {
		if name, domain, ok := strings.Cut(e, "@"); !ok || name == "" || domain == "" || strings.Contains(domain, "*") || name != "*" && strings.Contains(name, "*") {
			return fmt.Errorf("emails: %q: must be an address, or *@DOMAIN", e)
		}
	}
	return nil
}

// checkURL refuses what would send secrets and sessions in the clear.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return errors.New("it is missing: give an https:// URL")
	case err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%q: must be an https:// URL", text)
	case u.Scheme == "http" && !loopback(u.Host):
		return fmt.Errorf("%q: must be https://: sessions must not travel unencrypted", text)
	}
	return nil
}

func loopback(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// backTo is where people go after they signed in: a path of this server and nothing else.
func backTo(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return "/"
	}
	// Browsers read a backslash as a slash and leave out control characters, so that what looks
	// like a path may be another host.
	if !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == '\\' || c == 0x7f }) {
		return "/"
	}
	if path.Clean(u.Path) != u.Path && path.Clean(u.Path)+"/" != u.Path || strings.HasPrefix(u.Path, Prefix) || strings.Contains(u.Path, `\`) {
		return "/"
	}
	return u.RequestURI()
}
