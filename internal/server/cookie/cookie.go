// Package cookie puts sessions into browsers.
//
// It owns the names and attributes of the cookies. It takes requests and texts. It must never
// know what a text means: internal/server/access/session does.
package cookie

import (
	"net"
	"net/http"
	"time"
)

const (
	session = "whyhot_session"
	login   = "whyhot_login"
	// host has a browser take a cookie from this very host alone, and only over TLS: no other
	// server of the same domain can put one under its name.
	host = "__Host-"
)

// Kind is what a cookie is for.
type Kind string

// The kinds.
const (
	Session Kind = session
	Login   Kind = login // between the way to the issuer and the way back
)

// Jar says how people reach the page.
type Jar struct {
	// Secure says that it is by TLS, whatever a request says: a proxy need not.
	Secure bool
}

// secure tells whether the browser speaks TLS, with this server or with a proxy before it. A
// client that lies about it only gets a cookie that it does not send back.
func (j Jar) secure(r *http.Request) bool {
	return j.Secure || r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// name differs by port where there is no TLS: browsers give a cookie of one port to all of the
// host, and on a developer's machine several servers run beside each other.
func (j Jar) name(r *http.Request, k Kind) string {
	if j.secure(r) {
		return host + string(k)
	}
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return string(k) + "_" + port
	}
	return string(k)
}

// Get gives the text that a request brings, "" for none.
func (j Jar) Get(r *http.Request, k Kind) string {
	c, err := r.Cookie(j.name(r, k))
	if err != nil {
		return ""
	}
	return c.Value
}

// Set has a browser keep a text for a time.
func (j Jar) Set(w http.ResponseWriter, r *http.Request, k Kind, text string, lasts time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: j.name(r, k), Value: text, Path: "/", MaxAge: max(1, int(lasts.Seconds())),
		HttpOnly: true, Secure: j.secure(r), SameSite: http.SameSiteLaxMode,
	})
}

// Clear has a browser forget it.
func (j Jar) Clear(w http.ResponseWriter, r *http.Request, k Kind) {
	http.SetCookie(w, &http.Cookie{
		Name: j.name(r, k), Path: "/", MaxAge: -1,
		HttpOnly: true, Secure: j.secure(r), SameSite: http.SameSiteLaxMode,
	})
}
