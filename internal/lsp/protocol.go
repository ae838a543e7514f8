package lsp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"unicode/utf16"
)

// The parts of the protocol that are used, with its names.

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type documentID struct {
	URI     string `json:"uri"`
	Version int    `json:"version,omitempty"`
}

type initializeParams struct {
	RootURI      string `json:"rootUri"`
	Capabilities struct {
		Window struct {
			WorkDoneProgress bool `json:"workDoneProgress"`
			ShowDocument     struct {
				Support bool `json:"support"`
			} `json:"showDocument"`
		} `json:"window"`
		Workspace struct {
			ApplyEdit bool `json:"applyEdit"`
			CodeLens  struct {
				Refresh bool `json:"refreshSupport"`
			} `json:"codeLens"`
		} `json:"workspace"`
	} `json:"capabilities"`
	Options struct {
		Off  bool `json:"off"`
		Lens bool `json:"lens"`
	} `json:"initializationOptions"`
}

type openParams struct {
	TextDocument struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	} `json:"textDocument"`
}

type changeParams struct {
	TextDocument   documentID `json:"textDocument"`
	ContentChanges []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
}

type documentParams struct {
	TextDocument documentID `json:"textDocument"`
}

type hoverParams struct {
	TextDocument documentID `json:"textDocument"`
	Position     position   `json:"position"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hoverResult struct {
	Contents markup    `json:"contents"`
	Range    textRange `json:"range"`
}

type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity"`
	Code     string    `json:"code,omitempty"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
}

const information = 3

type publishParams struct {
	URI         string       `json:"uri"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type actionParams struct {
	TextDocument documentID `json:"textDocument"`
	Range        textRange  `json:"range"`
	Context      struct {
		Only []string `json:"only"`
	} `json:"context"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

type codeAction struct {
	Title   string   `json:"title"`
	Kind    string   `json:"kind"`
	Command *command `json:"command"`
}

type codeLens struct {
	Range   textRange `json:"range"`
	Command command   `json:"command"`
}

type executeParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
	Token     json.RawMessage   `json:"workDoneToken"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type message struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}

// fileOf is the path of a document, an error for one that is no file.
func fileOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || !filepath.IsAbs(u.Path) {
		return "", fmt.Errorf("%q is not the address of a file", uri)
	}
	return filepath.Clean(u.Path), nil
}

func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// columns is the length of a line as the protocol counts it.
func columns(text string) int { return len(utf16.Encode([]rune(text))) }
