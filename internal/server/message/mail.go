package message

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
)

// How the way to a mail server is encrypted.
const (
	tlsStart = "starttls"
	tlsWhole = "tls"
	tlsNone  = "none"
)

// mailer sends e-mail through a mail server.
type mailer struct {
	host, security string
	port           int
	from           string
	to             []string
	user, password string
	ca             *x509.CertPool // nil for the system's
}

func (s *mailer) send(ctx context.Context, c *Config, m *Message) error {
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := msg.From(s.from); err != nil {
		return err
	}
	if err := msg.To(s.to...); err != nil {
		return err
	}
	msg.Subject("[whyhot] " + subject(m))
	msg.SetDateWithValue(m.Time)
	msg.SetMessageIDWithValue(m.ID + "@" + s.domain())
	// RFC 3834: nobody's absence is answered to it.
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, plain(c, m))
	client, err := s.client(ctx)
	if err != nil {
		return err
	}
	if err := client.DialAndSendWithContext(ctx, msg); err != nil {
		return fmt.Errorf("%s: %w", net.JoinHostPort(s.host, strconv.Itoa(s.port)), err)
	}
	return nil
}

// domain is that of the sender, which Message-IDs end in.
func (s *mailer) domain() string {
	_, domain, _ := strings.Cut(s.from, "@")
	return strings.TrimRight(domain, "> ")
}

func (s *mailer) client(ctx context.Context) (*mail.Client, error) {
	timeout := 15 * time.Second
	if end, ok := ctx.Deadline(); ok {
		timeout = max(time.Until(end), time.Millisecond)
	}
	options := []mail.Option{
		mail.WithPort(s.port), mail.WithTimeout(timeout),
		mail.WithTLSConfig(&tls.Config{ServerName: s.host, RootCAs: s.ca, MinVersion: tls.VersionTLS12}),
	}
	switch s.security {
	case tlsNone:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	case tlsWhole:
		options = append(options, mail.WithSSL())
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if s.user != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(s.user), mail.WithPassword(s.password))
	}
	return mail.NewClient(s.host, options...)
}
