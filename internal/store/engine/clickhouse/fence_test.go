package clickhouse

import (
	"testing"

	"whyhot/internal/store/engine"
)

// Newer servers are told what a block is: the same block the same, another one something else.
// Older ones do not know the settings.
func TestBlocksAreTakenOnce(t *testing.T) {
	input := func(commit uint64, stack uint32) *piece {
		b := engine.NewBlock(engine.Samples, 1)
		b.Append(uint32(1000), uint32(1), uint32(1), stack, int64(10), uint32(commit))
		return split([]*engine.Block{b}, 1)[0]
	}
	token := func(commit uint64, stack uint32) string {
		return taken([2]int{24, 8}, input(commit, stack).input(commit))[0].Value
	}
	if again := token(1, 1); again != token(1, 1) || token(1, 1) == token(2, 1) || token(1, 1) == token(1, 2) {
		t.Error("a token does not tell blocks apart")
	}
	for _, c := range []struct {
		release [2]int
		want    int
	}{{[2]int{18, 16}, 0}, {[2]int{22, 1}, 0}, {[2]int{22, 2}, 1}, {[2]int{25, 11}, 1}, {[2]int{25, 12}, 2}, {[2]int{26, 1}, 2}} {
		if got := taken(c.release, input(1, 1).input(1)); len(got) != c.want {
			t.Errorf("%v: %v", c.release, got)
		}
	}
}
