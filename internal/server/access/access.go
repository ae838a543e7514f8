// Package access decides who may do what to which project.
//
// It owns the file of tokens and the names of projects and scopes. It takes the
// secret that a request carries and gives a Grant, or an error that says what is
// missing. It must never know a protocol: its callers find the secret in a request and
// turn errors into statuses.
//
// Tokens. A token is 256 random bits, belongs to one project and has scopes. The file
// keeps its SHA-256: no slow hash is needed, since nobody can guess 256 bits. The file
// is read again when it changes, so that what the command line does takes effect in a
// running server.
//
// Without tokens. A directory that never had a token is open: everybody who reaches the
// listener may do everything, which is why only a loopback listener serves it. Revoked
// tokens stay in the file, so that revoking the last one closes the directory and does
// not open it; a file that cannot be read closes it, too.
package access

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Scope is what a token may be used for.
type Scope string

// The scopes. None includes another.
const (
	Send       Scope = "send"       // profiles, debug information, results of trials
	Read       Scope = "read"       // everything that is asked
	Metrics    Scope = "metrics"    // the server's own numbers, for a scraper
	Administer Scope = "administer" // compaction, prices, tokens
)

// Scopes lists all there are.
func Scopes() []Scope { return []Scope{Send, Read, Metrics, Administer} }

// ParseScopes reads scopes separated by commas.
func ParseScopes(text string) ([]Scope, error) {
	var out []Scope
	for word := range strings.SplitSeq(text, ",") {
		s := Scope(strings.TrimSpace(word))
		if !slices.Contains(Scopes(), s) {
			return nil, fmt.Errorf("scope %q: must be send, read, metrics or administer, several separated by commas", word)
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// DefaultProject is the one that exists without anybody making it.
const DefaultProject = "default"

var projectName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

// CheckProject refuses what is no name of a project. A name is also that of a
// directory.
func CheckProject(name string) error {
	if !projectName.MatchString(name) {
		return fmt.Errorf("%w: %q; one is 1 to 40 of a-z, 0-9 and -", ErrProject, name)
	}
	return nil
}

// Grant is what a request may do.
type Grant struct {
	Token   string // the token's ID, "" where the directory is open
	Project string // the token's project, "" for any
	Scopes  []Scope
}

// Open tells whether the grant is that of a directory without tokens.
func (g Grant) Open() bool { return g.Token == "" }

// Who names the grant in logs.
func (g Grant) Who() string {
	if g.Open() {
		return "anybody"
	}
	return g.Token
}

// Errors of Authenticate and Authorize.
var (
	// ErrNoToken says that a token is needed and none was given.
	ErrNoToken = errors.New("a token is needed")
	// ErrWrongToken says that the token is unknown, revoked or expired. Which of them
	// is nobody's business who does not have it.
	ErrWrongToken = errors.New("the token is not valid")
	// ErrProject says that a text is no name of a project.
	ErrProject = errors.New("no name of a project")
	// ErrOpen says that something needs tokens, and the directory has none.
	ErrOpen = errors.New("this server has no tokens yet")
	// ErrForbidden says that the token is not for this.
	ErrForbidden = errors.New("the token does not allow this")
)

// Authorize gives the project that a request is about: the one that it names, else the
// grant's own, else the default.
func (g Grant) Authorize(scope Scope, project string) (string, error) {
	switch {
	case !slices.Contains(g.Scopes, scope):
		return "", fmt.Errorf("%w: it needs the scope %s", ErrForbidden, scope)
	case project == "" && g.Project == "":
		return DefaultProject, nil
	case project == "":
		return g.Project, nil
	case g.Project != "" && g.Project != project:
		return "", fmt.Errorf("%w: it is for another project", ErrForbidden)
	}
	return project, CheckProject(project)
}
