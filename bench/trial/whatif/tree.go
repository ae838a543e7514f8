package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// makeTree puts the sources of a case, a Makefile and a compilation database
// together.
func makeTree(ctx context.Context, o options, c one, tree string) error {
	if err := os.MkdirAll(tree, 0o755); err != nil {
		return err
	}
	var from []string
	switch c.kind {
	case pattern:
		from = []string{filepath.Join(o.here, "patterns") + "/."}
	case exiv2:
		for _, part := range []string{"src", "include"} {
			from = append(from, filepath.Join(o.exiv2, part))
		}
		if err := copyTo(ctx, filepath.Join(tree, "xmpsdk"), filepath.Join(o.exiv2, "xmpsdk", "include")); err != nil {
			return err
		}
		if err := copyTo(ctx, filepath.Join(tree, "b"), filepath.Join(o.exiv2Build, "exv_conf.h"), filepath.Join(o.exiv2Build, "exiv2lib_export.h")); err != nil {
			return err
		}
	case zopfli:
		from = []string{filepath.Join(o.zopfli, "src")}
	}
	if c.kind != pattern {
		folder := map[kind]string{exiv2: "exiv2", zopfli: "zopfli"}[c.kind]
		from = append(from, filepath.Join(o.here, folder, c.driver+c.kind.extension()), filepath.Join(o.here, "patterns", "repeat.h"))
	}
	if err := copyTo(ctx, tree, from...); err != nil {
		return err
	}
	return describeBuild(c, tree)
}

func copyTo(ctx context.Context, dir string, from ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "cp", append(append([]string{"-rL"}, from...), dir)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cp: %w: %s", err, out)
	}
	return nil
}

func describeBuild(c one, tree string) error {
	type command struct {
		Directory string `json:"directory"`
		File      string `json:"file"`
		Command   string `json:"command"`
	}
	var rules, objects strings.Builder
	sources := append([]string{c.driver + c.kind.extension()}, c.kind.sources()...)
	database := make([]command, 0, len(sources))
	for _, source := range sources {
		object := strings.TrimSuffix(source, filepath.Ext(source)) + ".o"
		line := c.kind.compile() + " -c " + source + " -o " + object
		fmt.Fprintf(&rules, "%s: %s\n\t%s\n", object, source, line)
		fmt.Fprintf(&objects, " %s", object)
		database = append(database, command{tree, source, line})
	}
	text := fmt.Sprintf("%s:%s\n\t%s -o $@ $^ %s\n%s", c.driver, &objects, strings.TrimSuffix(c.kind.link(), " -lm"), libraries(c.kind), &rules)
	if err := os.WriteFile(filepath.Join(tree, "Makefile"), []byte(text), 0o600); err != nil {
		return err
	}
	out, err := json.Marshal(database)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(tree, "compile_commands.json"), out, 0o600)
}

func libraries(k kind) string {
	if k == zopfli {
		return "-lm"
	}
	return ""
}
