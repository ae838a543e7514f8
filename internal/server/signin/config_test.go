package signin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/host/yamldoc/schematest"
)

const schemaFile = "../../../docs/signin.schema.json"

func TestTheSchemaIsWhatIsRead(t *testing.T) {
	s := schematest.Of(t, Config{}, "whyhot serve --sign-in", nil)
	schematest.Require(t, s, "", "issuer", "client_id", "redirect_url", "access")
	schematest.Require(t, s, "Rule", "projects", "scopes")
	schematest.Hold(t, s, schemaFile)
}

// The examples of the guide are files that both the schema and Load take.
func TestTheGuidesExamples(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, b := range schematest.Examples(t, "../../../docs/guide/sign-in.md", schemaFile) {
		file := filepath.Join(dir, "signin.yaml")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(b, "/etc/whyhot/oidc.secret", secret)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); err != nil {
			t.Errorf("%s\n%v", b, err)
		}
	}
}

func TestWrongFiles(t *testing.T) {
	const right = `issuer: https://login.example.org
client_id: whyhot
redirect_url: https://whyhot.example.org/auth/callback
access:
  - {groups: [perf], projects: ["*"], scopes: [read]}
`
	for _, c := range []struct{ from, to, want string }{
		{"", "", ""},
		{"https://login", "http://login", "must be https://"},
		{"https://login.example.org", "http://127.0.0.1:5556/dex", ""},
		{"issuer: https://login.example.org\n", "", "issuer"},
		{"client_id: whyhot\n", "", "client_id is missing"},
		{"https://whyhot.", "http://whyhot.", "must be https://"},
		{"/auth/callback", "/callback", "must be https://HOST/auth/callback"},
		{"client_id", "client_secret_file: /nowhere\nclient_id", "client_secret_file"},
		{"client_id", "client_secret_env: WHYHOT_NOT_SET\nclient_id", "WHYHOT_NOT_SET is not set"},
		{"client_id", "client_secret_env: A\nclient_secret_file: b\nclient_id", "not both"},
		{"client_id", "session: 90d\nclient_id", "session"},
		{"client_id", "session: 10s\nclient_id", "session"},
		{"client_id", "scopes: [email]\nclient_id", "openid must be"},
		{"client_id", "flavour: x\nclient_id", "flavour"},
		{"[perf]", `[""]`, "one is empty"},
		{"groups: [perf], ", "", "for nobody"},
		{"groups: [perf]", `emails: ["@example.org"]`, "emails"},
		{"groups: [perf]", `emails: ["a*@example.org"]`, "emails"},
		{"groups: [perf]", `emails: ["*@*"]`, "emails"},
		{"groups: [perf]", `emails: ["*@example.org"]`, ""},
		{`projects: ["*"]`, "projects: []", "projects is empty"},
		{`projects: ["*"]`, "projects: [A/b]", "no name of a project"},
		{"[read]", "[]", "scopes is empty"},
		{"[read]", "[root]", `scope "root"`},
		{"access:\n  - {groups: [perf], projects: [\"*\"], scopes: [read]}\n", "access: []\n", "access is empty"},
	} {
		file := filepath.Join(t.TempDir(), "signin.yaml")
		if err := os.WriteFile(file, []byte(strings.Replace(right, c.from, c.to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(file)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s → %s: %v", c.from, c.to, err)
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("issuer: https://a\nclient_id: b\nredirect_url: https://c/auth/callback\naccess: [{groups: [x], projects: [y], scopes: [read]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "signin.yaml")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := Load(file); err == nil && (c.ClientID == "" || len(c.Access) == 0 || c.lasts <= 0) {
			t.Errorf("%+v", c)
		}
	})
}
