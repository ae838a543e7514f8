package signin

import (
	"os"
	"slices"
	"strings"
	"time"

	"whyhot/internal/server/access"
	"whyhot/internal/server/access/session"
)

// rights are what the rules give to a person.
func rights(rules []Rule, p *session.Person) []access.Right {
	var out []access.Right
	for i := range rules {
		r := &rules[i]
		if !r.is(p) {
			continue
		}
		scopes, err := access.ParseScopes(strings.Join(r.Scopes, ","))
		if err != nil {
			continue // checked when the file was read
		}
		for _, project := range r.Projects {
			out = append(out, access.Right{Project: project, Scopes: scopes})
		}
	}
	return out
}

func (r *Rule) is(p *session.Person) bool {
	if slices.ContainsFunc(r.Groups, func(g string) bool { return slices.Contains(p.Groups, g) }) {
		return true
	}
	return p.Email != "" && slices.ContainsFunc(r.Emails, func(e string) bool {
		if domain, ok := strings.CutPrefix(e, "*@"); ok {
			at := strings.LastIndexByte(p.Email, '@')
			return at > 0 && strings.EqualFold(p.Email[at+1:], domain)
		}
		return strings.EqualFold(e, p.Email)
	})
}

// named are those of a person's groups that a rule names: the others would only fill the cookie.
func named(rules []Rule, groups []string) []string {
	var out []string
	for i := range rules {
		for _, g := range rules[i].Groups {
			if slices.Contains(groups, g) && !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// lookAgain is how often it is looked whether the file has changed.
const lookAgain = time.Second

// rules are those of the file as it is now: who is taken out of it is out at once. Where it
// cannot be read, those of before stay.
func (s *SignIn) rules() []Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if now.Sub(s.looked) < lookAgain {
		return s.access
	}
	s.looked = now
	info, err := os.Stat(s.o.File)
	if err != nil || info.ModTime().Equal(s.changed) {
		return s.access
	}
	c, err := Load(s.o.File)
	if err != nil {
		// It may be readable in a moment, as the same file: it is tried again, and said once.
		if !info.ModTime().Equal(s.wrong) {
			s.wrong = info.ModTime()
			s.o.Log.Error("the changed sign-in file is wrong; the rules of before stay in effect", "error", err)
		}
		return s.access
	}
	s.access, s.changed = c.Access, c.changed
	s.o.Log.Info("the access rules of the sign-in file were read again")
	return s.access
}

// judge ends the tokens that a person made and has not the rights for any more. It is for somebody
// who signs in now: an older session has the groups of its time, and of those only the ones that
// the rules named then. Of a person of another issuer, as before the file was changed, nothing
// is known.
func (s *SignIn) judge(p *session.Person) {
	if s.o.EndBeyond != nil && p.Issuer == s.c.Issuer {
		s.o.EndBeyond(access.Grant{Token: p.Key(), Person: p.Called(), Rights: s.Rights(p)})
	}
}

// Rights are what a person may do now; none where the session is of another issuer.
func (s *SignIn) Rights(p *session.Person) []access.Right {
	if p.Issuer != s.c.Issuer {
		return nil
	}
	return rights(s.rules(), p)
}
