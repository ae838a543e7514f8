package send

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	mathbig "math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestGRPCTellsTheSenderFromTheRequest(t *testing.T) {
	for _, code := range []codes.Code{codes.Unauthenticated, codes.PermissionDenied} {
		a, c := serveGRPC(t)
		a.errs <- status.Error(code, "no")
		_, err := c.Send(t.Context(), "", request(t))
		if credential := (*CredentialError)(nil); !errors.As(err, &credential) {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// A token and an authority that are replaced in their files count from the next attempt
// on; until then the error tells the sender from the request.
func TestCredentialsAreReadAgain(t *testing.T) {
	valid := "Bearer second"
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != valid {
			http.Error(w, "no such token", http.StatusUnauthorized)
		}
	})
	for name, wrap := range map[string]func(h http.Handler) *httptest.Server{"http": httptest.NewServer, "https": httptest.NewTLSServer} {
		t.Run(name, func(t *testing.T) {
			server := wrap(handler)
			t.Cleanup(server.Close)
			server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail on purpose
			e, err := ParseEndpoint(server.URL, false)
			if err != nil {
				t.Fatal(err)
			}
			token, o := "first", Options{Endpoint: e}
			o.Token = func() (string, error) { return token, nil }
			if e.TLS {
				o.TLS = trustAfterChange(t, server, e)
			}
			c, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			credential := (*CredentialError)(nil)
			if _, err := c.Send(t.Context(), "", request(t)); !errors.As(err, &credential) {
				t.Errorf("the first token: %v", err)
			}
			token = "second"
			if _, err := c.Send(t.Context(), "", request(t)); err != nil {
				t.Errorf("the second token: %v", err)
			}
		})
	}
}

// trustAfterChange is the configuration of a file that named another authority first.
func trustAfterChange(t *testing.T, server *httptest.Server, e Endpoint) *tls.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	write := func(raw []byte) {
		t.Helper()
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other, err := tls.X509KeyPair(otherAuthority(t))
	if err != nil {
		t.Fatal(err)
	}
	write(other.Certificate[0])
	trust, err := TrustOnly(file, e.Name())
	if err != nil {
		t.Fatal(err)
	}
	dial := func(config *tls.Config) error {
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", e.Host)
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	if err := dial(trust); err == nil {
		t.Error("a server of another authority is trusted")
	}
	write(server.Certificate().Raw)
	elsewhere, err := TrustOnly(file, "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	if err := dial(elsewhere); err == nil {
		t.Error("a server with the name of another is trusted")
	}
	if err := dial(trust); err != nil {
		t.Errorf("after the file was replaced: %v", err)
	}
	return trust
}

// otherAuthority makes a certificate of its own, in PEM, with its key.
func otherAuthority(t *testing.T) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: mathbig.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
}
