// Containers whose contents are the same in every call.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

enum Kind { Number, Word, Other };
struct Entry { const char *name; int value; };
const std::string Prefix = "pre";
int outside(int);
void keep(std::vector<int> &);
void look(const std::vector<int> &);

Kind kindOf(const std::string &text) {
  const std::map<std::string, Kind> kinds = {{"number", Number}, {"word", Word}}; // expect: constant-container
  auto it = kinds.find(text);
  return it == kinds.end() ? Other : it->second;
}

bool isKeyword(const std::string &text) {
  std::set<std::string> keywords{"if", "else", "while"}; // expect: constant-container
  return keywords.count(text) > 0;
}

int lookUp(const std::string &text) {
  std::unordered_map<std::string, int> values = {{"a", 1}, {"b", 2}}; // expect: constant-container
  return values[text];
}

int sum() {
  std::vector<int> weights = {1, 2, 3, 4}; // expect: constant-container
  int total = 0;
  for (int w : weights)
    total += w;
  for (auto &w : weights)
    total += 2 * w;
  for (auto it = weights.begin(); it != weights.end(); ++it)
    total += *it;
  return total + weights[2] + static_cast<int>(weights.size());
}

bool matches(const std::string &text) {
  std::regex number("[0-9]+"); // expect: constant-container
  return std::regex_match(text, number);
}

bool known(const std::string &text) {
  std::vector<std::string> names = {Prefix, "b", "c"}; // expect: constant-container
  return std::find(names.begin(), names.end(), text) != names.end();
}

int named(int k) {
  const std::string names[] = {"one", "two", "three"}; // expect: constant-container
  return static_cast<int>(names[k].size());
}

int dispatch(int k) {
  std::map<int, std::function<int(int)>> calls = {{1, outside}, {2, [](int x) { return x; }}}; // expect: constant-container
  return calls.at(k)(k);
}

int pass() {
  std::vector<int> v{1, 2, 3}; // expect: constant-container
  look(v);
  return 0;
}

int entry() {
  const std::vector<Entry> entries = {{"a", 1}, {"b", 2}}; // expect: constant-container
  return entries.front().value;
}

// What follows is something else.

int once(const std::string &text) {
  static const std::map<std::string, int> values = {{"a", 1}, {"b", 2}};
  return values.at(text);
}

int changed() {
  std::vector<int> v = {3, 1, 2};
  std::sort(v.begin(), v.end());
  return v[0];
}

int grown(int n) {
  std::vector<int> v = {1, 2};
  v.push_back(n);
  return v.back();
}

int given(int n) {
  std::vector<int> v = {1, 2, n};
  return v[1];
}

std::vector<int> returned() {
  std::vector<int> v = {1, 2, 3};
  return v;
}

std::vector<int> given_away() {
  std::vector<int> v = {1, 2, 3};
  std::vector<int> w = std::move(v);
  return w;
}

int kept() {
  std::vector<int> v = {1, 2, 3};
  keep(v);
  return v[0];
}

int element() {
  std::vector<int> v = {1, 2, 3};
  v[1] = 7;
  return v[1];
}

int through() {
  std::vector<int> v = {1, 2, 3};
  for (auto &x : v)
    x++;
  return v[1];
}

int iterated() {
  std::map<int, int> m = {{1, 2}, {3, 4}};
  auto it = m.find(1);
  it->second = 5;
  return m[1];
}

int pointer() {
  std::vector<int> v = {1, 2, 3};
  int *p = v.data();
  p[0] = 4;
  return v[0];
}

int captured() {
  std::vector<int> v = {1, 2, 3};
  auto f = [&] { v.clear(); };
  f();
  return 0;
}

int numbers(int k) {
  const int table[] = {1, 2, 3}; // in read-only memory
  const std::array<int, 3> other = {1, 2, 3};
  return table[k] + other[k];
}

int empty() {
  std::vector<int> v(100);
  return v[3];
}

bool pattern(const std::string &text, const std::string &what) {
  std::regex given(what);
  return std::regex_match(text, given);
}

int computed() {
  std::vector<int> v = {outside(1), outside(2)};
  return v[0];
}
