package message

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"whyhot/internal/host/yamldoc/schematest"
)

const schemaFile = "../../../docs/messages.schema.json"

func TestTheSchemaIsWhatIsRead(t *testing.T) {
	s := schematest.Of(t, Config{}, "whyhot serve --messages", map[string]string{"whyhot/internal/finding/price": "../../finding/price", "whyhot/internal/server/alert": "../alert"})
	schematest.Require(t, s, "", "page", "receivers")
	schematest.Require(t, s, "Receiver", "name")
	schematest.Require(t, s, "Webhook", "url")
	schematest.Require(t, s, "Rule", "name")
	schematest.Require(t, s, "Email", "server", "from", "to")
	schematest.Enum(t, s, "Email", "tls", tlsStart, tlsWhole, tlsNone)
	schematest.Hold(t, s, schemaFile)
}

// The examples of the guide are files that both the schema and Load take.
func TestTheGuidesExamples(t *testing.T) {
	t.Setenv("WHYHOT_SLACK_URL", "https://hooks.example.org/T0")
	t.Setenv("WHYHOT_SMTP_PASSWORD", "x")
	dir := t.TempDir()
	for _, b := range schematest.Examples(t, "../../../docs/guide/messages.md", schemaFile) {
		secret := dir + "/secret"
		if err := os.WriteFile(secret, []byte(strings.Repeat("s", 32)), 0o600); err != nil {
			t.Fatal(err)
		}
		file := dir + "/messages.yaml"
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(b, "/etc/whyhot/hook.secret", secret)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); err != nil {
			t.Error(err)
		}
	}
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(map[string]any{"page": "https://x", "receivers": []any{map[string]any{"nam": "x"}}}); err == nil {
		t.Error("the schema takes what is wrong")
	}
}
