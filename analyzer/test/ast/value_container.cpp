// Containers passed by value that are only read.
#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>

using Moves = std::vector<int>;
Moves global;

int count(std::vector<int> v) { // expect: value-container
  int n = 0;
  for (int x : v)
    n += x;
  return n;
}

static int find(std::map<std::string, int> m, const std::string &key) { // expect: value-container
  auto it = m.find(key);
  return it == m.end() ? 0 : it->second;
}

struct Board {
  int score(Moves moves) const { // expect: value-container
    return moves.empty() ? 0 : moves[0] + moves.back();
  }
  virtual int weigh(Moves moves) { return moves[0]; } // a base class says what it takes
  Board() = default;
  explicit Board(Moves m) : mine(std::move(m)) {}
  Moves mine;
};

int use(const Moves &m) {
  Board b;
  int t = 0;
  for (int i = 0; i < 10; i++)
    t += count(m) + find({}, "x") + b.score(m);
  return t;
}

// What follows needs its copy.

int sorted(std::vector<int> v) {
  std::sort(v.begin(), v.end());
  return v[0];
}

int popped(std::vector<int> v) {
  v.pop_back();
  return v.back();
}

Moves same(Moves v) { return v; }

void store(Moves v) { global = std::move(v); }

int element(Moves v) {
  v[0] = 1;
  return v[0];
}

int reference(const Moves &v) { return v[0]; }

int swapped(Moves v) {
  v.swap(global);
  return v[0];
}

int inner(Moves v) {
  auto f = [v] { return v[0]; };
  return f();
}

void run(Moves v) { // a thread needs its own
  int n = v[0];
  (void)n;
}
void start(const Moves &m) { std::thread(run, m).join(); }

int text(std::string s) { return s.size(); }

template <class T> int generic(std::vector<T> v) { return v[0]; }
int instance(const Moves &m) { return generic(m); }
