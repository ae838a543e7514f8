package message

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/host/printable"
	build "whyhot/internal/host/version"
)

// webhook signs as Standard Webhooks 1.0 has it, for which there are libraries: the
// header webhook-signature is "v1," and the base64 of the HMAC-SHA256 of
// "ID.TIMESTAMP.BODY", the first two from webhook-id and webhook-timestamp.
type webhook struct {
	url string
	key []byte
}

const (
	secretPrefix = "whsec_"
	leastKey     = 16 // bytes
)

// signingKey is what a secret stands for: base64 behind whsec_, else its own bytes.
func signingKey(secret string) ([]byte, error) {
	key := []byte(secret)
	if encoded, ok := strings.CutPrefix(secret, secretPrefix); ok {
		var err error
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return nil, errors.New("secret: what follows whsec_ is not base64")
		}
	}
	if len(key) < leastKey {
		return nil, fmt.Errorf("secret: %d bytes are too few, give at least %d: `openssl rand -hex 32` makes one", len(key), leastKey)
	}
	return key, nil
}

func (w *webhook) send(ctx context.Context, _ *Config, m *Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, w.key)
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", m.ID, stamp, body) // a hash takes everything
	return post(ctx, w.url, body, map[string]string{
		"Webhook-Id": m.ID, "Webhook-Timestamp": stamp,
		"Webhook-Signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
	})
}

// slack sends text in Slack's markup, which Mattermost, Rocket.Chat and others take,
// too.
type slack struct{ url string }

// maxSlack is what Slack shows of a text; it cuts at 40,000 characters.
const maxSlack = 30_000

func (s *slack) send(ctx context.Context, c *Config, m *Message) error {
	body, err := json.Marshal(map[string]string{"text": slackText(c, m)})
	if err != nil {
		return err
	}
	return post(ctx, s.url, body, nil)
}

// slackEscape is what Slack asks for: these three begin markup.
var slackEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func slackText(c *Config, m *Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%s*", slackEscape.Replace(subject(m)))
	for n := range m.Items {
		i := &m.Items[n]
		text := "\n" + slackEscape.Replace(facts(c, i)) + "\n<" + i.Link + "|show it>"
		if len(m.Items) > 1 {
			text = "\n\n" + i.Why + ": " + slackEscape.Replace(printable.Text(i.Title)) + text
		}
		if b.Len()+len(text) > maxSlack {
			fmt.Fprintf(&b, "\n\nand %d more", len(m.Items)-n)
			break
		}
		b.WriteString(text)
	}
	if len(m.Items) != 1 {
		fmt.Fprintf(&b, "\n\n<%s|all findings>", m.Link)
	}
	return b.String()
}

// poster follows no redirect: a message would be sent as a GET, or to somebody else.
var poster = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// maxAnswer is how much of an answer is told in an error.
const maxAnswer = 200

func post(ctx context.Context, to string, body []byte, headers map[string]string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address is none") // it may be a secret, and err has it
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", build.Agent("whyhot-server"))
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	res, err := poster.Do(req)
	if err != nil {
		// The address may be a secret: what comes without it is told.
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err
		}
		return fmt.Errorf("%s does not answer: %w", req.URL.Host, err)
	}
	defer res.Body.Close() //nolint:errcheck // only read from
	answer, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if res.StatusCode/100 == 2 {
		return nil
	}
	err = fmt.Errorf("%s answers %s: %s", req.URL.Host, res.Status, printable.Text(strings.TrimSpace(string(answer))))
	if seconds, e := strconv.Atoi(res.Header.Get("Retry-After")); e == nil && seconds > 0 {
		return &laterError{time.Duration(seconds) * time.Second, err}
	}
	return err
}
