package send

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Endpoint is where a server listens.
type Endpoint struct {
	Host string // HOST:PORT
	Path string // of HTTP
	HTTP bool   // else gRPC
	TLS  bool
}

// profilesPath is where the protocol has servers take profiles.
const profilesPath = "/v1development/profiles"

// Ports that the protocol gives to its two transports.
const (
	grpcPort = "4317"
	httpPort = "4318"
)

// String is the endpoint as a URL.
func (e Endpoint) String() string {
	scheme := "grpc"
	if e.HTTP {
		scheme = "http"
	}
	if e.TLS {
		scheme += "s"
	}
	return scheme + "://" + e.Host + e.Path
}

// ParseEndpoint reads HOST, HOST:PORT (gRPC), or a URL whose scheme is grpc,
// grpcs, http or https. A plain HOST:PORT is encrypted, save on this machine or
// where insecure asks for that.
func ParseEndpoint(text string, insecure bool) (Endpoint, error) {
	scheme, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		host, err := hostPort(text, grpcPort)
		if err != nil {
			return Endpoint{}, fmt.Errorf("endpoint %q: %w", text, err)
		}
		return Endpoint{Host: host, TLS: !insecure && !loopback(host)}, nil
	}
	e := Endpoint{HTTP: strings.HasPrefix(scheme, "http"), TLS: strings.HasSuffix(scheme, "s")}
	port := grpcPort
	switch scheme {
	case "grpc", "grpcs":
	case "http", "https":
		port = httpPort
	default:
		return Endpoint{}, fmt.Errorf("endpoint %q: the scheme is grpc, grpcs, http or https", text)
	}
	if e.TLS && insecure {
		return Endpoint{}, fmt.Errorf("endpoint %q requires TLS, which contradicts --insecure", text)
	}
	u, err := url.Parse("//" + rest)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return Endpoint{}, fmt.Errorf("endpoint %q: give SCHEME://HOST:PORT, with a path for HTTP at most", text)
	}
	if e.Host, err = hostPort(u.Host, port); err != nil {
		return Endpoint{}, fmt.Errorf("endpoint %q: %w", text, err)
	}
	e.Path = strings.TrimRight(u.Path, "/")
	switch {
	case !e.HTTP && e.Path != "":
		return Endpoint{}, fmt.Errorf("endpoint %q: gRPC has no path", text)
	case e.HTTP && !strings.HasSuffix(e.Path, profilesPath):
		e.Path += profilesPath
	}
	return e, nil
}

// hostPort completes HOST by the port.
func hostPort(text, port string) (string, error) {
	host := text
	if h, p, err := net.SplitHostPort(text); err == nil {
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return "", fmt.Errorf("port %q is no number between 1 and 65535", p)
		}
		host, port = h, p
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
		if _, err := netip.ParseAddr(host); err != nil && strings.Contains(host, ":") {
			return "", errors.New("give HOST:PORT")
		}
	}
	if host == "" || strings.ContainsAny(host, "/ \t\r\n@?#%") {
		return "", errors.New("give HOST:PORT")
	}
	return net.JoinHostPort(host, port), nil
}

// Name is the host without the port: a name or an IP address.
func (e Endpoint) Name() string {
	host, _, _ := net.SplitHostPort(e.Host) // ParseEndpoint joined it
	return host
}

func loopback(hostport string) bool {
	host := Endpoint{Host: hostport}.Name()
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
