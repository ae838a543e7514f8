package clickhouse

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// Options say where ClickHouse is.
type Options struct {
	Address        string // host:port of the native protocol
	User, Password string
	Database       string // made if there is none
	// Cluster is the name that the servers' configuration gives to the shards
	// (remote_servers). Without it the one server has all rows.
	Cluster string
	TLS     bool
	// Keeper are addresses of ZooKeeper. With them each shard is as many servers as the cluster's
	// configuration names replicas, and tables are replicated.
	Keeper []string
	// Shared says that other processes wait to have the database when this one does not have
	// it any more: it is not waited for, and commits are written down before they are made, so
	// that whoever comes next can finish one. Advertise is then where others reach this process.
	Shared    bool
	Advertise string
	// Log is told of replicas that need somebody's help; nil for nobody.
	Log *slog.Logger
}

var name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ParseURL reads clickhouse://USER:PASSWORD@HOST:PORT/DATABASE?cluster=NAME&keeper=HOST:PORT,HOST:PORT&secure=true.
func ParseURL(text string) (Options, error) {
	u, err := url.Parse(text)
	if err != nil {
		// Its text would repeat the password.
		return Options{}, errors.New("the address of ClickHouse is no URL: want clickhouse://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	o := Options{Address: u.Host, User: u.User.Username(), Database: strings.TrimPrefix(u.Path, "/")}
	o.Password, _ = u.User.Password()
	if u.Scheme != "clickhouse" || u.Hostname() == "" {
		return Options{}, fmt.Errorf("invalid ClickHouse address %s: want clickhouse://USER:PASSWORD@HOST:PORT/DATABASE", u.Redacted())
	}
	for key, values := range u.Query() {
		switch {
		case key == "cluster":
			o.Cluster = values[0]
		case key == "secure" && (values[0] == "true" || values[0] == "false"):
			o.TLS = values[0] == "true"
		case key == "keeper" && values[0] != "":
			o.Keeper = strings.Split(values[0], ",")
		default:
			return Options{}, fmt.Errorf("%s: unknown option %s=%s; there are cluster=NAME, keeper=HOST:PORT,… and secure=true", u.Redacted(), key, values[0])
		}
	}
	port := "9000"
	if o.TLS {
		port = "9440"
	}
	var hosts []string
	for _, host := range strings.Split(u.Host, ",") {
		one := url.URL{Host: host}
		if one.Hostname() == "" {
			return Options{}, fmt.Errorf("invalid ClickHouse address %s: one of the hosts has no name", u.Redacted())
		}
		hosts = append(hosts, net.JoinHostPort(one.Hostname(), cmp.Or(one.Port(), port)))
	}
	o.Address = strings.Join(hosts, ",")
	return o, o.check()
}

func (o Options) check() error {
	if !name.MatchString(o.Database) {
		return fmt.Errorf("%q is no name of a database: letters, digits and _ are", o.Database)
	}
	if o.Cluster != "" && !name.MatchString(o.Cluster) {
		return fmt.Errorf("%q is no name of a cluster: letters, digits and _ are", o.Cluster)
	}
	if o.replicated() && o.Cluster == "" {
		return errors.New("keeper= without cluster=: the cluster's configuration says which servers are replicas")
	}
	for _, a := range o.Keeper {
		if _, _, err := net.SplitHostPort(a); err != nil {
			return fmt.Errorf("invalid address of ZooKeeper %q: want HOST:PORT", a)
		}
	}
	return nil
}

func (o Options) replicated() bool { return len(o.Keeper) > 0 }

// intends says that commits are written down before they are made.
func (o Options) intends() bool { return o.Shared || o.replicated() }
