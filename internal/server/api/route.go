package api

import (
	"context"
	"net/http"
	"time"

	"whyhot/internal/server/access"
)

// route is one operation.
type route struct {
	method, path string
	// scope is what a token must allow; "" for what everybody may see.
	scope access.Scope
	// params are the parameters that it takes beside "project"; others are refused.
	params []string
	// often has the audit log count it and not list it.
	often bool
	// wide says that it concerns the whole server: no project is opened for it.
	wide bool
	// slow has it wait for one of the few slots for what reads whole profiles.
	slow bool
	// connect says that it is a question in the Connect protocol: sent with POST, and its
	// errors have that protocol's form.
	connect bool
	// effect says that a GET costs more than its answer: no page of another site may begin it, and
	// no session of a browser is enough.
	effect bool
	// own has it bound its work and its body by itself.
	own bool
	// takes says that it only takes what is sent: it is open while questions cannot be answered.
	takes bool
	// samples says that it is about samples alone, which a server reads that does not write, too.
	samples bool
	// local says that it is about what this server has, whichever answers questions.
	local bool
	// handle gives the answer: JSON of a value, or an answer that writes itself.
	handle func(s *Server, ctx context.Context, r *request) (any, error)
}

// The names of parameters.
const (
	paramProject   = "project"
	paramFrom      = "from"
	paramTo        = "to"
	paramExact     = "exact"
	paramWhere     = "where"
	paramLabel     = "label"
	paramBy        = "by"
	paramService   = "service"
	paramVersion   = "version"
	paramHost      = "host"
	paramProcess   = "process"
	paramContainer = "container"
	paramOrigin    = "origin"
	paramFamily    = "family"
	paramFunction  = "function"
	paramOwn       = "own"
)

// selecting are the parameters of a store.Selection.
var selecting = []string{paramFrom, paramTo, paramService, paramVersion, paramHost, paramContainer, paramProcess, paramWhere, paramExact}

func with(params ...string) []string { return append(append([]string{}, selecting...), params...) }

// The halves of a comparison take what the whole takes.
const (
	before = "before."
	after  = "after."
)

func halves() []string {
	out := with("sort", "limit", paramOwn)
	for _, half := range []string{before, after} {
		for _, p := range selecting {
			if p != paramExact {
				out = append(out, half+p)
			}
		}
	}
	return out
}

// routes lists every operation of the server over HTTP.
func routes() []route {
	const v1 = "/api/v1"
	get, post := http.MethodGet, http.MethodPost
	return append(queries(), []route{
		{method: get, path: "/healthz", wide: true, handle: (*Server).healthy},
		{method: get, path: "/readyz", wide: true, handle: (*Server).ready},
		{method: get, path: "/readyz/answers", wide: true, handle: (*Server).readyToAnswer},
		{method: get, path: "/metrics", scope: access.Metrics, wide: true, own: true, handle: (*Server).metrics},

		{method: get, path: v1 + "/openapi.yaml", scope: access.Read, wide: true, handle: (*Server).description},
		{method: get, path: v1 + "/projects", scope: access.Read, wide: true, handle: (*Server).projects},
		{method: post, path: v1 + "/projects/{name}/delete", scope: access.Administer, wide: true, handle: (*Server).deleteProject},
		{method: post, path: v1 + "/projects/{name}/restore", scope: access.Administer, wide: true, own: true, handle: (*Server).restore},
		{method: get, path: v1 + "/stats", scope: access.Read, handle: (*Server).stats},
		{method: post, path: v1 + "/compact", scope: access.Administer, slow: true, handle: (*Server).compact},
		{method: get, path: v1 + "/backup", scope: access.Administer, own: true, effect: true, handle: (*Server).backup},

		{method: get, path: v1 + "/session", wide: true, handle: (*Server).session},
		{method: post, path: v1 + "/session", wide: true, handle: (*Server).postSession},
		{method: post, path: v1 + "/session/end", wide: true, handle: (*Server).endSession},

		{method: get, path: v1 + "/prices", scope: access.Read, handle: (*Server).prices},
		{method: post, path: v1 + "/prices", scope: access.Administer, handle: (*Server).postPrices},
		{method: get, path: v1 + "/retention", scope: access.Read, handle: (*Server).retention},
		{method: post, path: v1 + "/retention", scope: access.Administer, handle: (*Server).postRetention},
		{method: get, path: v1 + "/tokens", scope: access.Administer, local: true, handle: (*Server).tokens},
		{method: post, path: v1 + "/tokens", scope: access.Administer, params: []string{"name", "scope", "expires"}, local: true, handle: (*Server).postToken},
		{method: post, path: v1 + "/tokens/{id}/revoke", scope: access.Administer, local: true, handle: (*Server).revokeToken},

		{method: get, path: v1 + "/services", scope: access.Read, params: selecting, samples: true, handle: (*Server).services},
		{method: get, path: v1 + "/labels", scope: access.Read, params: selecting, samples: true, handle: (*Server).labelKeys},
		{method: get, path: v1 + "/labels/{dimension}", scope: access.Read, params: selecting, samples: true, handle: (*Server).labels},
		{method: get, path: v1 + "/timeline", scope: access.Read, params: with(paramBy, "step", "lines"), samples: true, handle: (*Server).timeline},
		{method: get, path: v1 + "/top", scope: access.Read, params: with("sort", "limit", "match", paramOrigin, paramFamily, paramOwn), samples: true, handle: (*Server).top},
		{method: get, path: v1 + "/history", scope: access.Read, params: with(paramFunction, "sort", "steps", paramOwn), samples: true, handle: (*Server).history},
		{method: get, path: v1 + "/tree", scope: access.Read, params: with(paramBy, "root", "focus", "path", "depth", "min_share", "max_nodes", "events", paramOwn), samples: true, handle: (*Server).tree},
		{method: get, path: v1 + "/callgraph", scope: access.Read, params: with(paramFunction, paramOwn), samples: true, handle: (*Server).callgraph},
		{method: get, path: v1 + "/functions", scope: access.Read, params: with("q", "limit"), samples: true, handle: (*Server).functions},
		{method: get, path: v1 + "/lines", scope: access.Read, params: with("function"), slow: true, samples: true, handle: (*Server).lines},
		{method: get, path: v1 + "/instructions", scope: access.Read, params: with(paramFunction), slow: true, handle: (*Server).instructions},
		{method: get, path: v1 + "/source", scope: access.Read, params: []string{"file"}, handle: (*Server).sourceText},
		{method: get, path: v1 + "/rules/{id}", scope: access.Read, wide: true, handle: (*Server).rule},
		{method: get, path: v1 + "/profile", scope: access.Read, params: with(paramBy), slow: true, samples: true, handle: (*Server).profile},
		{method: get, path: v1 + "/diff", scope: access.Read, params: halves(), slow: true, samples: true, handle: (*Server).diff},
		{method: get, path: v1 + "/surprises", scope: access.Read, params: with("limit"), slow: true, samples: true, handle: (*Server).surprises},

		{method: get, path: v1 + "/findings", scope: access.Read, params: []string{paramService, "all"}, handle: (*Server).findings},
		{method: post, path: v1 + "/findings", scope: access.Send, params: []string{paramService}, handle: (*Server).postFindings},
		{method: get, path: v1 + "/findings/{id}", scope: access.Read, params: []string{paramService}, handle: (*Server).finding},
		{method: get, path: v1 + "/alerts", scope: access.Read, handle: (*Server).alerts},
		{method: get, path: v1 + "/trials", scope: access.Read, params: []string{"finding"}, handle: (*Server).trials},
		{method: post, path: v1 + "/trials", scope: access.Send, params: []string{"finding"}, handle: (*Server).postTrial},

		{method: post, path: v1 + "/push", scope: access.Send, params: []string{paramService, paramVersion, paramHost, paramContainer, paramProcess, paramLabel, "period", "id", "sample_type"}, takes: true, often: true, handle: (*Server).push},
		{method: post, path: "/v1development/profiles", scope: access.Send, takes: true, often: true, own: true, handle: (*Server).otlp},
		{method: post, path: "/ingest", scope: access.Send, params: []string{"name", "from", "until", "format", "sampleRate", "spyName", "units", "aggregationType"}, takes: true, often: true, handle: (*Server).pyroscope},
		{method: post, path: "/push.v1.PusherService/Push", scope: access.Send, takes: true, often: true, handle: (*Server).pyroscopePush},
	}...)
}

// Limits bound what clients may ask for. Zero values are the defaults.
type Limits struct {
	QueryTime time.Duration // of one query; 10 s
	Queries   int64         // at a time; 16
	Slow      int64         // of those that read whole profiles, at a time; 2
	SlotWait  time.Duration // in the queue for a slot; half of QueryTime
	Waiting   int           // requests in each queue; 1000
	Reads     Rate          // of each token; 50 a second, 200 at once
	Sends     Rate          // of each token; 2000 a second, 4000 at once
	MaxBody   int64         // bytes of a pushed profile as sent; 32 MiB
	MaxPushed int64         // the same, decompressed; 128 MiB
	Pushes    int64         // at a time; one a processor, two at least
}
