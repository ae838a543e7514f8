package send

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TrustOnly makes a TLS configuration for one host (a name or an IP address) that trusts
// the certificate authorities in a PEM file and no others. The file is read again for each connection, so that a sender that
// runs for years follows a change of authority.
//
// crypto/tls reads RootCAs once; what it leaves out with InsecureSkipVerify is done here
// as it does it itself: chain, host name and time.
func TrustOnly(path, host string) (*tls.Config, error) {
	if _, err := Authorities(path); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection verifies
		VerifyConnection: func(state tls.ConnectionState) error {
			roots, err := Authorities(path)
			if err != nil {
				return err
			}
			if len(state.PeerCertificates) == 0 {
				return errors.New("the server sent no certificate")
			}
			o := x509.VerifyOptions{Roots: roots, DNSName: host, Intermediates: x509.NewCertPool()}
			for _, c := range state.PeerCertificates[1:] {
				o.Intermediates.AddCert(c)
			}
			_, err = state.PeerCertificates[0].Verify(o)
			return err
		},
	}, nil
}

// Authorities reads the certificate authorities in a PEM file.
func Authorities(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read certificate authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("read certificate authorities: %s: no PEM certificate found", path)
	}
	return pool, nil
}
