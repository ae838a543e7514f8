// Command build bundles the page: TypeScript and CSS from web/src into the two
// files that internal/report/html embeds. It uses esbuild as a library, so that
// building whyhot needs no Node.
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

func main() {
	src := flag.String("src", "src", "folder with main.ts and style/page.css")
	out := flag.String("out", "dist", "folder for page.js and page.css")
	flag.Parse()
	if err := run(*src, *out); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n", err)
		os.Exit(1)
	}
}

func run(src, out string) error {
	files, err := bundle(src)
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

// bundle returns page.js and page.css.
func bundle(src string) (map[string][]byte, error) {
	root, err := filepath.Abs(src)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", src, err)
	}
	result := api.Build(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{
			{InputPath: filepath.Join(root, "main.ts"), OutputPath: "page"},
			{InputPath: filepath.Join(root, "style", "page.css"), OutputPath: "page"},
		},
		AbsWorkingDir:     root,
		Outdir:            root,
		Bundle:            true,
		Write:             false,
		Format:            api.FormatIIFE,
		Target:            api.ES2022,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone,
		LogLevel:          api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		lines := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, errors.New(strings.Join(lines, "\n"))
	}
	files := map[string][]byte{}
	for _, f := range result.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	return files, nil
}
