package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestSortedWheneverAsked(t *testing.T) {
	checkAll(t, map[string]written{
		"a property of Kotlin": {"/me/Roster.kt", `
class Roster(private val workers: List<Worker>) {
    val bySeniority: List<Worker>
        get() = workers.filter { it.skills.isNotEmpty() }.sortedWith(compareBy({ it.hired }, { it.name }))  @1

    fun assign(s: Shift): Worker? {
        for (i in 0 until n) {
            val w = bySeniority[i]  @2
            use(w)  @3
        }
    }
}
`, "assign@2 getBySeniority@1 sort", "assign@3", profile.KindJava, RuleSortedAccess, "@1 workers"},
		"a property of Python": {"/me/a.py", `
class Board:
    @property
    def ranking(self):
        return sorted(self.players, key=lambda p: -p.score)  @1

def main(board):
    for name in NAMES:
        show(board.ranking[0], name)  @2
        use(name)  @3
`, "main@2 ranking@1 list_sort", "main@3", profile.KindPython, RuleSortedAccess, "@1 self.players"},
		"a getter of JavaScript": {"/me/a.js", `
class Board {
  get ranking() {
    return [...this.players].sort((a, b) => b.score - a.score);  @1
  }
}
function main(board) {
  for (const name of NAMES) {
    show(board.ranking[0], name);  @2
    use(name);  @3
  }
}
`, "main@2 ranking@1 ArrayTimSort", "main@3", profile.KindJS, RuleSortedAccess, "@1 this.players"},
		"kept": {"/me/a.py", `
class Board:
    @cached_property
    def ranking(self):
        return sorted(self.players, key=lambda p: -p.score)  @1

def main(board):
    for name in NAMES:
        show(board.ranking[0], name)  @2
        use(name)  @3
`, "main@2 ranking@1 list_sort", "main@3", profile.KindPython, "", ""},
		"asked once": {"/me/a.py", `
class Board:
    def ranking(self):
        return sorted(self.players, key=lambda p: -p.score)  @1

def main(board):
    show(board.ranking())  @2
    use(name)  @3
`, "main@2 ranking@1 list_sort", "main@3", profile.KindPython, "", ""},
		"a property of C#": {"/me/Board.cs", `
class Board {
  public List<Player> Ranking => players.OrderBy(p => p.Score).ToList();  @1
  void Show() {
    foreach (var name in names) {
      Print(Ranking[0], name);  @2
      Use(name);  @3
    }
  }
}
`, "Show@2 get_Ranking@1 QuickSort", "Show@3", profile.KindDotNet, RuleSortedAccess, "@1 players"},
		"a variable of C#": {"/me/Board.cs", `
class Board {
  void Show(Group g) {
    foreach (var name in names) {
      var ranking = players.OrderBy(p => p.Score).ToList();  @1
      Use(name);  @3
    }
  }
}
`, "Main@2 Show@1 QuickSort", "Show@3", profile.KindDotNet, "", ""},
		"of what it is given": {"/me/a.py", `
class Board:
    def ranking(self, group):
        return sorted(self.players[group], key=lambda p: -p.score)  @1

def main(board):
    for name in NAMES:
        show(board.ranking(name))  @2
        use(name)  @3
`, "main@2 ranking@1 list_sort", "main@3", profile.KindPython, "", ""},
	})
}
