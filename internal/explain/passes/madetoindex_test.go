package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestMadeToIndex(t *testing.T) {
	const python = profile.KindPython
	const cells = `
    @property
    def _cells(self):
        cells = []
        for tc in self._table.all():
            cells.append(Cell(tc))  @4
        return cells
def audit(table):
    for row in range(rows):
        for column in range(columns):
            print(table.cell(row, column))  @1
audit(T)  @2
`
	checkAll(t, map[string]written{
		"a property": {"/me/a.py", `
class Table:
    def cell(self, row, column):
        return self._cells[column + row * self.width]  @3
` + cells, "audit@1 cell@3 _cells@4", "audit@2", python, RuleForOne, "@3 makes all to give one;"},
		"a slice": {"/me/a.py", `
class Table:
    def cell(self, row):
        return self._cells[row * self.width:]  @3
` + cells, "audit@1 cell@3 _cells@4", "audit@2", python, "", ""},
		"with arguments": {"/me/a.py", `
class Table:
    def cell(self, row, column):
        return self.made(row)[column]  @3
    def made(self, row):
        cells = []
        for tc in self._table.all():
            cells.append(Cell(tc, row))  @4
        return cells
def audit(table):
    for row in range(rows):
        print(table.cell(row, 1))  @1
audit(T)  @2
`, "audit@1 cell@3 made@4", "audit@2", python, "", ""},
		"asked once": {"/me/a.py", `
class Table:
    def first(self):
        return self._cells[0]  @3
    @property
    def _cells(self):
        cells = []
        for tc in self._table.all():
            cells.append(Cell(tc))  @4
        return cells
print(T.first())  @1
other()  @2
`, "<module>@1 first@3 _cells@4", "<module>@2", python, "", ""},
		"a getter of JavaScript": {"/me/a.js", `
class Table {
  cell(row, column) {
    return this.cells[column + row * this.width];  @3
  }
  get cells() {
    const out = [];
    for (const r of this.rows) {
      out.push(new Cell(r));  @4
    }
    return out;
  }
}
function audit(table) {
  for (let i = 0; i < 9; i++) {
    show(table.cell(i, 1));  @1
  }
}
audit(T);  @2
`, "audit@1 cell@3 cells@4", "audit@2", profile.KindJS, RuleForOne, "@3 makes all to give one;"},
	})
}
