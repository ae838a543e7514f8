package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/store/engine"
)

// reach finds the shards, and where they are replicated asks each replica what it lacks.
func (e *Engine) reach(ctx context.Context) error {
	lists, err := addresses(ctx, e.options)
	if err != nil {
		return err
	}
	for i, list := range lists {
		e.shards = append(e.shards, newShard(i+1, list, e.options))
	}
	for _, s := range e.shards {
		s.watch(ctx)
	}
	return nil
}

// addresses are those of the shards' replicas, in the order of the cluster's configuration.
// Without ZooKeeper the first replica is taken: nothing here writes to others. Each of
// the addresses in the options is asked until one answers.
func addresses(ctx context.Context, o Options) (out [][]string, err error) {
	if o.Cluster == "" {
		return [][]string{{o.Address}}, nil
	}
	var texts []string
	for _, address := range strings.Split(o.Address, ",") {
		s := newServer(address, o)
		texts, err = s.texts(ctx, fmt.Sprintf("SELECT concat(toString(shard_num), ' ', host_name, ' ', toString(port)) FROM system.clusters WHERE cluster = '%s' ORDER BY shard_num, replica_num", o.Cluster))
		s.close()
		if err == nil || !errors.Is(err, engine.ErrAway) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("the server %s has no cluster %s in its configuration (remote_servers)", o.Address, o.Cluster)
	}
	last := ""
	for _, text := range texts {
		fields := strings.Fields(text)
		if len(fields) != 3 {
			return nil, fmt.Errorf("the cluster %s has a replica without a name or port: %q", o.Cluster, text)
		}
		if fields[0] != last {
			out, last = append(out, nil), fields[0]
		}
		if at := &out[len(out)-1]; len(*at) == 0 || o.replicated() {
			*at = append(*at, net.JoinHostPort(fields[1], fields[2]))
		}
	}
	return out, nil
}

// kind holds the tables that there are against the options: replicated or not.
func (e *Engine) kind(ctx context.Context) error {
	first, db := e.shards[0], e.options.Database
	engines, err := first.any(ctx, func(r *server) ([]string, error) {
		return r.texts(ctx, fmt.Sprintf("SELECT engine FROM system.tables WHERE database = '%s' AND name = '%s'", db, tableCommits))
	})
	if err != nil {
		return err
	}
	if len(engines) > 0 {
		switch is := strings.HasPrefix(engines[0], "Replicated"); {
		case is && !e.options.replicated():
			return fmt.Errorf("the tables of %s are replicated: add keeper=HOST:PORT,… (the servers of ZooKeeper) to the URL", db)
		case !is && e.options.replicated():
			return fmt.Errorf("the tables of %s are not replicated, and cannot become so: stop all servers, save them without keeper= (whyhot-server store export), "+
				"remove the database from all shards (DROP DATABASE %s), and import what was saved with keeper= (whyhot-server store import)", db, db)
		}
		return nil
	}
	if e.options.Cluster == "" || e.options.replicated() {
		return nil
	}
	several, err := first.numbers(ctx, fmt.Sprintf("SELECT toUInt64(count()) FROM system.clusters WHERE cluster = '%s' AND replica_num > 1", e.options.Cluster))
	if err != nil {
		return err
	}
	if several[0] > 0 {
		return fmt.Errorf("the cluster %s has replicas, which would stay empty: add keeper=HOST:PORT,… (the servers of ZooKeeper) to the URL, so that tables are replicated, or name a cluster without replicas", e.options.Cluster)
	}
	return nil
}

// placed compares the tables of replicas with the shards in which the cluster's configuration has
// them now: with the rows of another shard, sums would be wrong.
func (e *Engine) placed(ctx context.Context) error {
	if !e.options.replicated() {
		return nil
	}
	for _, s := range e.shards {
		for _, r := range s.asked() {
			paths, err := r.texts(ctx, fmt.Sprintf("SELECT zookeeper_path FROM system.replicas WHERE database = '%s' AND %s LIMIT 1", e.options.Database, s.elsewhere()))
			if err != nil && (ctx.Err() != nil || !errors.Is(err, engine.ErrAway)) {
				return err
			}
			if len(paths) > 0 {
				return fmt.Errorf("%s is in shard %d of the cluster %s, and has tables of %s in ZooKeeper, not of %s/%d: list the shards in the order in which the store was made, with the same servers in each",
					r.address, s.number, e.options.Cluster, paths[0], e.root(), s.number)
			}
		}
	}
	return nil
}

// making is what the statements that make a replica's tables need to know.
type making struct {
	database, settings string
	path, replica      string // "" where tables are not replicated
}

func (e *Engine) making(s *shard, r *server, version [2]int) making {
	m := making{database: e.options.Database, settings: durable(version[0], version[1])}
	if e.options.replicated() {
		m.path, m.replica = e.root()+"/"+strconv.Itoa(s.number), r.address
		m.settings = ", " + strings.TrimPrefix(m.settings, " SETTINGS ")
		m.settings = fmt.Sprintf(" SETTINGS replicated_deduplication_window = %d%s", window, strings.TrimSuffix(m.settings, ", "))
	}
	return m
}

// window is how many blocks of a table ZooKeeper knows, so that none is there twice. A process
// that comes later with one is superseded.
const window = 1000

// root is the path in ZooKeeper of all that is of a database.
func (o Options) root() string { return "/whyhot/" + o.Cluster + "/" + o.Database }

func (e *Engine) root() string { return e.options.root() }

// engine is the engine of a table, with its arguments.
func (m making) engine(kind, argument, table string) string {
	if m.path == "" {
		if argument != "" {
			argument = "(" + argument + ")"
		}
		return kind + argument
	}
	if argument != "" {
		argument = ", " + argument
	}
	return fmt.Sprintf("Replicated%s('%s/%s', '%s'%s)", kind, m.path, table, m.replica, argument)
}

// replicas has it known what replicas need, once the store is there.
func (e *Engine) replicas(ctx context.Context, made bool) error {
	if !e.options.replicated() {
		return nil
	}
	if made {
		if err := e.loadGeneration(ctx); err != nil {
			return damaged(err)
		}
	} else if err := e.shards[0].present(ctx, fmt.Sprintf("SELECT toUInt64(count()) FROM %s.%s", e.options.Database, tableVersion), 1); err != nil {
		return err
	}
	for _, s := range e.shards {
		needed := e.needed
		s.needed.Store(&needed)
	}
	return nil
}

var errUncertain = fmt.Errorf("%w: another process may have the database", engine.ErrAway)

// mends has replicas get what they lack, as long as this process has the database: one that lost
// it without noticing knows another dictionary.
func (e *Engine) mends() {
	for _, s := range e.shards {
		mend := func(ctx context.Context, r *server) error {
			if !e.Certain() {
				return errUncertain
			}
			return e.equip(ctx, s, r)
		}
		s.mend.Store(&mend)
	}
}

// needed are the tables that each replica of a shard has.
func (e *Engine) needed(s *shard) []string {
	out := e.neededAlways(s)
	if s == e.shards[0] {
		for _, t := range dictionary(false) {
			out = append(out, e.local(t))
		}
	}
	return out
}

// neededAlways are those of them that no rewriting of the dictionary replaces.
func (e *Engine) neededAlways(s *shard) (out []string) {
	for _, t := range engine.Tables() {
		if t.Timed && (counted(t) || s == e.shards[0]) {
			out = append(out, local(t))
		}
	}
	if s == e.shards[0] {
		out = append(out, tableVersion, tableShards, tableDictionaries, tableCommits)
	}
	return out
}

// equip makes the tables that a replica lacks, as one with an empty disk does: it fetches their
// rows from another one. Those of a dictionary that counts no more are removed.
func (e *Engine) equip(ctx context.Context, s *shard, r *server) error {
	version, err := r.version(ctx)
	if err != nil {
		return err
	}
	m := e.making(s, r, version)
	statements := []string{"CREATE DATABASE IF NOT EXISTS " + m.database}
	for _, t := range engine.Tables() {
		if slices.Contains(e.needed(s), e.local(t)) {
			statements = append(statements, m.definition(t, e.generation.Load()))
		}
	}
	statements = append(statements, m.table(tableEpochs, epochColumn, "epoch", ""))
	if s == e.shards[0] {
		statements = append(append(statements, m.own()...), m.intents())
	}
	for _, sql := range statements {
		if err := r.exec(ctx, sql); err != nil {
			return err
		}
	}
	if tables, err := r.tables(ctx, m.database); err == nil && s == e.shards[0] {
		e.dropOldOf(ctx, r, tables, e.generation.Load()) // a later one may be filled right now
	}
	return nil
}
