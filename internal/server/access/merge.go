package access

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// Merge adds tokens that other servers have to those of a data directory, and ends those that
// were revoked there. What was revoked stays so. It says how many changed.
func Merge(dir string, others []Token) (changed int, err error) {
	mine, err := List(dir)
	if err != nil {
		return 0, err
	}
	if _, changed = merged(mine, others); changed == 0 {
		return 0, nil // the file is not written for nothing
	}
	err = change(dir, func(f *file) error {
		if f.Tokens, changed = merged(f.Tokens, others); len(f.Tokens) > maxTokens {
			return fmt.Errorf("all servers have %d tokens together; %d are the most", len(f.Tokens), maxTokens)
		}
		return nil
	})
	return changed, err
}

func merged(mine, others []Token) (all []Token, changed int) {
	all = slices.Clone(mine)
	at := make(map[string]int, len(all))
	for i := range all {
		at[all[i].SHA256] = i
	}
	for i := range others {
		o := &others[i]
		place, there := at[o.SHA256]
		switch {
		case !there:
			at[o.SHA256] = len(all)
			all = append(all, *o)
			changed++
		case !o.Revoked.IsZero() && (all[place].Revoked.IsZero() || o.Revoked.Before(all[place].Revoked)):
			all[place].Revoked = o.Revoked
			changed++
		}
	}
	return all, changed
}

// Check says what is wrong with a token that came from elsewhere.
func (t *Token) Check() error {
	if bits, err := hex.DecodeString(t.SHA256); err != nil || len(bits) != sha256.Size || t.ID != t.SHA256[:idDigits] {
		return errors.New("a token without a hash")
	}
	if err := CheckProject(t.Project); err != nil {
		return err
	}
	if len(t.Scopes) == 0 || slices.ContainsFunc(t.Scopes, func(s Scope) bool { return !slices.Contains(Scopes(), s) }) {
		return errors.New("a token with other scopes than there are")
	}
	return nil
}
