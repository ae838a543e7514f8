// Command build bundles the pages: TypeScript and CSS from web/src into the files that
// internal/report/html and internal/server/page embed. It uses esbuild as a library, so
// that building whyhot needs no Node. The page of the server takes libraries from
// web/node_modules (npm ci).
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"whyhot/internal/host/wholefile"
)

// page is what one of the pages is made of: where each file begins, below the sources.
type page struct {
	entries map[string]string // by the name of the output without its ending
	as      map[string]string // files that are taken as they are, by name
}

var pages = map[string]page{
	"report": {entries: map[string]string{"page.js": "main.ts", "page.css": "style/page.css"}},
	"fleet": {
		entries: map[string]string{
			"fleet.js": "fleet/main.tsx", "fleet.css": "fleet/style/fleet.css", "worker.js": "fleet/parts/graph/worker.ts",
		},
		as: map[string]string{"index.html": "fleet/index.html"},
	},
}

func main() {
	name := flag.String("page", "report", "which page: report, which stands alone, or fleet, which the server has")
	src := flag.String("src", "src", "folder of the sources")
	out := flag.String("out", "dist", "folder for what is built")
	flag.Parse()
	if err := run(*name, *src, *out); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n", err)
		os.Exit(1)
	}
}

func run(name, src, out string) error {
	p, ok := pages[name]
	if !ok {
		return fmt.Errorf("no page %q: report or fleet", name)
	}
	files, err := bundle(p, src)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("making the output folder: %w", err)
	}
	for name, text := range files {
		if err := wholefile.Write(filepath.Join(out, name), 0o644, wholefile.Bytes(text)); err != nil {
			return fmt.Errorf("writing the bundle: %w", err)
		}
	}
	return nil
}

// bundle returns the files of a page by name.
func bundle(p page, src string) (map[string][]byte, error) {
	root, err := filepath.Abs(src)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", src, err)
	}
	var entries []api.EntryPoint
	for to, from := range p.entries {
		entries = append(entries, api.EntryPoint{
			InputPath: filepath.Join(root, filepath.FromSlash(from)), OutputPath: strings.TrimSuffix(to, filepath.Ext(to)),
		})
	}
	result := api.Build(api.BuildOptions{
		EntryPointsAdvanced: entries,
		AbsWorkingDir:       root,
		Outdir:              root,
		Bundle:              true,
		Write:               false,
		Format:              api.FormatIIFE,
		Target:              api.ES2022,
		JSX:                 api.JSXAutomatic,
		JSXImportSource:     "preact",
		MinifyWhitespace:    true,
		MinifyIdentifiers:   true,
		MinifySyntax:        true,
		Charset:             api.CharsetUTF8,
		LegalComments:       api.LegalCommentsNone,
		LogLevel:            api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		lines := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, errors.New(strings.Join(lines, "\n"))
	}
	files := map[string][]byte{}
	for _, f := range result.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	for name, from := range p.as {
		if files[name], err = os.ReadFile(filepath.Join(root, filepath.FromSlash(from))); err != nil {
			return nil, fmt.Errorf("reading a file of the page: %w", err)
		}
	}
	return files, nil
}
