package message

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"whyhot/internal/finding"
	"whyhot/internal/server/push"
	"whyhot/internal/server/watch"
	"whyhot/internal/store/batch"
)

func webhookConfig(url string) string {
	return "page: https://whyhot.example.org/\nprices: {currency: EUR, core_hour: 0.1}\nreceivers:\n- name: ops\n  webhook: {url: '" + url + "', secret_file: SECRET}\n"
}

func TestANewFindingIsToldOnce(t *testing.T) {
	began := time.Now()
	h := newHook(t)
	w := newWorld(t, webhookConfig(h.URL))
	w.php("shop & co", 600, 400)
	w.look()
	w.settle()
	for range 3 { // looks that find the same, and restarts
		w.now = w.now.Add(15 * time.Minute)
		w.look()
		w.settle()
		w.start()
	}
	all := h.messages(t)
	if len(all) != 1 || len(all[0].Items) != 1 {
		t.Fatalf("got %+v", all)
	}
	m, i := all[0], all[0].Items[0]
	if m.Kind != KindFinding || i.Why != WhyNew || i.Service != "shop & co" || i.Rule != "php-serialize" || i.Now.Share != 0.6 {
		t.Errorf("got %+v", m)
	}
	// 0.6 s of CPU time in the one minute that has samples.
	if want := 0.6 / 60; i.Now.Cores != want || i.Money == nil || i.Money.Money != want*8760*0.1 {
		t.Errorf("cores %v, money %+v", i.Now.Cores, i.Money)
	}
	if !strings.HasPrefix(i.Link, "https://whyhot.example.org/findings?findings.open=php-serialize-") || !strings.Contains(i.Link, "%40shop+%26+co&from=20") || !strings.Contains(i.Link, "&service=shop+%26+co&to=20") {
		t.Errorf("link %s", i.Link)
	}
	if !strings.HasPrefix(i.Command, "whyhot explain --from https://whyhot.example.org --service 'shop & co' --finding php-serialize-") {
		t.Errorf("command %s", i.Command)
	}
	r := h.requests()[0]
	stamp := r.header.Get("Webhook-Timestamp")
	mac := hmac.New(sha256.New, []byte(secretText))
	mac.Write([]byte(m.ID + "." + stamp + "."))
	mac.Write(r.body)
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); r.header.Get("Webhook-Signature") != want || r.header.Get("Webhook-Id") != m.ID {
		t.Errorf("signature %q, want %q", r.header.Get("Webhook-Signature"), want)
	}
	if n, err := strconv.ParseInt(stamp, 10, 64); err != nil || time.Unix(n, 0).Before(began.Truncate(time.Second)) || time.Unix(n, 0).After(time.Now()) {
		t.Errorf("timestamp %q", stamp)
	}
}

// What only shares say of a deployment is not told: they also grow where a version saves CPU
// elsewhere.
func TestSharesOfAVersionAreNotTold(t *testing.T) {
	h := newHook(t)
	w := newWorld(t, webhookConfig(h.URL))
	for _, v := range []struct {
		version string
		ago     time.Duration
		hash    int
	}{{"1.4", 5 * time.Hour, 1000}, {"1.5", 3 * time.Minute, 3000}} {
		text := fmt.Sprintf("main;hash %d\nmain;parse 5000\n", v.hash)
		_, err := push.Append(t.Context(), w.project.Store, strings.NewReader(text), push.Profile{
			Labels: batch.Labels{Service: "shop", Version: v.version}, Period: time.Millisecond, Start: w.now.Add(-v.ago),
		}, 1<<20, w.now)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.project.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.look()
	w.settle()
	if found, err := watch.Findings(w.project, "shop", false); err != nil || len(found) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if all := h.messages(t); len(all) != 0 {
		t.Errorf("got %+v", all)
	}
	command := look(&finding.Finding{Next: finding.Command{Verb: "diff", Args: []string{"--from", "URL", "--service", "shop", "a", "b"}}}, "https://w")
	if command != "whyhot diff --from https://w --service shop a b" {
		t.Errorf("command %s", command)
	}
}

func TestWhatGotClearlyWorseIsToldAgain(t *testing.T) {
	h := newHook(t)
	w := newWorld(t, webhookConfig(h.URL))
	w.php("other", 0, 1000) // the server has had samples for hours: cores are those of whole hours
	w.now = w.now.Add(2 * time.Hour)
	w.php("web", 100, 900)
	w.look()
	w.settle()
	w.now = w.now.Add(2 * time.Hour)
	w.php("web", 115, 885) // chance
	w.look()
	w.settle()
	w.now = w.now.Add(2 * time.Hour)
	w.php("web", 900, 2100)
	w.look()
	w.settle()
	w.now = w.now.Add(15 * time.Minute)
	w.look()
	w.settle()
	all := h.messages(t)
	if len(all) != 2 {
		t.Fatalf("got %d messages: %+v", len(all), all)
	}
	i := all[1].Items[0]
	if i.Why != WhyWorse || i.Before == nil || i.Before.Share != 0.1 || i.Now.Share != 0.3 || all[0].ID == all[1].ID {
		t.Errorf("got %+v", i)
	}
}

func TestWorse(t *testing.T) {
	p := func(share, err, cores float64) watch.Point {
		return watch.Point{Share: share, Error: err, Cores: cores}
	}
	for _, c := range []struct {
		what      string
		told, now watch.Point
		want      bool
	}{
		{"the doc's example: within chance", p(0.10, 0.01, 1), p(0.14, 0.01, 1.4), false},
		{"the doc's example: worse", p(0.10, 0.01, 1), p(0.15, 0.01, 1.5), true},
		{"significant, but small", p(0.10, 0.0001, 1), p(0.11, 0.0001, 1.1), false},
		{"something else got faster", p(0.10, 0.01, 1), p(0.30, 0.01, 1), false},
		{"more load", p(0.10, 0.01, 1), p(0.10, 0.01, 5), false},
		{"better", p(0.30, 0.01, 3), p(0.10, 0.01, 1), false},
		{"cores are not known", p(0.10, 0.01, 0), p(0.30, 0.01, 0), true},
	} {
		if got := worse(c.told, c.now); got != c.want {
			t.Errorf("%s: got %v", c.what, got)
		}
	}
}

// A receiver that hangs or fails keeps neither looks nor others waiting; it gets the
// same message when it is there again, also after a restart.
func TestAHookThatHangs(t *testing.T) {
	bad, good := newHook(t), newHook(t)
	bad.hang = make(chan struct{})
	w := newWorld(t, webhookConfig(bad.URL)+"- name: chat\n  slack: {url: '"+good.URL+"'}\n")
	w.php("web", 600, 400)
	w.look()
	until(t, "the good receiver has it", func() bool { return len(good.requests()) == 1 })
	w.php("shop", 600, 400)
	w.look()
	until(t, "the good receiver has the second", func() bool { return len(good.requests()) == 2 })
	until(t, "the bad one was tried", func() bool { return len(bad.requests()) >= 1 })
	bad.mu.Lock()
	close(bad.hang)
	bad.hang = nil
	bad.answers = []int{http.StatusInternalServerError, http.StatusNotFound}
	bad.mu.Unlock()
	w.start()
	w.settle()
	ids := map[string]int{}
	for _, m := range bad.messages(t) {
		ids[m.ID]++
	}
	if len(ids) != 2 {
		t.Errorf("messages by ID: %v", ids)
	}
	if len(good.requests()) != 2 {
		t.Errorf("the good receiver got %d messages", len(good.requests()))
	}
}

func TestFailuresAreSeenInMetrics(t *testing.T) {
	h := newHook(t)
	h.answers = []int{http.StatusBadGateway, http.StatusTooManyRequests}
	w := newWorld(t, webhookConfig(h.URL))
	w.php("web", 600, 400)
	w.look()
	w.settle()
	all := h.messages(t)
	if len(all) != 3 || all[0].ID != all[2].ID || string(h.requests()[0].body) != string(h.requests()[2].body) {
		t.Fatalf("got %+v", all)
	}
	until(t, "the outbox is counted again", func() bool { return w.messenger.count("ops").all() == 1 || w.messenger.count("ops").all() == 0 })
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(w.messenger)
	res := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(res, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`whyhot_server_messages_attempts_total{receiver="ops",result="failed"} 2`,
		`whyhot_server_messages_attempts_total{receiver="ops",result="sent"} 1`,
		`whyhot_server_messages_dropped_total{receiver="ops"} 0`,
		`whyhot_server_messages_last_success_timestamp_seconds{receiver="ops"} `,
	} {
		if !strings.Contains(res.Body.String(), want) {
			t.Errorf("no %s in\n%s", want, res.Body)
		}
	}
}

func TestWhatWasTriedForDaysIsDropped(t *testing.T) {
	h := newHook(t)
	h.answers = slices.Repeat([]int{http.StatusGone}, 1000)
	w := newWorld(t, webhookConfig(h.URL))
	w.php("web", 600, 400)
	w.look()
	until(t, "it was tried", func() bool { return len(h.requests()) > 2 })
	if w.messenger.count("ops").dropped.Load() != 0 {
		t.Error("dropped at once")
	}
	w.stop()
	w.now = w.now.Add(73 * time.Hour)
	w.start()
	w.settle()
	if n := w.messenger.count("ops").dropped.Load(); n != 1 {
		t.Errorf("%d dropped", n)
	}
}

// Mutes take effect without a restart. What was snoozed and never told is told when the
// snooze ends.
func TestMuteAndSnooze(t *testing.T) {
	h := newHook(t)
	w := newWorld(t, webhookConfig(h.URL))
	until := w.now.Add(24 * time.Hour).UTC().Format(time.RFC3339)
	w.configure(webhookConfig(h.URL) + "mute:\n- {rule: php-serialize, service: 'web.*', until: '" + until + "', reason: known}\n")
	w.php("web-1", 600, 400)
	w.php("shop", 600, 400)
	w.look()
	w.settle()
	if all := h.messages(t); len(all) != 1 || all[0].Items[0].Service != "shop" {
		t.Fatalf("got %+v", all)
	}
	w.now = w.now.Add(25 * time.Hour)
	w.php("web-1", 600, 400)
	w.php("shop", 600, 400)
	w.look()
	w.settle()
	if all := h.messages(t); len(all) != 2 || all[1].Items[0].Service != "web-1" {
		t.Fatalf("got %+v", all)
	}
	// A mistake in the file leaves the one before in force.
	w.configure("receivers: [")
	w.php("api", 600, 400)
	w.look()
	w.settle()
	if n := len(h.messages(t)); n != 3 || !w.messenger.invalid {
		t.Errorf("%d messages, invalid %v", n, w.messenger.invalid)
	}
}

func TestDigest(t *testing.T) {
	h := newHook(t)
	w := newWorld(t, webhookConfig(h.URL)+"  digest: '08:00'\n")
	w.stop()
	round := func() int {
		t.Helper()
		c, r := w.messenger.receiver("ops")
		if _, err := w.messenger.round(t.Context(), w.projects, c, r); err != nil {
			t.Fatal(err)
		}
		return len(h.requests())
	}
	day := w.now.UTC().Truncate(24 * time.Hour)
	w.now = day.Add(9 * time.Hour)
	w.php("web", 600, 400)
	w.look()
	w.php("shop", 900, 100)
	w.look()
	if n := round(); n != 0 {
		t.Fatalf("%d messages before the time", n)
	}
	w.now = day.Add(32*time.Hour + time.Minute)
	w.php("web", 600, 400)
	w.php("late", 500, 500)
	w.php("shop", 0, 1000)
	w.look() // the finding of shop is gone
	for range 3 {
		round()
	}
	all := h.messages(t)
	if len(all) != 1 || all[0].Kind != KindDigest || len(all[0].Items) != 1 || all[0].Items[0].Service != "web" {
		t.Fatalf("got %+v", all)
	}
	w.now = day.Add(56*time.Hour + time.Minute)
	w.php("late", 500, 500)
	w.php("shop", 900, 100)
	w.look()
	for range 3 {
		round()
	}
	// shop was never told, so it is new, but not before the next digest.
	if all = h.messages(t); len(all) != 2 || len(all[1].Items) != 1 || all[1].Items[0].Service != "late" || all[1].ID == all[0].ID {
		t.Fatalf("got %+v", all)
	}
}

func TestManyAtOnceAreOneMessage(t *testing.T) {
	h := newHook(t)
	w := newWorld(t, webhookConfig(h.URL))
	for i := range burst + 1 {
		w.php("web-"+strconv.Itoa(i), 600, 400)
	}
	w.look()
	w.settle()
	w.now = w.now.Add(time.Minute)
	w.look()
	w.settle()
	if all := h.messages(t); len(all) != 1 || all[0].Kind != KindSummary || len(all[0].Items) != burst+1 || all[0].Link != "https://whyhot.example.org/findings" {
		t.Fatalf("got %+v", all)
	}
}

// What stood before a receiver was there is one message, and not called new.
func TestANewReceiverIsToldWhatStands(t *testing.T) {
	first, second := newHook(t), newHook(t)
	w := newWorld(t, webhookConfig(first.URL))
	w.php("web", 600, 400)
	w.look()
	w.now = w.now.Add(time.Minute)
	w.configure(webhookConfig(first.URL) + "- name: two\n  webhook: {url: '" + second.URL + "', secret_file: SECRET}\n  min_share: 0.3\n")
	w.php("shop", 100, 900)
	w.php("api", 500, 500)
	w.look()
	w.settle()
	all := second.messages(t)
	if len(all) != 2 {
		t.Fatalf("got %+v", all)
	}
	if all[0].Kind == KindFinding {
		slices.Reverse(all)
	}
	if all[0].Items[0].Why != WhyKnown || all[0].Items[0].Service != "web" || all[1].Items[0].Why != WhyNew || all[1].Items[0].Service != "api" {
		t.Errorf("got %+v", all)
	}
	if n := len(first.messages(t)); n != 3 {
		t.Errorf("the first receiver got %d", n)
	}
}

func TestSlackText(t *testing.T) {
	h := newHook(t)
	w := newWorld(t, "page: https://whyhot.example.org\nreceivers:\n- name: chat\n  slack: {url: '"+h.URL+"'}\n")
	w.php("a<b>&c", 600, 400)
	w.look()
	w.settle()
	var got map[string]string
	if err := json.Unmarshal(h.requests()[0].body, &got); err != nil {
		t.Fatal(err)
	}
	text := got["text"]
	for _, want := range []string{"*New: ", " in a&lt;b&gt;&amp;c (", "60.0% ± ", "<https://whyhot.example.org/findings?findings.open=", "|show it>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

// post box is a real SMTP server.
type postBox struct {
	mu  sync.Mutex
	got []string
	to  []string
	// open says that some message came over a connection without TLS.
	open bool
}

func (b *postBox) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &postman{box: b, conn: c}, nil
}

type postman struct {
	box  *postBox
	conn *smtp.Conn
	to   []string
}

func (*postman) Reset()        {}
func (*postman) Logout() error { return nil }

func (*postman) Mail(string, *smtp.MailOptions) error { return nil }

func (p *postman) Rcpt(to string, _ *smtp.RcptOptions) error {
	p.to = append(p.to, to)
	return nil
}

func (p *postman) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	p.box.mu.Lock()
	defer p.box.mu.Unlock()
	if _, encrypted := p.conn.TLSConnectionState(); !encrypted {
		p.box.open = true
	}
	p.box.got, p.box.to = append(p.box.got, string(data)), append(p.box.to, p.to...)
	return err
}

func TestEmail(t *testing.T) {
	box := &postBox{}
	server := smtp.NewServer(box)
	server.Domain = "localhost"
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	mailTo := func(security string) string {
		return "page: https://whyhot.example.org\nreceivers:\n- name: mail\n  email: {server: '" + l.Addr().String() +
			"', tls: " + security + ", from: 'whyhot <whyhot@example.org>', to: [a@example.org, b@example.org]}\n"
	}
	w := newWorld(t, mailTo("none"))
	w.php("größe", 600, 400)
	w.look()
	w.settle()
	if len(box.got) != 1 || !slices.Equal(box.to, []string{"a@example.org", "b@example.org"}) {
		t.Fatalf("got %q to %q", box.got, box.to)
	}
	m, err := mail.ReadMessage(strings.NewReader(box.got[0]))
	if err != nil {
		t.Fatal(err)
	}
	if id := m.Header.Get("Message-Id"); !strings.HasPrefix(id, "<msg_") || !strings.HasSuffix(id, "@example.org>") || m.Header.Get("Auto-Submitted") != "auto-generated" {
		t.Errorf("header %v", m.Header)
	}
	if subject := m.Header.Get("Subject"); !strings.HasPrefix(subject, "=?UTF-8?") {
		t.Errorf("subject %q", subject)
	}
	body, _ := io.ReadAll(m.Body)
	if !strings.Contains(strings.ReplaceAll(string(body), "=\r\n", ""), "https://whyhot.example.org/findings?findings.open=3D") {
		t.Errorf("body %s", body)
	}
	// What is to be encrypted is not sent in the open.
	w.configure(mailTo("starttls"))
	w.php("shop", 600, 400)
	w.look()
	until(t, "a failure", func() bool { return w.messenger.count("mail").failed.Load() > 0 })
	if len(box.got) != 1 {
		t.Error("sent without encryption")
	}
	// Down and up again: it arrives.
	w.configure(mailTo("none"))
	w.look()
	w.settle()
	if len(box.got) != 2 {
		t.Errorf("%d messages", len(box.got))
	}
}

// certificate makes one for 127.0.0.1 that nobody has signed, and writes it to a file.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// TestEmailEncrypted: by STARTTLS and by TLS from the start, with a server whose
// certificate is trusted, and not with one whose is not.
func TestEmailEncrypted(t *testing.T) {
	for _, security := range []string{tlsStart, tlsWhole} {
		t.Run(security, func(t *testing.T) {
			box := &postBox{}
			pair, ca := certificate(t)
			server := smtp.NewServer(box)
			server.Domain = "localhost"
			server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
			l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			serving := l
			if security == tlsWhole {
				serving = tls.NewListener(l, server.TLSConfig)
			}
			go func() { _ = server.Serve(serving) }()
			t.Cleanup(func() { _ = server.Close() })
			mailTo := func(more string) string {
				return "page: https://whyhot.example.org\nreceivers:\n- name: mail\n  email: {server: '" + l.Addr().String() +
					"', tls: " + security + more + ", from: 'whyhot <whyhot@example.org>', to: [a@example.org]}\n"
			}
			w := newWorld(t, mailTo(""))
			w.php("web", 600, 400)
			w.look()
			until(t, "a failure", func() bool { return w.messenger.count("mail").failed.Load() > 0 })
			if len(box.got) != 0 {
				t.Error("sent to a server whose certificate nobody trusts")
			}
			w.configure(mailTo(", ca: " + ca))
			w.look()
			w.settle()
			if len(box.got) != 1 {
				t.Errorf("%d messages", len(box.got))
			}
			box.mu.Lock()
			defer box.mu.Unlock()
			if box.open {
				t.Error("the message came in the open")
			}
		})
	}
}

// An alert is told when it begins to fire and when it ends, once each, to those that it names,
// and its message leads to what was measured.
func TestAlerts(t *testing.T) {
	h, other := newHook(t), newHook(t)
	config := webhookConfig(h.URL) + "- name: other\n  webhook: {url: '" + other.URL + "', secret_file: SECRET}\n" +
		"alerts:\n- {name: serialize, services: [shop], function: 'php_var_.*', share_above: 0.5, over: 10m, receivers: [ops]}\nmute:\n- {rule: php-serialize}\n"
	w := newWorld(t, config)
	w.php("shop", 6000, 4000)
	w.look()
	w.settle()
	w.now = w.now.Add(5 * time.Minute)
	w.look()
	w.settle()
	w.now = w.now.Add(15 * time.Minute)
	w.php("shop", 1000, 9000)
	w.look()
	w.settle()
	all := h.messages(t)
	if len(all) != 2 || len(other.requests()) != 0 {
		t.Fatalf("%d messages and %d to the other: %+v", len(all), len(other.requests()), all)
	}
	m, i := all[0], all[0].Items[0]
	if m.Kind != KindAlert || i.Why != WhyFiring || i.Service != "shop" || i.Finding != "alert-serialize" || i.Now.Share != 0.6 || i.Now.Cores == 0 || i.Limit != "share above 50%" || i.Certainty != "" {
		t.Errorf("%+v", m)
	}
	if !strings.HasPrefix(i.Link, "https://whyhot.example.org/top?") || !strings.Contains(i.Link, "service=shop") || !strings.Contains(i.Link, "q=php_var_") || !strings.HasPrefix(i.Command, "whyhot top --from https://whyhot.example.org --since ") {
		t.Errorf("%s\n%s", i.Link, i.Command)
	}
	if got := subject(&m); !strings.HasPrefix(got, "Firing: serialize in shop (") {
		t.Error(got)
	}
	if c, err := Load(w.file); err != nil || !strings.Contains(plain(c, &m), "60.0% ± 1.0 of the CPU of shop") || !strings.Contains(plain(c, &m), "share above 50%") {
		t.Errorf("%v\n%s", err, plain(c, &m))
	}
	if last := all[1].Items[0]; last.Why != WhyEnded || last.Now.Share != 0.1 {
		t.Errorf("%+v", last)
	}
	w.configure(strings.Replace(config, "- {rule: php-serialize}", "- {rule: alert}", 1))
	w.now = w.now.Add(15 * time.Minute)
	w.php("shop", 6000, 4000)
	w.look()
	w.settle()
	if got := h.messages(t); slices.ContainsFunc(got[2:], func(m Message) bool { return m.Kind == KindAlert }) {
		t.Errorf("a muted alert was told: %+v", got)
	}
}
