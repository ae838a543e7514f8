package waits

import "regexp"

// way is how a language waits for a call without a thread.
type way struct {
	waits    *regexp.Regexp // the group is what is called
	together *regexp.Regexp // several are waited for at once, or time passes on purpose
	over     *regexp.Regexp // the header of a loop over what is known before
	how      string         // to run several at a time
}

var ways = map[string]way{
	"JavaScript": {
		regexp.MustCompile(`\bawait\s+([\w.$#]+)\s*\(`),
		regexp.MustCompile(`\bawait\s+(Promise\.(all|allSettled|any|race)|(\w+\.)?(sleep|delay|wait|setTimeout)\w*)\s*\(`),
		regexp.MustCompile(`^[}\s]*for\s*(?:await\s*)?\((?:const|let|var)\s+[^;]*\s(?:of|in)\s|^[}\s]*for\s*\([^;]*;[^;]*[<>][^;]*;`),
		"Promise.all over groups of, say, 16, or p-limit",
	},
	"Python": {
		regexp.MustCompile(`\bawait\s+([\w.]+)\s*\(`),
		regexp.MustCompile(`\bawait\s+((asyncio\.)?(gather|wait|wait_for|sleep|as_completed)|(\w+\.)?(sleep|join))\s*\(`),
		regexp.MustCompile(`^for\s+.*\bin\b`),
		"asyncio.gather with an asyncio.Semaphore(16), or a TaskGroup",
	},
	"C": { // C#
		regexp.MustCompile(`\bawait\s+([\w.]+)(?:<[^>]*>)?\s*\(`),
		regexp.MustCompile(`\bawait\s+(Task\.(WhenAll|WhenAny|Delay|Yield)|Parallel\.\w+)\s*\(`),
		regexp.MustCompile(`^[}\s]*(?:foreach\s*\(|for\s*\([^;]*;[^;]*[<>][^;]*;)`),
		"Parallel.ForEachAsync, or Task.WhenAll over groups of, say, 16",
	},
	"Rust": {
		regexp.MustCompile(`(?:([A-Za-z_][\w.:]*)(?:::<[^>]*>)?\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*\.await\b`),
		regexp.MustCompile(`\b(?:join_all|try_join_all|join!|try_join!|select!|buffered|buffer_unordered|JoinSet|FuturesUnordered|join_next|sleep|interval|tick|yield_now|lock|read|write|acquire|recv|next|changed|notified)\b[^;]*\.await\b`),
		regexp.MustCompile(`^for\s+.*\bin\b`),
		"futures::stream::iter(…).map(…).buffer_unordered(16), or a JoinSet",
	},
}
