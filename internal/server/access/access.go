// Package access decides who may do what to which project.
//
// It owns the file of tokens and the names of projects and scopes. It takes the
// secret that a request carries and gives a Grant, or an error that says what is
// missing. Grants of people come from the packages session and signin below. It must never know a protocol: its callers find the secret in a request and
// turn errors into statuses.
//
// Tokens. A token is 256 random bits, belongs to one project and has scopes. The file
// keeps its SHA-256: no slow hash is needed, since nobody can guess 256 bits. The file
// is read again when it changes, so that what the command line does takes effect in a
// running server.
//
// Without tokens. A directory that never had a token is open, unless people sign in (Close):
// everybody who reaches the listener may do everything, which is why only a loopback listener
// serves it. Revoked
// tokens stay in the file, so that revoking the last one closes the directory and does
// not open it; a file that cannot be read closes it, too.
package access

import (
	"cmp"
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
	Token   string // the token's ID, "" where the directory is open; of a person what stands for it
	Project string // the token's project, "" for any
	Scopes  []Scope
	Person  string  // who signed in, for logs; "" for a token
	Rights  []Right // of a person, whose Project and Scopes are those that Within chose
}

// Any is the project of a Right that is for all of them.
const Any = "*"

// Right is what a person may do in one project, or in Any.
type Right struct {
	Project string
	Scopes  []Scope
}

// Open tells whether the grant is that of a directory without tokens.
func (g Grant) Open() bool { return g.Token == "" }

// Who names the grant in logs.
func (g Grant) Who() string {
	switch {
	case g.Open():
		return "anybody"
	case g.Person != "":
		return g.Person
	}
	return g.Token
}

// Within is the grant as it is in one project: a person's scopes differ from project to
// project, a token's are the same as before.
func (g Grant) Within(project string) Grant {
	if g.Person == "" {
		return g
	}
	g.Project, g.Scopes = project, nil
	for _, r := range g.Rights {
		if r.Project != project && r.Project != Any {
			continue
		}
		for _, s := range r.Scopes {
			if !slices.Contains(g.Scopes, s) {
				g.Scopes = append(g.Scopes, s)
			}
		}
	}
	return g
}

// Sees tells whether the grant allows anything in a project.
func (g Grant) Sees(project string) bool {
	if g.Person != "" {
		return len(g.Within(project).Scopes) > 0
	}
	return g.Project == "" || g.Project == project
}

// own is the project of a request that names none. It is the same for all scopes, so that what
// a person sees and what they change are of one project.
func (g Grant) own() string {
	if g.Person == "" {
		return cmp.Or(g.Project, DefaultProject)
	}
	least := ""
	for _, r := range g.Rights {
		switch {
		case len(r.Scopes) == 0:
		case r.Project == Any || r.Project == DefaultProject:
			return DefaultProject
		case least == "" || r.Project < least:
			least = r.Project
		}
	}
	return cmp.Or(least, DefaultProject)
}

// Errors of Authenticate and Authorize.
var (
	// ErrNoToken says that a token is needed and none was given.
	ErrNoToken = errors.New("a token is needed")
	// ErrWrongToken says that the token is unknown, revoked or expired. Which of them
	// is nobody's business who does not have it.
	ErrWrongToken = errors.New("the token is not valid")
	// ErrSessionEnded says that a browser's session is none, or none any more.
	ErrSessionEnded = errors.New("the session has ended")
	// ErrProject says that a text is no name of a project.
	ErrProject = errors.New("no name of a project")
	// ErrOpen says that something needs tokens, and the directory has none.
	ErrOpen = errors.New("this server has no tokens yet")
	// ErrForbidden says that the token is not for this.
	ErrForbidden = errors.New("the token does not allow this")
	// ErrNotAllowed is the same for somebody who signed in.
	ErrNotAllowed = errors.New("your account does not allow this")
)

// Unknown tells whether an error says that nobody knows who asks.
func Unknown(err error) bool {
	return errors.Is(err, ErrNoToken) || errors.Is(err, ErrWrongToken) || errors.Is(err, ErrSessionEnded)
}

// Authorize gives the project that a request is about: the one that it names, else the
// grant's own, else the default.
func (g Grant) Authorize(scope Scope, project string) (string, error) {
	if project == "" {
		project = g.own()
	} else if err := CheckProject(project); err != nil && (g.Person != "" || g.Project == "") {
		return "", err
	}
	switch {
	case !g.Sees(project):
		return "", fmt.Errorf("%w: it is for another project", g.forbidden())
	case !slices.Contains(g.Within(project).Scopes, scope):
		return "", fmt.Errorf("%w: it needs the scope %s", g.forbidden(), scope)
	}
	return project, nil
}

// forbidden says it in the words for a person or for a token.
func (g Grant) forbidden() error {
	if g.Person != "" {
		return ErrNotAllowed
	}
	return ErrForbidden
}
