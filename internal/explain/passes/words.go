package passes

import (
	"regexp"
	"strings"
)

// doing are the first words of functions that do something besides giving a value, or give
// another one each time.
var doing = set(`monotonic perf current nano urandom getrandom input popen urlopen system shell request env
	accept acquire add advance alloc allocate append apply ask assert assertion assign await barrier begin bench
	benchmark bind call check choice clear clone close collect commit configure connect consume copy crawl create
	debug decrement del delete dequeue dispatch do download drain draw drop dup each emit emplace empty enqueue
	enter enumerate error eval exchange exec execute exists exit expect expr fail fault fetch fill fire fit flush
	fork format free full gc generate get handle hash inc increment info insert invoke is iter join kill lap last
	launch len length listen lock log main make malloc merge mkdir move mutate next notify now observe on ones
	open peek pick play poll pop post prepend print printf process produce publish pull push put query raise rand
	random range read receive record recv redraw register release remove rename render replace reply request reset
	resize respond resume retry return rewind rollback run sample save say scan seed seek select send serve set
	shift show shuffle shutdown signal simulate size skip sleep sort spawn start stat step stop store submit
	subscribe swap sync take tell test tests tick time timestamp today touch trace train transform transition
	trigger truncate try uniform unlink unlock unregister unshift update upload use utcnow uuid visit wait wake
	walk warn warning work write yield zeros zip`)

// onObject are the first words of methods that give the same each time on an object that does
// not change: of a method of a library with another name that is not known.
var onObject = set(`aggregate as build compile concat css decode describe dot encode entries filter find formatter from group
	groupby inverse invert items keys load lookup lower lowercase match matmul max mean median min normalize
	optimize parse parsed pivot plan prepare prepared resolve schema search serialize sorted split std stringify
	sum template to tokenize transpose trim unique upper uppercase validator value values xpath`)

// stepping are words of functions that go on with something, whatever their text shows, and of
// functions that stand for another.
var stepping = set(`accept advance call callback cb consume decorated exec execute f fn func handle handler inner lex main method
	next poll pop process proxy pull rand random receive recv run shift step take tick token update work wrapper`)

// effects are words of calls in a body that reach out of it: of doing, those that cannot be
// about what the function made itself.
var effects = set(`accept acquire await clock commit connect dequeue download draw emit enqueue exec execute exit fetch flush
	fork generate kill listen lock log main malloc next notify now poll post printf publish put rand random read
	receive recv recvfrom release rollback sample save seed send shuffle sleep spawn start step stop submit sync
	tick time today unlock update upload utcnow uuid wait write yield`)

// wholes are functions whose first word is one of doing and which give the same all the same:
// they read a whole file or format a constant.
var wholes = regexp.MustCompile(`(?i)^(read_?(file|all|text|csv|json|yaml|xml|lines|bytes|parquet|excel)\w*|file_get_contents|get_(config|settings?|schema|template|rates?|rules?|mapping|table)\w*|load\w*|make_?(pattern|regex|matcher|parser|validator|index|lookup|table|map)\w*|create_?(parser|validator|matcher|index|schema|template)\w*|getInstance)$`)

// chance is a word of a source of random numbers, and clocks one of a clock, anywhere in a name.
var chance = regexp.MustCompile(`(?i)(^|[._:>])(rand\w*|rng|random\w*|faker?|secrets|clock|now|time)([._:>(]|$)`)

// goesOn are names of what gives something else each time it is asked: files, sockets, streams,
// iterators, generators and states.
var goesOn = regexp.MustCompile(`(?i)^(f|fh|fp|fd|infile|\w*stream|sock\w*|conn\w*|reader|stdin|pipe|cursor|cur|it|iter\w*|gen\w*|lexer|lex|parser|scanner|tokens?|tokenizer|queue|q|rng|\w*random|state|decoder)$`)

// rounds are headers of loops that repeat their work on purpose. The methods iter of Rust and
// times of Ruby are none.
var rounds = regexp.MustCompile(`(?i)\b(rounds?|reps?|repeats?|repetitions?|iters|n_?iters?|(max|num)_?iters?|iterations?|pass(es)?|trials?|epochs?|warm_?ups?|bench\w*|runs|n_?runs)\b|(^|[^.\w])(iter|times)\b`)

// containers are what is made new on each pass on purpose: it is filled or changed then.
var containers = regexp.MustCompile(`(?i)(list|map|set|dict|vector|vec|buffer|builder|array|queue|deque|stack|bytes?|bytearray|writer|reader|stream|image|canvas|hash|hasher|digest|md5|sha\d*|hmac|crc\w*|socket|thread|process|event|counter|error|exception|result|response|request|row|record|node|element|point|matrix|string|text|random|iterator|session|transaction|lock|mutex|promise|future|task|object|struct|tuple|option|box|arc|rc|some|ok|err|pair|timer|stopwatch|cell|state|context|copy|clone)$`)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// addsElement is what adds one element to a collection, whose name begins the line or stands
// behind something that matches before.
func addsElement(before, name string) *regexp.Regexp {
	name = regexp.QuoteMeta(name)
	return regexp.MustCompile(`(?:^|` + before + `)` + name + `(?:(?:\.|->)(?:push|push_back|emplace_back|append|add|Add|insert|unshift|extend)\s*\(|\s*<<|\[\]\s*=[^=]|\s*=\s*append\(\s*` + name + `\s*,)`)
}
