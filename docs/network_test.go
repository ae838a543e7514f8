package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// connecting are what opens a connection to somebody else, by the path of the package; a
// star is anything of it. What a package of ours calls on a connection that it was given
// is not among them.
var connecting = map[string][]string{
	"net":                                    {"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialUnix", "DialIP", "Dialer"},
	"net/http":                               {"Client", "Get", "Post", "PostForm", "Head", "DefaultClient", "DefaultTransport", "Transport"},
	"net/smtp":                               {"*"},
	"net/rpc":                                {"*"},
	"crypto/tls":                             {"Dial", "DialWithDialer", "Dialer"},
	"google.golang.org/grpc":                 {"NewClient", "Dial", "DialContext"},
	"github.com/wneessen/go-mail":            {"NewClient"},
	"github.com/ClickHouse/ch-go":            {"Dial"},
	"github.com/ClickHouse/ch-go/chpool":     {"New", "Dial"},
	"github.com/ClickHouse/clickhouse-go/v2": {"Open", "OpenDB"},
	"github.com/google/go-containerregistry/pkg/v1/remote": {"Get", "Head", "Image", "Index", "List", "Catalog"},
}

// opened are the packages of ours that open connections.
func openConnections(t *testing.T, top string) []string {
	t.Helper()
	var out []string
	for _, below := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(top, below), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if connects(file) {
				dir, err := filepath.Rel(top, filepath.Dir(path))
				if err != nil {
					return err
				}
				out = append(out, filepath.ToSlash(dir))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func connects(file *ast.File) bool {
	wanted := map[string][]string{} // by the name that the file has for the package
	for _, i := range file.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		names := connecting[path]
		if names == nil {
			continue
		}
		name := regexp.MustCompile(`/v\d+$`).ReplaceAllString(path, "")
		name = strings.TrimSuffix(strings.TrimPrefix(name[strings.LastIndex(name, "/")+1:], "go-"), "-go")
		if i.Name != nil {
			name = i.Name.Name
		}
		wanted[name] = names
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := s.X.(*ast.Ident); ok {
			names := wanted[of.Name]
			found = found || slices.Contains(names, s.Sel.Name) || slices.Contains(names, "*")
		}
		return true
	})
	return found
}

// The page of connections has every package that opens one, and no other.
func TestConnectionsAreListed(t *testing.T) {
	_, table, ok := strings.Cut(textOf(t, "guide/network.md"), "## Connections that whyhot opens")
	if !ok {
		t.Fatal("network.md has no such section")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	var named []string
	for _, m := range regexp.MustCompile("`((?:internal|cmd)/[a-z0-9/-]+)`").FindAllStringSubmatch(table, -1) {
		named = append(named, m[1])
	}
	slices.Sort(named)
	for _, dir := range openConnections(t, "..") {
		i, there := slices.BinarySearch(named, dir)
		if !there {
			t.Errorf("network.md does not say that %s opens connections", dir)
			continue
		}
		named = slices.Delete(named, i, i+1)
	}
	for _, dir := range named {
		t.Errorf("network.md says that %s opens connections: it does not", dir)
	}
}

func TestConnects(t *testing.T) {
	for text, want := range map[string]bool{
		"package a\nimport \"net\"\nvar _ = net.Dialer{}":                      true,
		"package a\nimport web \"net/http\"\nvar _ = &web.Client{}":            true,
		"package a\nimport \"google.golang.org/grpc\"\nvar _ = grpc.NewClient": true,
		"package a\nimport \"net/smtp\"\nvar _ = smtp.SendMail":                true,
		"package a\nimport \"net\"\nvar _ net.Listener":                        false,
		"package a\nimport \"net/http\"\nvar _ = http.StatusOK":                false,
		"package a\nimport \"github.com/ClickHouse/ch-go\"\nvar _ = ch.Dial":   true,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if connects(file) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}
