package deployment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/api"
	prom "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
)

// counter gives the number that a query has at a time; ok is false where it has none.
type counter func(ctx context.Context, query string, at time.Time) (n float64, ok bool, err error)

// attempt is how long one answer may take.
const attempt = 10 * time.Second

func prometheus(address string) (counter, error) {
	client, err := api.NewClient(api.Config{Address: address, Client: &http.Client{
		Timeout:       attempt,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	server := prom.NewAPI(client)
	return func(ctx context.Context, query string, at time.Time) (float64, bool, error) {
		value, _, _, err := server.Query(ctx, query, at)
		if err != nil {
			return 0, false, fmt.Errorf("%s: %w", address, err)
		}
		switch v := value.(type) {
		case *model.Scalar:
			return float64(v.Value), true, nil
		case model.Vector:
			switch len(v) {
			case 0:
				return 0, false, nil
			case 1:
				return float64(v[0].Value), true, nil
			}
			return 0, false, fmt.Errorf("%s: %q has %d values: add them up with sum(...)", address, query, len(v))
		}
		return 0, false, errors.New(address + ": the query gives no number")
	}, nil
}

// of is how many requests a version answered in a time.
func (r *Requests) of(ctx context.Context, service, version string, from, to time.Time) (float64, bool, error) {
	seconds := strconv.FormatInt(int64(to.Sub(from).Seconds()), 10)
	query := strings.NewReplacer("$service", quoted(service), "$version", quoted(version), "$range", seconds+"s").Replace(r.Query)
	return r.count(ctx, query, to)
}

// quoted is a text inside a string of PromQL, whichever of the two quotes that has.
func quoted(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `'`, `\'`, "\n", `\n`).Replace(s)
}
