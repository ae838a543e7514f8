package locate

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"whyhot/internal/host/version"
	"whyhot/internal/image/inventory"
)

// ofRegistry opens what a reference means, with the credentials of docker's or podman's
// configuration. The library compares what comes with its digests.
func ofRegistry(ctx context.Context, q inventory.Question, want v1.Platform) (*Image, error) {
	if q.Tag != "" {
		return nil, fmt.Errorf("--tag %s: a reference has its tag in itself, such as name:%s", q.Tag, q.Tag)
	}
	var options []name.Option
	if q.Insecure {
		options = append(options, name.Insecure)
	}
	ref, err := name.ParseReference(q.Image, options...)
	if err != nil {
		return nil, fmt.Errorf("%s is no file, no directory, and no reference of an image: %w", q.Image, err)
	}
	image, err := pull(ctx, ref, want)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, explained(err, ref))
	}
	return image, nil
}

func pull(ctx context.Context, ref name.Reference, want v1.Platform) (*Image, error) {
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithUserAgent(version.Agent("whyhot"))}
	found, err := remote.Get(ref, options...)
	if err != nil {
		return nil, err
	}
	digest := found.Digest
	if found.MediaType.IsIndex() {
		index, err := found.ImageIndex()
		if err != nil {
			return nil, err
		}
		list, err := index.IndexManifest()
		if err != nil {
			return nil, err
		}
		one, err := choose(list, want, "", func(d v1.Descriptor) ([]byte, error) {
			inner, err := remote.Get(ref.Context().Digest(d.Digest.String()), options...)
			if err != nil {
				return nil, err
			}
			return inner.Manifest, nil
		}, 0)
		if err != nil {
			return nil, err
		}
		digest = one.Digest
	}
	image, err := remote.Image(ref.Context().Digest(digest.String()), options...)
	if err != nil {
		return nil, err
	}
	out, err := opened(image, inventory.Registry)
	if err != nil {
		return nil, err
	}
	out.Digest = digest.String()
	return out, nil
}

// explained says what to do about an answer of a registry.
func explained(err error, ref name.Reference) error {
	refused, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return err
	}
	switch refused.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s refuses it: `docker login %s` (or podman, skopeo) keeps credentials that are used here; a private or misspelt name is refused, too: %w", ref.Context().RegistryStr(), ref.Context().RegistryStr(), err)
	case http.StatusNotFound:
		return fmt.Errorf("%s has no such image: %w", ref.Context().RegistryStr(), err)
	case http.StatusTooManyRequests:
		return fmt.Errorf("%s takes no more requests for now: log in, or wait: %w", ref.Context().RegistryStr(), err)
	}
	return err
}
