package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"whyhot/internal/explain"
	"whyhot/internal/fleet/debuginfo/bucket"
	debuginfo "whyhot/internal/fleet/debuginfo/store"
	"whyhot/internal/host/heap"
	"whyhot/internal/server"
	"whyhot/internal/server/access/session"
	"whyhot/internal/server/api"
	"whyhot/internal/server/deployment"
	"whyhot/internal/server/peers"
	"whyhot/internal/server/project"
	"whyhot/internal/server/signin"
	"whyhot/internal/server/watch"
	"whyhot/internal/store"
	"whyhot/internal/store/engine"
	"whyhot/internal/symbol"
	"whyhot/internal/symbol/debuginfod"
)

const serveLong = `Take profiles of a fleet, keep them, and answer questions about them.

--listen serves the API, pushed profiles, OTLP over HTTP and /metrics; --listen-grpc
OTLP over gRPC, as "whyhot agent" sends it, and debug information. Without tokens it
listens on this machine alone; see "whyhot-server token". Ctrl-C or SIGTERM stops it.`

const serveExample = `  whyhot serve --data /var/lib/whyhot-server
  whyhot agent --to localhost:4317                     in another terminal
  whyhot top --from http://localhost:7878 --service nginx --last 1h`

type serveFlags struct {
	data, listen, grpc, cert, key string
	insecure                      bool
	logFormat                     string
	log                           *slog.Logger // of an opener, for what it opens
	debugDirs, debuginfod         []string
	debugInfoSize                 int64
	debugInfoStore                string
	memory                        int64
	retention, retentionHourly    time.Duration
	queryTime, idle               time.Duration
	store                         string
	rules, sources                []string
	rulesEvery, rulesOver         time.Duration
	messages, deployments         string
	signIn, externalURL           string
	metricsByProject              bool
	maxMessage                    int
	advertise, clusterSecret      string
}

func newServeCmd() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve --data DIR [flags]", Short: "Receive profiles and answer queries",
		Long: serveLong, Example: serveExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), cmd.ErrOrStderr()) },
	}
	dataFlag(cmd, &f.data)
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:7878", "`ADDR` for HTTP, \"\" for none")
	flags.StringVar(&f.grpc, "listen-grpc", "127.0.0.1:4317", "`ADDR` for gRPC, \"\" for none")
	flags.StringVar(&f.cert, "tls-cert", "", "certificate `FILE` (PEM)")
	flags.StringVar(&f.key, "tls-key", "", "key `FILE` (PEM) of the certificate")
	flags.BoolVar(&f.insecure, "insecure-no-tls", false, "let others connect without TLS: behind a proxy that does it")
	flags.StringVar(&f.store, "store", "", "`URL` of ClickHouse instead of the embedded DuckDB: clickhouse://USER@HOST:9000/DATABASE (default $WHYHOT_STORE, where a password is not seen by others)")
	flags.DurationVar(&f.retention, "retention", 14*24*time.Hour, "keep samples by the minute and host for `TIME`, in whole days")
	flags.DurationVar(&f.retentionHourly, "retention-hourly", 90*24*time.Hour, "keep sums by the hour and service for `TIME`, in whole days")
	flags.Int64Var(&f.memory, "engine-memory", 1024, "memory of each project's engine in `MiB`")
	flags.DurationVar(&f.queryTime, "query-time", 10*time.Second, "end a query after this `TIME`")
	flags.DurationVar(&f.idle, "close-after", time.Hour, "close a project that nobody has used for `TIME`, 0 for never")
	flags.IntVar(&f.maxMessage, "max-message", 16, "largest OTLP request in `MiB`, decompressed")
	flags.StringArrayVar(&f.debugDirs, "debug-dir", nil, "also look for debug information and binaries, by build ID, in `DIR` (repeatable)")
	flags.StringArrayVar(&f.debuginfod, "debuginfod", nil, "also ask the debuginfod server at `URL` (repeatable)")
	flags.Int64Var(&f.debugInfoSize, "debuginfo-size", 16, "size limit of each project's debug information in `GiB`; with --debuginfo-store of the cache of it")
	flags.StringVar(&f.debugInfoStore, "debuginfo-store", "", "keep debug information in the object store at `URL`, for several servers: s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME; keys as the AWS tools have them")
	flags.StringArrayVar(&f.rules, "rules", nil, "also apply the catalogue entries in `DIR` (repeatable)")
	flags.StringArrayVar(&f.sources, "source", nil, "show the source files below `DIR` beside the samples of their lines, to all users with read access (repeatable)")
	flags.DurationVar(&f.rulesEvery, "rules-every", 15*time.Minute, "apply the rules this often, 0 for never")
	flags.DurationVar(&f.rulesOver, "rules-over", 6*time.Hour, "analyse the last `TIME`")
	flags.StringVar(&f.deployments, "deployments", "", "count the requests of services as `FILE` says, to compare versions; see docs/guide/deployments.md")
	flags.BoolVar(&f.metricsByProject, "metrics-by-project", false, "also show the numbers of each project, with its name, in /metrics")
	flags.StringVar(&f.messages, "messages", "", "tell people of new findings as `FILE` says; see docs/guide/messages.md")
	flags.StringVar(&f.externalURL, "external-url", "", "`URL` at which people open the web UI; with https:// its cookies go over TLS alone (default: that of redirect_url in --sign-in)")
	flags.StringVar(&f.signIn, "sign-in", "", "let people sign in to the web UI with OpenID Connect as `FILE` says; see docs/guide/sign-in.md")
	flags.StringVar(&f.advertise, "advertise", "", "share the database of --store with other servers, which reach this one at `URL`; see docs/guide/several-servers.md")
	flags.StringVar(&f.clusterSecret, "cluster-secret", "", "`FILE` with the secret that servers sharing a database know each other by")
	flags.StringVar(&f.logFormat, "log", "text", "log as text or json")
	return cmd
}

func (f *serveFlags) check() error {
	const day = 24 * time.Hour
	switch {
	case f.logFormat != "text" && f.logFormat != "json":
		return fmt.Errorf("--log %s: must be text or json", f.logFormat)
	case (f.cert == "") != (f.key == ""):
		return errors.New("--tls-cert and --tls-key go together")
	case f.retention < day || f.retention%day != 0:
		return fmt.Errorf("--retention %s: must be whole days, such as 336h", f.retention)
	case f.retentionHourly < day || f.retentionHourly%day != 0:
		return fmt.Errorf("--retention-hourly %s: must be whole days, such as 2160h", f.retentionHourly)
	case f.memory < 64 || f.memory > 1<<20:
		return fmt.Errorf("--engine-memory %d: must be between 64 and %d MiB", f.memory, 1<<20)
	case f.queryTime < 100*time.Millisecond || f.queryTime > 10*time.Minute:
		return fmt.Errorf("--query-time %s: must be between 100ms and 10m", f.queryTime)
	case f.idle != 0 && f.idle < time.Minute:
		return fmt.Errorf("--close-after %s: must be at least 1m, or 0", f.idle)
	case f.maxMessage < 1 || f.maxMessage > 1024:
		return fmt.Errorf("--max-message %d: must be between 1 and 1024 MiB", f.maxMessage)
	case f.debugInfoSize < 1 || f.debugInfoSize > 1<<20:
		return fmt.Errorf("--debuginfo-size %d: must be between 1 and %d GiB", f.debugInfoSize, 1<<20)
	case f.rulesEvery != 0 && f.rulesEvery < time.Second:
		return fmt.Errorf("--rules-every %s: must be at least 1s, or 0", f.rulesEvery)
	case f.messages != "" && f.rulesEvery == 0:
		return errors.New("--messages without rules: leave out --rules-every 0")
	case f.deployments != "" && f.rulesEvery == 0:
		return errors.New("--deployments without rules: leave out --rules-every 0")
	case (f.advertise == "") != (f.clusterSecret == ""):
		return errors.New("--advertise and --cluster-secret go together")
	case f.advertise != "" && f.where() == "":
		return errors.New("--advertise without --store: the embedded database cannot be shared; give a database of ClickHouse")
	case f.rulesOver < time.Minute:
		return fmt.Errorf("--rules-over %s: must be at least 1m", f.rulesOver)
	}
	return nil
}

func (f *serveFlags) logger(to io.Writer) *slog.Logger {
	if f.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(to, nil))
	}
	return slog.New(slog.NewTextHandler(to, nil))
}

func (f *serveFlags) run(ctx context.Context, stderr io.Writer) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	rules, err := explain.LoadRules(f.rules...)
	if err != nil {
		return err
	}
	compared := &deployment.Config{}
	if f.deployments != "" {
		if compared, err = deployment.Load(f.deployments); err != nil {
			return err
		}
	}
	var people *signin.Config
	if f.signIn != "" {
		if people, err = signin.Load(f.signIn); err != nil {
			return err
		}
	}
	if u, err := url.Parse(f.externalURL); f.externalURL != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		return fmt.Errorf("invalid --external-url %q: must be https://HOST or http://HOST", f.externalURL)
	}
	log := f.logger(stderr)
	o := server.Options{
		SignIn: people, SignInFile: f.signIn, ExternalURL: f.externalURL, Elsewhere: f.where() != "",
		Data: dataDir(f.data), Listen: f.listen, GRPC: f.grpc, InsecureNoTLS: f.insecure,
		Limits: api.Limits{QueryTime: f.queryTime}, MaxMessage: f.maxMessage << 20, Log: log,
		DebugInfo: debuginfo.Options{MaxTotal: f.debugInfoSize << 30, Log: func(text string) { log.Info(text) }},
		Watch:     watch.Options{Every: f.rulesEvery, Over: f.rulesOver, Rules: rules, Deployments: compared}, NoWatch: f.rulesEvery == 0,
		Sources: f.sources, Messages: f.messages, ProjectMetrics: f.metricsByProject, BinaryDirs: f.binaryDirs(dataDir(f.data)), Idle: f.idle,
	}
	if !o.Elsewhere {
		o.Fill = func(ctx context.Context, dir string, from io.Reader, progress func(int64)) error {
			return store.Fill(ctx, dir, func(ctx context.Context, dir string) (engine.Engine, error) {
				return openEmbedded(ctx, dir, f.memory<<20)
			}, from, progress)
		}
	}
	if f.debugInfoStore != "" {
		if o.DebugInfo.Bucket, err = f.bucket(f.advertise != ""); err != nil {
			return err
		}
		if err := o.DebugInfo.Bucket.Claim(ctx); errors.Is(err, bucket.ErrOwned) {
			return fmt.Errorf("--debuginfo-store: %w", err)
		} else if err != nil { // it may be there later
			log.Warn("it is not known yet whose the object store's files are", "error", err)
		}
	}
	if f.idle == 0 {
		o.Idle = -1
	}
	if f.advertise != "" {
		if err := peers.CheckURL(f.advertise); err != nil {
			return err
		}
		secret, err := peers.ReadSecret(f.clusterSecret)
		if err != nil {
			return err
		}
		o.Cluster = peers.New(secret)
		if o.Sessions, err = session.Open(o.Data, secret); err != nil {
			return err
		}
		if o.Ended, err = f.ended(o.Sessions.Ended(), secret, log); err != nil {
			return err
		}
		if o.Tokens, err = f.tokens(o.Data, secret, log); err != nil {
			return err
		}
	}
	if o.Open, err = f.opener(o.Data, log, o.Cluster); err != nil {
		return err
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	began := time.Now()
	s, err := server.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, s.Close())
		log.Info("stopped")
	}()
	heap.BoundServer(s.Memory() + goMemory)
	log.Info("open", "data", o.Data, "took", time.Since(began).Round(time.Millisecond).String())
	return s.Serve(ctx)
}

// bucket is the object store with the files of this server's database, which others may share.
func (f *serveFlags) bucket(shared bool) (*bucket.Bucket, error) {
	b, err := bucket.Open(f.debugInfoStore)
	if err != nil {
		return nil, fmt.Errorf("--debuginfo-store: %w", err)
	}
	marks, err := f.marks(dataDir(f.data), shared)
	if err != nil {
		return nil, fmt.Errorf("--debuginfo-store: %w", err)
	}
	b.OwnedBy(marks)
	return b, nil
}

// goMemory is what dictionaries, caches and answers may take beside requests before
// memory is collected more often: one dictionary at its bound, and while it is written anew
// half of another.
const goMemory = 3 << 29

// disk is how much room a file system has, for those who are not root.
func disk(dir string) (free, total int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, fmt.Errorf("disk of %s: %w", dir, err)
	}
	used := st.Blocks - st.Bfree // what root alone may fill does not count
	return int64(st.Bavail) * st.Bsize, int64(used+st.Bavail) * st.Bsize, nil
}

// fetched is where what debuginfod servers send is kept.
func fetched(data string) string { return filepath.Join(data, "debuginfod") }

// binaryDirs have debug information, and binaries, by build ID.
func (f *serveFlags) binaryDirs(data string) []string {
	dirs := slices.Concat(f.debugDirs, []string{"/usr/lib/debug"})
	if len(f.debuginfod) > 0 {
		dirs = append(dirs, fetched(data))
	}
	return dirs
}

// opener opens the store of a project. Names come from what was uploaded, and from where
// the flags say: what a path of another machine leads to here says nothing, so that the
// paths of profiles are looked up below a directory that has none of them.
func (f *serveFlags) opener(data string, log *slog.Logger, others *peers.Peers) (func(ctx context.Context, dir, debugDir string) (project.Store, error), error) {
	f.log = log
	var fetch func(ctx context.Context, buildID string) bool
	dirs := f.binaryDirs(data)
	if len(f.debuginfod) > 0 {
		client, err := debuginfod.New(debuginfod.Options{Servers: f.debuginfod, Dir: fetched(data), Client: &http.Client{Timeout: 5 * time.Minute}})
		if err != nil {
			return nil, err
		}
		fetch = func(ctx context.Context, buildID string) bool {
			got, err := client.Fetch(ctx, buildID)
			if err != nil {
				log.Warn("debuginfod", "error", err)
			}
			return got
		}
	}
	return func(ctx context.Context, dir, debugDir string) (project.Store, error) {
		nowhere, name := filepath.Join(dir, "root"), filepath.Base(dir)
		if err := os.MkdirAll(nowhere, 0o700); err != nil {
			return nil, err
		}
		var share *store.Share
		if others != nil {
			share = &store.Share{
				Hand:   func(ctx context.Context, to string, records []byte) error { return others.Hand(ctx, name, to, records) },
				Follow: func(ctx context.Context) (engine.Follower, error) { return f.follower(ctx, name) },
			}
		}
		return store.Open(ctx, dir, func(ctx context.Context, dir string) (engine.Engine, error) {
			return f.engine(ctx, dir, name)
		}, store.Options{
			Retention: store.Retention{Samples: f.retention, Hourly: f.retentionHourly},
			Names:     store.NameOptions{Symbols: symbol.Options{DebugDirs: append([]string{debugDir}, dirs...), Root: nowhere}, Fetch: fetch},
			Log:       log.With("project", name),
			Disk:      disk,
			Share:     share,
		})
	}, nil
}
