package send

import "strings"

// hint says what is probably wrong with an endpoint, and what to type, by the words of the
// library or of the server; "" where that is not known.
func (e Endpoint) hint(text string) string {
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case !e.HTTP && has("looked like an HTTP/1.1 header", "frame too large", "unexpected HTTP status code"):
		scheme := "http://"
		if e.TLS {
			scheme = "https://"
		}
		return "; this port speaks HTTP and not gRPC: give the server's port for agents (--listen-grpc, usually 4317), or " + scheme + e.Host + " to send over HTTP"
	case !e.HTTP && !e.TLS && has("error reading server preface: EOF", "error reading server preface: http2: client connection lost", "connection reset by peer"):
		return "; the server may use TLS: give grpcs://" + e.Host + ", and --ca FILE where its certificate is of your own authority"
	case e.TLS && has("first record does not look like a TLS handshake", "HTTP response to HTTPS client"):
		if e.HTTP {
			return "; the server does not use TLS: give http://" + e.Host
		}
		return "; the server does not use TLS: give --insecure, or grpc://" + e.Host
	case e.HTTP && !e.TLS && has(tlsOnly):
		return "; the server uses TLS: give https://" + e.Host + ", and --ca FILE where its certificate is of your own authority"
	case e.HTTP && has("malformed HTTP response"):
		return "; this port speaks gRPC: give " + e.Host + " without a scheme"
	case has("certificate signed by unknown authority"):
		return "; give --ca FILE with the certificate authority of the server"
	}
	return ""
}

// tlsOnly is what Go's servers answer to a request without TLS where they want it. They give it
// no type.
const tlsOnly = "Client sent an HTTP request to an HTTPS server"
