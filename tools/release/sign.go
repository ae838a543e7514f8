package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"aead.dev/minisign"
)

const sumsFile = "SHA256SUMS"

// writeSums writes the checksums of all files and, with a key, the signature of that
// list as minisign makes it. The key comes from outside; none is made here.
func (r *release) writeSums(key string) error {
	text, err := sums(r.out)
	if err != nil {
		return err
	}
	path := filepath.Join(r.out, sumsFile)
	if err := os.WriteFile(path, text, 0o644); err != nil { //nolint:gosec // for everybody
		return err
	}
	if key == "" {
		fmt.Println("release: not signed: no key was given (WHYHOT_RELEASE_KEY)")
		return nil
	}
	private, err := readKey(key, os.Getenv("WHYHOT_RELEASE_PASSWORD"))
	if err != nil {
		return err
	}
	// The comment is signed, too. It has the commit's time, so that the same commit and
	// key give the same signature.
	trusted := fmt.Sprintf("timestamp:%d\tfile:%s\twhyhot %s", r.time.Unix(), sumsFile, r.version)
	signature := minisign.SignWithComments(private, text, trusted, "signature of whyhot "+r.version)
	public, ok := private.Public().(minisign.PublicKey)
	if !ok || !minisign.Verify(public, text, signature) {
		return errors.New("the signature does not verify with the key's own public half")
	}
	return os.WriteFile(path+".minisig", signature, 0o644) //nolint:gosec // for everybody
}

// readKey reads minisign's secret key, with a password or (minisign -G -W) without.
func readKey(path, password string) (minisign.PrivateKey, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return minisign.PrivateKey{}, fmt.Errorf("key: %w", err)
	}
	var key minisign.PrivateKey
	if minisign.IsEncrypted(data) {
		if key, err = minisign.DecryptKey(password, data); err != nil {
			return key, fmt.Errorf("key %s: %w; its password is expected in WHYHOT_RELEASE_PASSWORD", path, err)
		}
		return key, nil
	}
	if err := key.UnmarshalText(data); err != nil {
		return key, fmt.Errorf("key %s: %w", path, err)
	}
	return key, nil
}
