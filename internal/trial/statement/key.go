package statement

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"whyhot/internal/host/wholefile"
)

// The blocks of PEM files (RFC 7468, PKCS #8).
const (
	privateBlock = "PRIVATE KEY"
	publicBlock  = "PUBLIC KEY"
)

// KeyDir is where the user's key is, in the user's configuration directory.
func KeyDir() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no place for the key that signs trials: %w", err)
	}
	return filepath.Join(dir, "whyhot"), nil
}

func privatePath(dir string) string { return filepath.Join(dir, "trial.key") }

// PublicPath is the file of the public key, to be given to others.
func PublicPath(dir string) string { return filepath.Join(dir, "trial.pub") }

// KeyID names a public key.
func KeyID(key ed25519.PublicKey) string {
	h := sha256.Sum256(key)
	return hex.EncodeToString(h[:8])
}

// Key gives the key in a directory, and makes one where there is none.
func Key(dir string) (ed25519.PrivateKey, error) {
	data, err := os.ReadFile(privatePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return newKey(dir)
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil || block.Type != privateBlock {
		return nil, fmt.Errorf("%s: not a private key in PEM; remove it, and a new one is made", privatePath(dir))
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if own, ok := key.(ed25519.PrivateKey); err == nil && ok {
		return own, nil
	}
	return nil, fmt.Errorf("%s: not an ed25519 key", privatePath(dir))
}

func newKey(dir string) (ed25519.PrivateKey, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, err
	}
	open, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, err
	}
	if err := wholefile.Write(privatePath(dir), 0o600, wholefile.Bytes(pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: secret}))); err != nil {
		return nil, err
	}
	return private, wholefile.Write(PublicPath(dir), 0o644, wholefile.Bytes(pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: open})))
}

// PublicKey reads a public key.
func PublicKey(path string) (ed25519.PublicKey, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if block, _ := pem.Decode(data); block != nil && block.Type == publicBlock {
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if own, ok := key.(ed25519.PublicKey); err == nil && ok {
			return own, nil
		}
	}
	return nil, fmt.Errorf("%s: not an ed25519 public key in PEM", path)
}
