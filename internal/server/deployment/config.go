package deployment

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"whyhot/internal/host/yamldoc"
)

// Config is the file of `whyhot-server serve --deployments`; docs/deployments.schema.json
// describes it to editors.
type Config struct {
	Limit    float64    `yaml:"limit"`    // by how much more than the version before a version may take: 0.03 for 3%, which is the default
	Requests []Requests `yaml:"requests"` // how to count the work of services; the first one whose service matches counts
}

// Requests says how many requests a version of a service answered.
type Requests struct {
	Service string `yaml:"service"` // a regular expression for the whole name
	URL     string `yaml:"url"`     // of Prometheus, or of what has its HTTP API
	// Query counts in PromQL. In it, $service, $version and $range (such as 600s) are
	// replaced.
	Query string `yaml:"query"`

	service *regexp.Regexp
	count   counter
}

// usualLimit is what a version may take more where the file says nothing.
const usualLimit = 0.03

// Load reads and checks a file.
func Load(path string) (*Config, error) {
	var c Config
	if err := yamldoc.Read(path, &c); err != nil {
		return nil, fmt.Errorf("deployments: %w", err)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("deployments: %s: %w", path, err)
	}
	return &c, nil
}

func (c *Config) check() error {
	if c.Limit < 0 || c.Limit >= 1 {
		return fmt.Errorf("invalid limit %v: must be a share of at least 0 and below 1, such as 0.03", c.Limit)
	}
	for i := range c.Requests {
		if err := c.Requests[i].check(); err != nil {
			return fmt.Errorf("requests: entry %d: %w", i+1, err)
		}
	}
	return nil
}

func (r *Requests) check() (err error) {
	if r.Service == "" || r.URL == "" || r.Query == "" {
		return errors.New("service, url and query are needed")
	}
	if r.service, err = regexp.Compile("^(?:" + r.Service + ")$"); err != nil {
		return fmt.Errorf("invalid service %q: %w", r.Service, err)
	}
	if u, err := url.Parse(r.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("invalid url %q: must be an address such as http://prometheus:9090", r.URL)
	}
	if !strings.Contains(r.Query, "$range") {
		return errors.New("the query has no $range: it has to count over that time, such as sum(increase(http_requests_total[$range]))")
	}
	r.count, err = prometheus(r.URL)
	return err
}

// requests are those of a service, nil where the file has none.
func (c *Config) requests(service string) *Requests {
	for i := range c.Requests {
		if c.Requests[i].service.MatchString(service) {
			return &c.Requests[i]
		}
	}
	return nil
}
