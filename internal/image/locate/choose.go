package locate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// referenceOf is the annotation of a layout's index that names an image.
const referenceOf = "org.opencontainers.image.ref.name"

// attestation marks what is no image but a statement about one (BuildKit).
const attestation = "vnd.docker.reference.type"

// maxDepth is how far an index may lead to another one.
const maxDepth = 4

// reader reads a blob that an index names.
type reader func(v1.Descriptor) ([]byte, error)

// choose follows an index to the manifest of one image.
func choose(index *v1.IndexManifest, want v1.Platform, tag string, read reader, depth int) (v1.Descriptor, error) {
	if depth > maxDepth {
		return v1.Descriptor{}, errors.New("its indexes lead to each other")
	}
	named, err := withTag(index.Manifests, tag)
	if err != nil {
		return v1.Descriptor{}, err
	}
	one, err := forPlatform(named, want)
	if err != nil || !one.MediaType.IsIndex() {
		return one, err
	}
	text, err := read(one)
	if err != nil {
		return v1.Descriptor{}, fmt.Errorf("index %s: %w", one.Digest, err)
	}
	inner, err := v1.ParseIndexManifest(strings.NewReader(string(text)))
	if err != nil {
		return v1.Descriptor{}, fmt.Errorf("index %s: %w", one.Digest, err)
	}
	return choose(inner, want, "", read, depth+1)
}

func withTag(all []v1.Descriptor, tag string) ([]v1.Descriptor, error) {
	var out []v1.Descriptor
	var names []string
	for _, d := range all {
		if !d.MediaType.IsImage() && !d.MediaType.IsIndex() || d.Annotations[attestation] != "" {
			continue
		}
		name := d.Annotations[referenceOf]
		if name != "" {
			names = append(names, name)
		}
		if tag == "" || name == tag {
			out = append(out, d)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case len(names) > 0:
		return nil, fmt.Errorf("there is no image %q; there are %s", tag, strings.Join(names, ", "))
	case tag != "":
		return nil, fmt.Errorf("--tag %s: the images here have no names", tag)
	}
	return nil, errors.New("there is no image in it")
}

// forPlatform takes the only image, or the one of the platform.
func forPlatform(all []v1.Descriptor, want v1.Platform) (v1.Descriptor, error) {
	if len(all) == 1 && all[0].Platform == nil {
		return all[0], nil
	}
	var fit []v1.Descriptor
	var names, platforms []string
	for _, d := range all {
		if d.Platform != nil {
			platforms = append(platforms, d.Platform.String())
		}
		// One without a platform tells only in its configuration.
		if d.Platform == nil || d.Platform.Satisfies(want) {
			fit = append(fit, d)
			names = append(names, d.Annotations[referenceOf])
		}
	}
	switch {
	case len(fit) == 0:
		return v1.Descriptor{}, fmt.Errorf("there is no image for %s; there are %s: say which with --platform", want, strings.Join(platforms, ", "))
	case len(slices.Compact(slices.Sorted(slices.Values(names)))) > 1:
		return v1.Descriptor{}, fmt.Errorf("there are several images (%s): say which with --tag", strings.Join(names, ", "))
	}
	return fit[0], nil
}
