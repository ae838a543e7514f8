package clickhouse

import (
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

func pair(t *testing.T) (s *shard, first, second *server) {
	t.Helper()
	s = newShard(1, []string{"127.0.0.1:1", "127.0.0.1:2"}, Options{Database: "shop", Cluster: "two", Keeper: []string{"127.0.0.1:3"}})
	t.Cleanup(s.close)
	return s, s.replicas[0], s.replicas[1]
}

// A replica that takes no rows is not written to for a while; it is still asked.
func TestFullReplicaIsNotWrittenTo(t *testing.T) {
	s, first, second := pair(t)
	full := &ch.Exception{Code: proto.ErrNotEnoughSpace}
	_ = first.wrong(t.Context(), "SELECT 1", full)
	if s.lead() != first {
		t.Error("a question that failed has another one written to")
	}
	_ = first.wrong(t.Context(), "INSERT INTO shop.samples_local", full)
	if s.lead() != second || s.order()[0] != first || first.late() {
		t.Error("it is written to, or not asked")
	}
	_ = second.wrong(t.Context(), "INSERT INTO shop.samples_local", full)
	if s.lead() != first {
		t.Error("where all are full, the first one is tried")
	}
	first.unfit.Store(time.Now().Add(-time.Second).UnixNano())
	if s.lead() != first {
		t.Error("it is not written to any more")
	}
	first.behind.Store(true)
	second.unfit.Store(0)
	if s.lead() != second {
		t.Error("one that is behind is written to")
	}
}
