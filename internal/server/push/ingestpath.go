package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/batch"
)

// Ingest is a request of Pyroscope's older path, /ingest, as its SDKs send it: pprof,
// bare or as the field "profile" of a form, or folded stacks.
type Ingest struct {
	Query       url.Values
	ContentType string
	Body        io.Reader
}

// The profiles of older SDKs end in what they are of, app.cpu; those that are not of
// CPU time are passed over.
var otherEndings = []string{".alloc_objects", ".alloc_space", ".inuse_objects", ".inuse_space", ".goroutines", ".mutex_count", ".mutex_duration", ".block_count", ".block_duration", ".itimer", ".wall"}

const defaultRate = 100 // samples a second, of folded stacks

// AppendIngest stores what a request of /ingest holds. passedOver says that it is a
// profile of something else than CPU time.
func AppendIngest(ctx context.Context, to project.Store, in Ingest, most int64, now time.Time) (receipt store.Receipt, passedOver bool, err error) {
	bad := func(format string, args ...any) (store.Receipt, bool, error) {
		return store.Receipt{}, false, &store.BatchError{Err: fmt.Errorf(format, args...)}
	}
	name, tags, err := splitName(in.Query.Get("name"))
	if err != nil {
		return bad("name=%q: %w", in.Query.Get("name"), err)
	}
	for _, ending := range otherEndings {
		if strings.HasSuffix(name, ending) {
			return store.Receipt{}, true, nil
		}
	}
	name = strings.TrimSuffix(name, ".cpu")
	labels := labelsOf(tags)
	if tags["service_name"] == "" && tags["service.name"] == "" {
		labels.Service = name
	}
	p := Profile{Labels: labels}
	if from := in.Query.Get("from"); from != "" {
		if p.Start, err = unixTime(from); err != nil {
			return bad("from=%q: %w", from, err)
		}
	}
	rate := int64(defaultRate)
	text := in.Query.Get("sampleRate")
	if text != "" {
		if rate, err = strconv.ParseInt(text, 10, 64); err != nil || rate < 0 || rate > 1e9 {
			return bad("sampleRate=%q: must be a number of samples a second", text)
		}
	}
	body := in.Body
	switch format := in.Query.Get("format"); format {
	case "", "folded", "groups", "lines":
		if rate > 0 { // pyroscope-go gives 0 with what is not sampled
			p.Period = time.Second / time.Duration(rate)
		}
	case "pprof":
	default:
		return bad("format=%q: pprof and folded are taken", format)
	}
	if kind, params, err := mime.ParseMediaType(in.ContentType); err == nil && strings.HasPrefix(kind, "multipart/") {
		data, err := formField(body, params["boundary"], "profile", most)
		if err != nil {
			return store.Receipt{}, false, err
		}
		body = bytes.NewReader(data)
	}
	receipt, err = Append(ctx, to, body, p, most, now)
	switch {
	case rate == 0 && errors.Is(err, batch.ErrNoPeriod):
		return bad("sampleRate=%q: must be a number of samples a second", text)
	case notCPU(err):
		return receipt, true, nil
	}
	return receipt, false, err
}

// formField reads one field of a form.
func formField(body io.Reader, boundary, wanted string, most int64) ([]byte, error) {
	reader := multipart.NewReader(body, boundary)
	for {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil, &store.BatchError{Err: fmt.Errorf("the form has no field %q", wanted)}
		}
		if err != nil {
			return nil, &store.BatchError{Err: fmt.Errorf("the form cannot be read: %w", err)}
		}
		if part.FormName() != wanted {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(part, most))
		if err != nil {
			return nil, &store.BatchError{Err: fmt.Errorf("the form cannot be read: %w", err)}
		}
		return data, nil
	}
}

// splitName reads "app.cpu{region=eu,host=a}".
func splitName(text string) (name string, tags map[string]string, err error) {
	name, rest, has := strings.Cut(text, "{")
	tags = map[string]string{}
	if name == "" {
		return "", nil, errors.New("it must name the application")
	}
	if !has {
		return name, tags, nil
	}
	rest, closed := strings.CutSuffix(rest, "}")
	if !closed {
		return "", nil, errors.New("it has no closing brace")
	}
	for pair := range strings.SplitSeq(rest, ",") {
		if pair == "" {
			continue
		}
		k, v, ok := strings.Cut(pair, "=")
		if !ok || len(tags) == maxLabelsOf {
			return "", nil, errors.New("its tags are NAME=VALUE, separated by commas")
		}
		tags[strings.TrimSpace(k)] = strings.Trim(strings.TrimSpace(v), `"`)
	}
	return name, tags, nil
}

// unixTime reads seconds since 1970, or the same in milli-, micro- or nanoseconds, which
// the SDKs send, too.
func unixTime(text string) (time.Time, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return time.Time{}, errors.New("must be a Unix time")
	}
	switch {
	case n < 1e11:
		return time.Unix(n, 0), nil
	case n < 1e14:
		return time.UnixMilli(n), nil
	case n < 1e17:
		return time.UnixMicro(n), nil
	}
	return time.Unix(0, n), nil
}
