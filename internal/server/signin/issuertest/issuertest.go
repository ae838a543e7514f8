// Package issuertest is an identity provider for tests: it speaks OpenID Connect with tokens
// that are really signed.
//
// It owns its key, its codes and who signs in. It takes whom it answers for and gives a
// handler. It lets in whoever comes, so that nothing outside tests may import it.
package issuertest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Issuer is the provider. Its fields may be changed between two requests.
type Issuer struct {
	URL, ClientID, Secret, Redirect string

	mu     sync.Mutex
	key    *rsa.PrivateKey
	codes  map[string]code
	access map[string]map[string]any // by access token: what userinfo says
	person map[string]any
	more   map[string]any
	change func(claims map[string]any)
	sign   func(claims []byte) (string, error)
	broken bool
}

type code struct{ nonce, challenge, redirect string }

const (
	keyBits = 2048
	keyID   = "one"
	life    = 5 * time.Minute
)

// New makes one at a URL for one client.
func New(issuer, clientID, secret, redirect string) (*Issuer, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, err
	}
	return &Issuer{
		URL: issuer, ClientID: clientID, Secret: secret, Redirect: redirect, key: key, codes: map[string]code{}, access: map[string]map[string]any{},
		person: map[string]any{"sub": "1"},
	}, nil
}

// Person says who signs in: the claims of the ID token, and those of userinfo beside them.
func (i *Issuer) Person(claims, more map[string]any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.person, i.more = claims, more
}

// Wrong has the next ID tokens be changed before, or signed in another way; nil for not.
func (i *Issuer) Wrong(change func(claims map[string]any), sign func(claims []byte) (string, error)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.change, i.sign = change, sign
}

// Broken has it answer no more than an error.
func (i *Issuer) Broken(is bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.broken = is
}

// ServeHTTP implements http.Handler.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.broken {
		http.Error(w, "broken", http.StatusInternalServerError)
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		answer(w, map[string]any{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
			"userinfo_endpoint": i.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256"},
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		})
	case "/keys":
		answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: keyID, Algorithm: string(jose.RS256), Use: "sig"}}})
	case "/authorize":
		i.authorize(w, r)
	case "/token":
		i.token(w, r)
	case "/userinfo":
		i.userinfo(w, r)
	default:
		http.NotFound(w, r)
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) //nolint:errchkjson // a client that is gone hears nothing
}

// authorize sends whoever comes back with a code.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != i.ClientID || q.Get("redirect_uri") != i.Redirect || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "an invalid request", http.StatusBadRequest)
		return
	}
	name := rand.Text()
	i.codes[name] = code{q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri")}
	http.Redirect(w, r, i.Redirect+"?"+url.Values{"code": {name}, "state": {q.Get("state")}}.Encode(), http.StatusSeeOther)
}

// token gives the tokens of a code, once.
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	refuse := func(what string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"error":%q}`, what)
	}
	id, secret, ok := r.BasicAuth()
	if !ok {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if id != i.ClientID || secret != i.Secret {
		refuse("invalid_client")
		return
	}
	c, known := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || r.PostFormValue("redirect_uri") != c.redirect || base64.RawURLEncoding.EncodeToString(sum[:]) != c.challenge {
		refuse("invalid_grant")
		return
	}
	claims := maps.Clone(i.person)
	now := time.Now()
	for name, value := range map[string]any{"iss": i.URL, "aud": i.ClientID, "iat": now.Unix(), "exp": now.Add(life).Unix(), "nonce": c.nonce} {
		claims[name] = value
	}
	if i.change != nil {
		i.change(claims)
	}
	data, err := json.Marshal(claims)
	if err != nil {
		refuse("server_error")
		return
	}
	sign := i.sign
	if sign == nil {
		sign = i.Sign
	}
	text, err := sign(data)
	if err != nil {
		refuse("server_error")
		return
	}
	bearer := rand.Text()
	info := maps.Clone(i.more)
	if info == nil {
		info = map[string]any{}
	}
	if _, other := info["sub"]; !other {
		info["sub"] = claims["sub"]
	}
	i.access[bearer] = info
	answer(w, map[string]any{"access_token": bearer, "token_type": "Bearer", "expires_in": life.Seconds(), "id_token": text})
}

func (i *Issuer) userinfo(w http.ResponseWriter, r *http.Request) {
	const scheme = "Bearer "
	given := r.Header.Get("Authorization")
	if len(given) < len(scheme) || i.access[given[len(scheme):]] == nil {
		http.Error(w, "no such token", http.StatusUnauthorized)
		return
	}
	answer(w, i.access[given[len(scheme):]])
}

// Sign signs as the provider does.
func (i *Issuer) Sign(claims []byte) (string, error) { return SignWith(jose.RS256, i.key, claims) }

// SignWith signs with a key of others.
func SignWith(how jose.SignatureAlgorithm, key any, claims []byte) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: how, Key: jose.JSONWebKey{Key: key, KeyID: keyID}}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}
