package locate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// checked is a stream that fails at its end when it is not what its digest says.
type checked struct {
	io.ReadCloser

	sum  hash.Hash
	want v1.Hash
}

func verified(r io.ReadCloser, want v1.Hash) io.ReadCloser {
	return &checked{r, sha256.New(), want}
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.sum.Write(p[:n]) // a hash never fails
	if errors.Is(err, io.EOF) {
		if wrong := c.compare(); wrong != nil {
			return n, wrong
		}
	}
	return n, err
}

func (c *checked) compare() error {
	if c.want.Algorithm != "sha256" {
		return fmt.Errorf("the digest %s: only sha256 is known", c.want)
	}
	if got := hex.EncodeToString(c.sum.Sum(nil)); got != c.want.Hex {
		return fmt.Errorf("it was changed or damaged: its digest is sha256:%s, and %s was promised", got, c.want)
	}
	return nil
}

// readVerified reads a small blob whole.
func readVerified(r io.ReadCloser, want v1.Hash) ([]byte, error) {
	v := verified(r, want)
	defer func() { _ = v.Close() }() // only read from
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(v, maxDocument+1))
	if err == nil && n > maxDocument {
		err = fmt.Errorf("more than %d MB of JSON", maxDocument>>20)
	}
	return b.Bytes(), err
}

// maxDocument bounds manifests and configurations; registries take 4 MB.
const maxDocument = 16 << 20
