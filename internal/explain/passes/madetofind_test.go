package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestMadeToFind(t *testing.T) {
	const native = profile.KindNative
	const moves = `
func (p *Position) validMoves() []Move {
	return made(p)  @3
}
`
	checkAll(t, map[string]written{
		"a name for all": {"/me/a.go", `
func parse(p *Position, word string) (found *Move) {
	moves := p.validMoves()  @1
	for _, m := range moves {
		if m.name() != word {
			continue
		}
		found = &m
		break
	}
	return found
}
func main() { other() }  @2
` + moves, "parse@1 validMoves@3", "main@2", native, RuleForOne, "@1 makes"},
		"in the header": {"/me/a.py", `
def parse(position, word):
    for m in position.valid_moves():  @1
        if m.name == word:
            return m
parse(P, W)  @2

def valid_moves(self):
    return made(self)  @3
`, "parse@1 valid_moves@3", "parse@2", profile.KindPython, RuleForOne, "@1 makes"},
		"one at a time": {"/me/a.py", `
def parse(position, word):
    for m in position.valid_moves():  @1
        if m.name == word:
            return m
parse(P, W)  @2

def valid_moves(self):
    for m in made(self):
        yield m  @3
`, "parse@1 valid_moves@3", "parse@2", profile.KindPython, "", ""},
		"all are used": {"/me/a.go", `
func parse(p *Position, word string) (found *Move) {
	moves := p.validMoves()  @1
	for _, m := range moves {
		if m.name() == word {
			found = &m
			break
		}
	}
	p.keep(moves)
	return found
}
func main() { other() }  @2
` + moves, "parse@1 validMoves@3", "main@2", native, "", ""},
		"some are collected": {"/me/a.go", `
func parse(p *Position, word string) (found []Move) {
	for _, m := range p.validMoves() {  @1
		if len(found) > 3 {
			break
		}
		found = append(found, m)
	}
	return found
}
func main() { other() }  @2
` + moves, "parse@1 validMoves@3", "main@2", native, "", ""},
		"to the end": {"/me/a.go", `
func parse(p *Position, word string) {
	for _, m := range p.validMoves() {  @1
		play(m)
	}
}
func main() { other() }  @2
` + moves, "parse@1 validMoves@3", "main@2", native, "", ""},
	})
}
