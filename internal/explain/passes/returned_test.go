package passes

import (
	"testing"

	"whyhot/internal/profile"
)

// A function gives a copy of what is kept elsewhere.
func TestCopiesThatAreReturned(t *testing.T) {
	const copies = "main@3 all@1 std::vector<Item>::vector"
	checkAll(t, map[string]written{
		"a member": {"/me/a.cpp", `
std::vector<Item> all() const { return items_; }  @1
int main() {
  return count(store.all());  @3
}
`, copies, "main@3", profile.KindNative, RuleReturned, "@1 items_;"},
		"a local variable is moved": {"/me/a.cpp", `
std::vector<Item> all() const {
  std::vector<Item> items(n);
  return items;  @1
}
int main() {
  return count(store.all());  @3
}
`, copies, "main@3", profile.KindNative, "", ""},
		"what an iterator leads to": {"/me/a.cpp", `
Plan Catalog::planFor(const Subscriber& s) const {
  auto it = plans_.find(s.plan);
  return it->second;  @1
}
int main() {
  rate(catalog.planFor(caller));  @3
}
`, "main@3 Catalog::planFor@1 Plan::Plan std::vector<Band>::vector", "main@3", profile.KindNative, RuleReturned, "@1 it->second;"},
		"what an iterator leads to, or none": {"/me/a.cpp", `
Plan Catalog::planFor(const Subscriber& s) const {
  auto it = plans_.find(s.plan);
  return it == plans_.end() ? Plan() : it->second;  @1
}
int main() {
  rate(catalog.planFor(caller));  @3
}
`, "main@3 Catalog::planFor@1 Plan::Plan std::vector<Band>::vector", "main@3", profile.KindNative, RuleReturned, "@1 it->second;"},
		"a function in a line, which does more": {"/me/a.cpp", `
static bool matches(const char *p, const char *s) { Pattern r(p); bool ok = r.match(s); return ok; }  @1
int main() {
  return count(matches(a, b));  @3
}
`, copies, "main@3", profile.KindNative, "", ""},
		"a number in C": {"/me/a.c", `
int size(const struct store *s) {
  return s->size;  @1
}
int main() {
  return count(size(s));  @3
}
`, copies, "main@3", profile.KindNative, "", ""},
		"a member, or none": {"/me/a.cpp", `
std::vector<Item> Store::all() const {
  return closed_ ? std::vector<Item>{} : items_;  @1
}
int main() {
  return count(store.all());  @3
}
`, copies, "main@3", profile.KindNative, RuleReturned, "@1 items_;"},
		"one of two that are made": {"/me/a.cpp", `
std::vector<Item> Store::all() const {
  return closed_ ? none() : made();  @1
}
int main() {
  return count(store.all());  @3
}
`, copies, "main@3", profile.KindNative, "", ""},
		"what a local reference is of": {"/me/a.cpp", `
Plan Catalog::planFor(const Subscriber& s) const {
  const Plan& plan = plans_.at(s.plan);
  return plan;  @1
}
int main() {
  rate(catalog.planFor(caller));  @3
}
`, "main@3 Catalog::planFor@1 Plan::Plan std::vector<Band>::vector", "main@3", profile.KindNative, RuleReturned, "@1 plan;"},
		"a member of a parameter": {"/me/a.cpp", `
std::string nameOf(const User& user) {
  return user.name;  @1
}
int main() {
  print(nameOf(user));  @3
}
`, "main@3 nameOf@1 std::__cxx11::basic_string<char>::basic_string", "main@3", profile.KindNative, RuleReturned, "@1 user.name;"},
		"of a parameter by value": {"/me/a.cpp", `
std::string nameOf(User user) {
  return user.name;  @1
}
int main() {
  print(nameOf(user));  @3
}
`, "main@3 nameOf@1 std::__cxx11::basic_string<char>::basic_string", "main@3", profile.KindNative, "", ""},
		"what a loop goes through": {"/me/a.cpp", `
std::vector<Item> all() const { return items_; }  @1
int main() {
  for (auto s : store.all()) {  @3
    n += s.weight;
  }
}
`, copies, "main@3 Item::Item std::vector<Part>::vector", profile.KindNative, RuleElements, "@3 all of store.all(),"},
		"only its elements": {"/me/a.cpp", `
int main() {
  for (auto s : store.all()) {  @3
    n += s.weight;  @1
  }
}
`, "main@3 Item::Item std::vector<Part>::vector", "main@1", profile.KindNative, RuleElements, "@3 store.all();"},
		"made by the call": {"/me/a.cpp", `
int main() {
  for (auto s : store.all()) {  @3
    n += s.weight;  @1
  }
}
`, "main@3 Store::all std::vector<Item>::vector", "main@1", profile.KindNative, "", ""},
		"Rust": {"/me/a.rs", `
    pub fn entries(&self) -> Vec<Entry> {
        self.entries.clone()  @1
    }
    fn sum(&self) -> u64 {
        self.entries().iter().map(|e| e.size).sum()  @3
    }
`, "sum@3 entries@1 clone", "sum@3", profile.KindNative, RuleReturned, "@1 self.entries;"},
		"Java": {"/me/A.java", `
class A {
  List<Row> rows() {
    return new ArrayList<>(rows);  @1
  }
  int count() {
    return rows().size();  @3
  }
}
`, "count@3 rows@1 java.util.ArrayList.<init>", "count@3", profile.KindJava, RuleReturned, "@1 rows;"},
		"of a parameter": {"/me/A.java", `
class A {
  List<Row> sorted(List<Row> rows) {
    return new ArrayList<>(rows);  @1
  }
  int count() {
    return sorted(all).size();  @3
  }
}
`, "count@3 sorted@1 java.util.ArrayList.<init>", "count@3", profile.KindJava, "", ""},
		"Python": {"/me/a.py", `
class A:
    def rows(self):
        return list(self._rows)  @1
def count(a):
    return len(a.rows())  @3
`, "count@3 rows@1", "count@3", profile.KindPython, RuleReturned, "@1 self._rows;"},
	})
}

// A variable is a copy of what a call gives by reference.
func TestVariablesThatAreCopies(t *testing.T) {
	const copied = "main Rater::rate@3 Plan::Plan std::vector<Band>::vector"
	checkAll(t, map[string]written{
		"what a call gives": {"/me/a.cpp", `
void Rater::rate(const Usage& usage) {
    Account& account = accounts_[usage.who];
    const auto plan = catalog_.plan(account.code);  @3
    charge(plan);
}
`, copied, "Rater::rate@3", profile.KindNative, RuleReturned, "@3 catalog_.plan(account.code)"},
		"a reference": {"/me/a.cpp", `
void Rater::rate(const Usage& usage) {
    Account& account = accounts_[usage.who];
    const auto& plan = catalog_.plan(account.code);  @3
    charge(plan);
}
`, copied, "Rater::rate@3", profile.KindNative, "", ""},
		"what the called function makes": {"/me/a.cpp", `
void Rater::rate(const Usage& usage) {
    Account& account = accounts_[usage.who];
    const auto plan = catalog_.plan(account.code);  @3
    charge(plan);
}
`, "main Rater::rate@3 Catalog::plan Plan::Plan std::vector<Band>::vector", "Rater::rate@3", profile.KindNative, "", ""},
		"a conversion": {"/me/a.cpp", `
void Rater::rate(const Usage& usage) {
    Account& account = accounts_[usage.who];
    const std::string name = nameOf(account);  @3
    charge(name);
}
`, "main Rater::rate@3 std::__cxx11::basic_string<char>::basic_string", "Rater::rate@3", profile.KindNative, "", ""},
	})
}

// What frees the copy, where the caller's block ends, goes with it; what frees others does not.
func TestWhatFreesTheCopyThatIsReturned(t *testing.T) {
	p := read("/me/a.cpp", `
Plan Catalog::planFor(const Subscriber& s) const {
  return plans_[s.plan];  @1
}
void rate() {
  const Plan plan = catalog.planFor(caller);  @3
}  @5
`, profile.KindNative)
	p.add(400, "main rate@3 Catalog::planFor@1 Plan::Plan std::vector<Band>::vector")
	p.add(200, "main rate@5 Plan::~Plan std::vector<Band>::~vector")
	p.add(200, "main rate@5 Price::~Price std::vector<Band>::~vector")
	p.add(200, "main@3 Plan::~Plan std::vector<Band>::~vector")
	got := p.found(t)
	if len(got) != 1 || got[0].Rule != RuleReturned || *got[0].Share.Inclusive != 0.6 {
		t.Errorf("%+v", got)
	}
}
