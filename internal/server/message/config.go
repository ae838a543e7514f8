package message

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // images for containers have no zones

	"whyhot/internal/finding/price"
	"whyhot/internal/host/yamldoc"
	"whyhot/internal/server/access"
	"whyhot/internal/server/alert"
)

// Config is the file of `whyhot serve --messages`; docs/messages.schema.json describes
// it to editors.
type Config struct {
	Page      string        `yaml:"page"`      // where people open the server's page
	TimeZone  string        `yaml:"time_zone"` // of digests and of times in text; UTC
	Prices    *price.Prices `yaml:"prices"`
	Receivers []Receiver    `yaml:"receivers"`
	Mute      []Mute        `yaml:"mute"`
	Alerts    []alert.Rule  `yaml:"alerts"` // selections whose cost is watched

	zone *time.Location
}

// Receiver is who is told what, in one of three ways.
type Receiver struct {
	Name     string   `yaml:"name"`
	Webhook  *Webhook `yaml:"webhook"`
	Slack    *Slack   `yaml:"slack"`
	Email    *Email   `yaml:"email"`
	Projects []string `yaml:"projects"` // none: all
	Services []string `yaml:"services"` // regular expressions for whole names; none: all
	MinCores float64  `yaml:"min_cores"`
	MinShare float64  `yaml:"min_share"` // of the service's CPU, 0.05 for 5 %
	Digest   string   `yaml:"digest"`    // "08:00": once a day then, and nothing in between

	services []*regexp.Regexp
	minute   int // of the day, of a digest
	send     sender
}

// Webhook is a URL that takes signed JSON.
type Webhook struct {
	URL        string `yaml:"url"`
	SecretFile string `yaml:"secret_file"`
	SecretEnv  string `yaml:"secret_env"`
}

// Slack is an incoming webhook of Slack, or of what takes the same.
type Slack struct {
	URL     string `yaml:"url"`
	URLFile string `yaml:"url_file"`
	URLEnv  string `yaml:"url_env"`
}

// Email goes through a mail server.
type Email struct {
	Server       string   `yaml:"server"` // HOST:PORT
	TLS          string   `yaml:"tls"`    // starttls, tls or none
	CA           string   `yaml:"ca"`     // a PEM file: trust only the certificate authorities in it
	From         string   `yaml:"from"`
	To           []string `yaml:"to"`
	User         string   `yaml:"user"`
	PasswordFile string   `yaml:"password_file"`
	PasswordEnv  string   `yaml:"password_env"`
}

// Mute keeps findings quiet, for good or until a time. What is not given is any.
type Mute struct {
	Receiver string `yaml:"receiver"`
	Project  string `yaml:"project"`
	Service  string `yaml:"service"` // a regular expression for the whole name
	Rule     string `yaml:"rule"`
	Finding  string `yaml:"finding"` // its ID
	Until    string `yaml:"until"`   // 2026-12-31 or 2026-12-31T08:00:00Z; none: for good
	Reason   string `yaml:"reason"`

	service *regexp.Regexp
	until   time.Time
}

var receiverName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// Load reads and checks a file, and the secrets that it names.
func Load(path string) (*Config, error) {
	var c Config
	if err := yamldoc.Read(path, &c); err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("messages: %s: %w", path, err)
	}
	return &c, nil
}

func (c *Config) check() (err error) {
	if c.Page == "" {
		return errors.New("page is missing: the address under which people open the server's page, for links")
	}
	if err := checkURL(c.Page); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	c.Page = strings.TrimRight(c.Page, "/")
	if c.zone, err = time.LoadLocation(cmp.Or(c.TimeZone, "UTC")); err != nil {
		return fmt.Errorf("time_zone: %w", err)
	}
	if c.Prices != nil {
		if err := c.Prices.Check(); err != nil {
			return fmt.Errorf("prices: %w", err)
		}
	}
	if len(c.Receivers) == 0 {
		return errors.New("receivers is empty: list who is told, each with a name and one of webhook, slack and email")
	}
	var names []string
	for i := range c.Receivers {
		r := &c.Receivers[i]
		if !receiverName.MatchString(r.Name) {
			return fmt.Errorf("receiver %d: name: %q; a name is 1 to 40 of a-z, 0-9 and -", i+1, r.Name)
		}
		if slices.Contains(names, r.Name) {
			return fmt.Errorf("two receivers are called %s", r.Name)
		}
		names = append(names, r.Name)
		if err := r.check(); err != nil {
			return fmt.Errorf("receiver %s: %w", r.Name, err)
		}
	}
	var alerts []string
	for i := range c.Alerts {
		a := &c.Alerts[i]
		if err := a.Check(); err != nil {
			return fmt.Errorf("alert %s: %w", cmp.Or(a.Name, strconv.Itoa(i+1)), err)
		}
		if slices.Contains(alerts, a.Name) {
			return fmt.Errorf("two alerts are called %s", a.Name)
		}
		alerts = append(alerts, a.Name)
		for _, r := range a.Receivers {
			if !slices.Contains(names, r) {
				return fmt.Errorf("alert %s: receivers: there is no %s", a.Name, r)
			}
		}
	}
	for i := range c.Mute {
		if err := c.Mute[i].check(c.zone, names); err != nil {
			return fmt.Errorf("mute %d: %w", i+1, err)
		}
	}
	return nil
}

func (r *Receiver) check() (err error) {
	ways := 0
	if r.Webhook != nil {
		ways++
		r.send, err = r.Webhook.open()
	}
	if r.Slack != nil {
		ways++
		r.send, err = r.Slack.open()
	}
	if r.Email != nil {
		ways++
		r.send, err = r.Email.open()
	}
	switch {
	case ways != 1:
		return fmt.Errorf("has %d of webhook, slack and email; give one", ways)
	case err != nil:
		return err
	case r.MinCores < 0:
		return fmt.Errorf("min_cores: %v: must not be negative", r.MinCores)
	case r.MinShare < 0 || r.MinShare >= 1:
		return fmt.Errorf("min_share: %v: a fraction, such as 0.05 for 5%%", r.MinShare)
	}
	for _, p := range r.Projects {
		if err := access.CheckProject(p); err != nil {
			return fmt.Errorf("projects: %w", err)
		}
	}
	for _, text := range r.Services {
		re, err := wholeName(text)
		if err != nil {
			return fmt.Errorf("services: %w", err)
		}
		r.services = append(r.services, re)
	}
	if r.Digest != "" {
		at, err := time.Parse("15:04", r.Digest)
		if err != nil {
			return fmt.Errorf("digest: %q is no time of day; write one such as 08:00", r.Digest)
		}
		r.minute = at.Hour()*60 + at.Minute()
	}
	return nil
}

// wants says whether a receiver is told of a project's service.
func (r *Receiver) wants(project, service string) bool {
	if len(r.Projects) > 0 && !slices.Contains(r.Projects, project) {
		return false
	}
	return len(r.services) == 0 || slices.ContainsFunc(r.services, func(re *regexp.Regexp) bool { return re.MatchString(service) })
}

func (w *Webhook) open() (sender, error) {
	if err := checkURL(w.URL); err != nil {
		return nil, fmt.Errorf("webhook: url: %w", err)
	}
	secret, err := secret("webhook: secret", w.SecretFile, w.SecretEnv)
	if err != nil {
		return nil, err
	}
	key, err := signingKey(secret)
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	return &webhook{url: w.URL, key: key}, nil
}

func (s *Slack) open() (sender, error) {
	given := s.URL
	if given == "" {
		var err error
		if given, err = secret("slack: url", s.URLFile, s.URLEnv); err != nil {
			return nil, err
		}
	} else if s.URLFile != "" || s.URLEnv != "" {
		return nil, errors.New("slack: give one of url, url_file and url_env")
	}
	if err := checkURL(given); err != nil {
		return nil, fmt.Errorf("slack: url: %w", err)
	}
	return &slack{url: given}, nil
}

func (e *Email) open() (sender, error) {
	host, port, err := net.SplitHostPort(e.Server)
	if err != nil || host == "" {
		return nil, fmt.Errorf("email: server: %q; write HOST:PORT, such as smtp.example.org:587", e.Server)
	}
	number, err := net.LookupPort("tcp", port) //nolint:noctx // it reads a file of this machine
	if err != nil {
		return nil, fmt.Errorf("email: server: %w", err)
	}
	if !slices.Contains([]string{"", tlsStart, tlsWhole, tlsNone}, e.TLS) {
		return nil, fmt.Errorf("email: tls: %q; one of %s (the default), %s and %s", e.TLS, tlsStart, tlsWhole, tlsNone)
	}
	if len(e.To) == 0 {
		return nil, errors.New("email: to is empty: list the addresses that get messages")
	}
	for _, a := range slices.Concat([]string{e.From}, e.To) {
		if _, err := mail.ParseAddress(a); err != nil {
			return nil, fmt.Errorf("email: %q is no address: %w", a, err)
		}
	}
	authorities, err := readCA(e.CA)
	if err != nil {
		return nil, fmt.Errorf("email: ca: %w", err)
	}
	m := &mailer{host: host, port: number, ca: authorities, security: cmp.Or(e.TLS, tlsStart), from: e.From, to: e.To, user: e.User}
	if e.User != "" {
		if m.password, err = secret("email: password", e.PasswordFile, e.PasswordEnv); err != nil {
			return nil, err
		}
	} else if e.PasswordFile != "" || e.PasswordEnv != "" {
		return nil, errors.New("email: a password without a user")
	}
	return m, nil
}

func (m *Mute) check(zone *time.Location, receivers []string) (err error) {
	if m.Project == "" && m.Service == "" && m.Rule == "" && m.Finding == "" && m.Receiver == "" {
		return errors.New("would keep everything quiet; say what: finding, rule, service, project or receiver")
	}
	if m.Receiver != "" && !slices.Contains(receivers, m.Receiver) {
		return fmt.Errorf("receiver: there is no %s", m.Receiver)
	}
	if m.Service != "" {
		if m.service, err = wholeName(m.Service); err != nil {
			return fmt.Errorf("service: %w", err)
		}
	}
	if m.Until == "" {
		return nil
	}
	if m.until, err = time.Parse(time.RFC3339, m.Until); err == nil {
		return nil
	}
	if m.until, err = time.ParseInLocation(time.DateOnly, m.Until, zone); err != nil {
		return fmt.Errorf("until: %q is no time; write 2026-12-31 or 2026-12-31T08:00:00Z", m.Until)
	}
	return nil
}

// holds says whether a mute is about an item now.
func (m *Mute) holds(receiver, project string, i *Item, now time.Time) bool {
	is := func(want, is string) bool { return want == "" || want == is }
	return is(m.Receiver, receiver) && is(m.Project, project) && is(m.Rule, i.Rule) && is(m.Finding, i.Finding) &&
		(m.service == nil || m.service.MatchString(i.Service)) && (m.until.IsZero() || now.Before(m.until))
}

// muted says whether somebody wants an item kept quiet.
func (c *Config) muted(receiver, project string, i *Item, now time.Time) bool {
	return slices.ContainsFunc(c.Mute, func(m Mute) bool { return m.holds(receiver, project, i, now) })
}

func wholeName(text string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(text); err != nil {
		return nil, err
	}
	return regexp.MustCompile(`^(?:` + text + `)$`), nil
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		// The text itself may be a secret.
		return errors.New("must be an address that begins with https:// or http://")
	}
	return nil
}

// secret reads what is not to stand in the file.
func secret(what, file, env string) (string, error) {
	switch {
	case (file == "") == (env == ""):
		name := strings.ReplaceAll(what[strings.LastIndexByte(what, ' ')+1:], " ", "_")
		return "", fmt.Errorf("%s: give one of %s_file and %s_env", what, name, name)
	case env != "":
		text := os.Getenv(env)
		if text == "" {
			return "", fmt.Errorf("%s: the environment has no %s", what, env)
		}
		return text, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	text := strings.TrimSpace(string(data))
	if text == "" {
		return "", fmt.Errorf("%s: %s is empty", what, file)
	}
	return text, nil
}

// readCA reads certificate authorities; "" are those of the system.
func readCA(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil //nolint:nilnil // nil is the system's, as in tls.Config
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no PEM certificate in it", file)
	}
	return pool, nil
}
