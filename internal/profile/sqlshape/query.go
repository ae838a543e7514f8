package sqlshape

import (
	"slices"
	"strings"
)

// Query is what a shape says of a statement.
type Query struct {
	Verb     string   // SELECT, in capitals
	Tables   []string // as they are written, in their order
	Equal    []string // columns that conditions compare by = or IN
	Range    []string // by <, > and BETWEEN
	Like     []string // by LIKE
	Computed []string // expressions over a column that conditions compare: lower(email)
	Order    []string // columns, with DESC
	Collate  []string // collations that comparisons ask for: NOCASE

	// The clauses that there are.
	Where, HasLimit, HasOffset, Distinct, CountAll, Grouped bool

	Random     bool // ORDER BY a random number
	NotIn      bool // NOT IN (SELECT …)
	Correlated bool // a query in the list of what is selected names an outer table
	Lists      bool // IN (…)
}

// keywords end a name, or are none.
var keywords = []string{
	"select", "from", "where", "and", "or", "not", "in", "like", "ilike", "glob", "between", "is", "null", "on", "join", "left", "right", "inner", "outer", "cross", "natural",
	"full", "group", "order", "by", "having", "limit", "offset", "union", "all", "distinct", "as", "set", "values", "into", "update", "insert", "delete", "case", "when", "then",
	"else", "end", "exists", "any", "using", "asc", "desc", "returning", "for", "with", "escape", "collate", "regexp", "rlike", "match", "fetch", "except", "intersect", "lateral", "only",
	"true", "false", "default", "similar", "to", "div", "mod", "xor", "some", "window", "partition", "over", "straight_join", "force", "use", "ignore", "index",
}

func isKeyword(t token) bool { return t.is(keywords...) }

// Parse reads a shape. What it does not understand it leaves out.
func Parse(shape string) Query {
	tokens, _ := scan(shape, Postgres, false)
	p := parser{tokens: tokens}
	return p.query()
}

type parser struct{ tokens []token }

func (p parser) at(i int) token {
	if i < 0 || i >= len(p.tokens) {
		return token{kind: operator}
	}
	return p.tokens[i]
}

func (p parser) query() (q Query) {
	q.Verb = strings.ToUpper(p.at(0).text)
	depth, condition := 0, 0 // condition: the depth of a WHERE or ON and one, 0 outside
	ordering := false
	for i, t := range p.tokens {
		switch {
		case t.op("("):
			depth++
			q.CountAll = q.CountAll || p.at(i-1).is("count") && p.at(i+1).op("*") && p.at(i+2).op(")")
		case t.op(")"):
			depth--
			if condition > depth+1 {
				condition = 0
			}
		case t.is("from") && p.isPart(i):
		case t.is("from", "join", "update", "into") && isName(p.at(i+1)):
			if name := p.name(i + 1); !slices.Contains(q.Tables, name) {
				q.Tables = append(q.Tables, name)
			}
			condition = 0
		case t.is("where", "on", "having"):
			condition = depth + 1
			q.Where = q.Where || t.is("where")
		case t.is("select"):
			q.Distinct = q.Distinct || depth == 0 && p.at(i+1).is("distinct")
			q.Correlated = q.Correlated || depth > 0 && p.at(i-1).op("(") && p.isSelected(i) && p.namesOuter(i)
			condition = 0
		case t.is("group") && p.at(i+1).is("by"):
			q.Grouped, condition = true, 0
		case t.is("order") && p.at(i+1).is("by") && !p.at(i-1).op("("):
			condition, ordering = 0, depth == 0
			q.Random = q.Random || p.at(i+2).is("rand", "random") && p.at(i+3).op("(")
			if ordering {
				q.Order = p.order(i + 2)
			}
		case t.is("limit"):
			q.HasLimit, condition = true, 0
			q.HasOffset = q.HasOffset || p.at(i+2).op(",")
		case t.is("offset"):
			q.HasOffset = true
		}
		if condition > 0 {
			p.condition(i, &q)
			if name := strings.ToUpper(p.at(i + 1).text); t.is("collate") && isName(p.at(i+1)) && !slices.Contains(q.Collate, name) {
				q.Collate = append(q.Collate, name)
			}
		}
	}
	return q
}

// isPart says whether FROM belongs to a function: EXTRACT(year FROM created).
func (p parser) isPart(i int) bool {
	depth := 0
	for i--; i >= 0; i-- {
		switch t := p.at(i); {
		case t.op(")"):
			depth++
		case t.op("(") && depth > 0:
			depth--
		case t.op("("):
			return p.at(i-1).is("extract", "substring", "trim", "overlay")
		case depth == 0 && t.is("select", "delete"):
			return false
		}
	}
	return false
}

// name is the name that begins at a token: users, public.users.
func (p parser) name(i int) string {
	out := p.at(i).text
	for p.at(i+1).op(".") && p.at(i+2).kind != operator {
		out += "." + p.at(i+2).text
		i += 2
	}
	return out
}

// column is the name that ends at a token, with what it begins with; "" for none.
func (p parser) column(i int) (name string, from int) {
	if !isName(p.at(i)) {
		return "", i
	}
	name = p.at(i).text
	for p.at(i-1).op(".") && isName(p.at(i-2)) {
		i -= 2
	}
	return name, i
}

// columnAfter is the name behind a token; "" where it is a function's, or a part of an expression.
func (p parser) columnAfter(i int) string {
	at := i + 1
	if !isName(p.at(at)) {
		return ""
	}
	for p.at(at+1).op(".") && isName(p.at(at+2)) {
		at += 2
	}
	if p.isOperand(at+1) || p.at(at+1).op("(") || p.at(at+1).op("::") {
		return ""
	}
	return p.at(at).text
}

// condition reads the comparison at a token.
func (p parser) condition(i int, q *Query) {
	t := p.at(i)
	add := func(to *[]string, name string) {
		if name != "" && !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	left := i - 1
	if p.at(left).is("not") {
		left--
	}
	var to *[]string
	switch {
	case t.op("="), t.op("=="), t.op("<=>"):
		to = &q.Equal
	case t.is("in"):
		to = &q.Equal
		q.Lists = q.Lists || p.at(i+1).op("(") && p.at(i+2).text == cut
		if p.at(i - 1).is("not") {
			q.NotIn = q.NotIn || p.at(i+1).op("(") && p.at(i+2).is("select")
			return
		}
	case isComparison(t) && !t.op("<>") && !t.op("!="):
		to = &q.Range
	case t.is("between"):
		to = &q.Range
	case t.is("like", "ilike", "glob"):
		to = &q.Like
	default:
		return
	}
	if name, from := p.column(left); name != "" && !p.at(from-1).op("::") {
		if p.isOperand(from-1) && p.hasColumn(from-2) {
			add(&q.Computed, write(p.tokens[p.begin(from-2):left+1]))
			return
		}
		add(to, name)
		return
	}
	if name := p.columnAfter(i); p.at(left).kind == param && name != "" { // SQLAlchemy writes ? = line.order_id
		add(to, name)
		return
	}
	if from := p.begin(left); from < left && p.columnsOf(from, left) {
		add(&q.Computed, write(p.tokens[from:left+1]))
	}
}

// isOperand: an operator that computes.
func (p parser) isOperand(i int) bool {
	t := p.at(i)
	return t.op("+") || t.op("-") || t.op("*") || t.op("/") || t.op("%") || t.op("||")
}

func (p parser) hasColumn(i int) bool {
	name, _ := p.column(i)
	return name != "" || p.at(i).kind == param || p.at(i).op(")")
}

// begin is where the expression begins that ends at a token: of lower(u.email) at lower.
func (p parser) begin(i int) int {
	switch t := p.at(i); {
	case t.op(")"):
		depth := 0
		for ; i >= 0; i-- {
			if p.at(i).op(")") {
				depth++
			}
			if p.at(i).op("(") {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if i < 0 {
			return 0
		}
		if isName(p.at(i - 1)) {
			i--
		}
	case t.kind == word && p.at(i-1).op("::"):
		return p.begin(i - 2)
	default:
		_, i = p.column(i)
	}
	if p.isOperand(i-1) && i >= 2 {
		return p.begin(i - 2)
	}
	return i
}

// columnsOf says whether a column is within an expression, and no query.
func (p parser) columnsOf(from, to int) bool {
	found := false
	for i := from; i <= to; i++ {
		t := p.at(i)
		if t.is("select") {
			return false
		}
		found = found || isName(t) && !p.at(i+1).op("(") && !p.at(i-1).op("::")
	}
	return found
}

// order gives the columns of ORDER BY, none where one of them is an expression.
func (p parser) order(i int) (out []string) {
	for {
		for p.at(i + 1).op(".") {
			i += 2
		}
		if !isName(p.at(i)) || p.at(i+1).op("(") {
			return nil
		}
		name := p.at(i).text
		i++
		if p.at(i).is("asc", "desc") {
			if p.at(i).is("desc") {
				name += " DESC"
			}
			i++
		}
		out = append(out, name)
		if !p.at(i).op(",") {
			return out
		}
		i++
	}
}

// isSelected says whether the query that begins at a token is in the list of what another
// one selects: no FROM comes between both.
func (p parser) isSelected(i int) bool {
	depth := 0
	for i -= 2; i >= 0; i-- {
		switch t := p.at(i); {
		case t.op(")"):
			depth++
		case t.op("("):
			depth--
		case depth == 0 && t.is("select"):
			return true
		case depth == 0 && t.is("from", "where", "join", "set", "values", "in", "exists", "having"):
			return false
		}
	}
	return false
}

// namesOuter says whether the query that begins at a token names a table that is not its
// own, and is not one of another query inside it.
func (p parser) namesOuter(i int) bool {
	depth := 0
	var own, named []string
	for ; i < len(p.tokens) && depth >= 0; i++ {
		t := p.at(i)
		switch {
		case t.op("("):
			depth++
		case t.op(")"):
			depth--
		case t.is("from", "join") && isName(p.at(i+1)):
			at := i + 1
			for p.at(at + 1).op(".") {
				at += 2
			}
			own = append(own, p.at(at).text)
			if p.at(at + 1).is("as") {
				at++
			}
			if isName(p.at(at + 1)) {
				own = append(own, p.at(at+1).text)
			}
		case isName(t) && p.at(i+1).op(".") && !p.at(i-1).op(".") && !p.at(i-1).is("from", "join"):
			named = append(named, t.text)
		}
	}
	return slices.ContainsFunc(named, func(n string) bool { return !slices.Contains(own, n) })
}
