// Package statement is the record of a trial that others can check: an in-toto
// statement about two trees, in a signed envelope (DSSE).
//
// It owns the form of the statement, the user's key and the signature. It takes what a
// trial came to and gives a file; of a file it gives the statement, if its signature is
// right. It must never run a trial.
package statement

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/trial"
)

// The types, by in-toto's rules.
const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "urn:whyhot:trial:v1"
	payloadType   = "application/vnd.in-toto+json"
)

// Statement says what a trial of a change came to.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     Trial     `json:"predicate"`
}

// Subject is a tree, by its hash.
type Subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// The names of subjects.
const (
	Changed  = "tree"
	Baseline = "baseline"
)

// Trial is how the trees were compared, and with what result.
type Trial struct {
	Verdict  string            `json:"verdict"`
	Ratio    *finding.Interval `json:"ratio,omitempty"`
	Heldout  *finding.Interval `json:"heldout_ratio,omitempty"`
	Says     string            `json:"says"`
	Missing  []string          `json:"missing,omitempty"`
	Changed  []string          `json:"changed,omitempty"`
	Build    string            `json:"build,omitempty"`
	Test     string            `json:"test,omitempty"`
	Workload string            `json:"workload"`
	// Unknown are hashes of the held-out workloads, which are not told.
	Unknown []string      `json:"heldout_sha256,omitempty"`
	Preload []string      `json:"preload,omitempty"`
	Env     []string      `json:"env,omitempty"`
	Harness []string      `json:"harness,omitempty"`
	Outputs []trial.Print `json:"outputs,omitempty"` // of the changed program on the workload
	Rounds  int           `json:"rounds"`
	Seed    uint64        `json:"seed"`
	Level   float64       `json:"level"`
	Machine trial.Machine `json:"machine"`
	Time    time.Time     `json:"time"`
	Whyhot  string        `json:"whyhot"` // its version
}

// New makes a statement about two trees.
func New(baseline, changed string, t Trial) Statement {
	digest := func(sum string) map[string]string { return map[string]string{"sha256": sum} }
	return Statement{
		Type: statementType, PredicateType: predicateType, Predicate: t,
		Subject: []Subject{{Changed, digest(changed)}, {Baseline, digest(baseline)}},
	}
}

// Hash is how a held-out workload is named.
func Hash(workload string) string {
	h := sha256.Sum256([]byte(workload))
	return hex.EncodeToString(h[:])
}

// Tree is the hash of a subject, "" where it has none of that name.
func (s *Statement) Tree(name string) string {
	for _, sub := range s.Subject {
		if sub.Name == name {
			return sub.Digest["sha256"]
		}
	}
	return ""
}

// envelope is DSSE's.
type envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"`
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID string `json:"keyid"`
	Sig   string `json:"sig"`
}

// signed is what DSSE has signed of a payload.
func signed(payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
}

// Write signs a statement and writes it to path.
func Write(path string, s Statement, key ed25519.PrivateKey) error {
	payload, err := json.Marshal(s)
	if err != nil {
		return err
	}
	e := envelope{
		PayloadType: payloadType, Payload: base64.StdEncoding.EncodeToString(payload),
		Signatures: []signature{{
			KeyID: KeyID(key.Public().(ed25519.PublicKey)), //nolint:errcheck,forcetypeassert // it is one by its documentation
			Sig:   base64.StdEncoding.EncodeToString(ed25519.Sign(key, signed(payload))),
		}},
	}
	data, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		return err
	}
	return wholefile.Write(path, 0o644, wholefile.Bytes(append(data, '\n')))
}

// Read gives the statement in a file whose signature is of one of the keys.
func Read(path string, keys ...ed25519.PublicKey) (Statement, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Statement{}, err
	}
	s, err := open(data, keys)
	if err != nil {
		return Statement{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func open(data []byte, keys []ed25519.PublicKey) (s Statement, err error) {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil {
		return s, fmt.Errorf("not a signed statement: %w", err)
	}
	payload, err := base64.StdEncoding.DecodeString(e.Payload)
	if err != nil || e.PayloadType != payloadType {
		return s, errors.New("not a signed statement of in-toto")
	}
	if err := verify(payload, e.Signatures, keys); err != nil {
		return s, err
	}
	if err := json.Unmarshal(payload, &s); err != nil {
		return s, fmt.Errorf("the statement: %w", err)
	}
	if s.Type != statementType || s.PredicateType != predicateType {
		return s, fmt.Errorf("a statement of type %q about %q, which is not a trial of whyhot", s.Type, s.PredicateType)
	}
	return s, nil
}

func verify(payload []byte, signatures []signature, keys []ed25519.PublicKey) error {
	ids := ""
	for _, sig := range signatures {
		ids += " " + sig.KeyID
		raw, err := base64.StdEncoding.DecodeString(sig.Sig)
		if err != nil {
			continue
		}
		for _, key := range keys {
			if len(key) == ed25519.PublicKeySize && KeyID(key) == sig.KeyID {
				if ed25519.Verify(key, signed(payload), raw) {
					return nil
				}
				return fmt.Errorf("the signature by %s is wrong: the file was changed after it was signed", sig.KeyID)
			}
		}
	}
	if ids == "" {
		return errors.New("it is not signed")
	}
	return fmt.Errorf("signed by another key:%s; name the public key of its author with --key FILE", ids)
}
