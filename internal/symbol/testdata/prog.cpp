// A program with the shapes that symbolisation must tell apart: inlined calls in
// inlined calls, templates, lambdas, functions without linkage, constructors, a
// virtual destructor, a cold part, recursion and code from an included file.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "prog.h"

namespace shop {
namespace {

int hidden(int x) { return mix(x) ^ 5; }

struct Item {
  virtual ~Item() { released += price; }
  explicit Item(int p) : price(p) {}
  virtual int cost() const { return price * 3; }
  int price;
  static int released;
};
int Item::released;

struct Offer : Item {
  using Item::Item;
  int cost() const override { return twice(price) + hidden(price); }
};

template <typename T>
T total(const std::vector<T>& v) {
  T sum{};
  for (const T& x : v) sum += square(x);
  return sum;
}

static __attribute__((noinline)) int risky(int n) {
  if (n > 100000) throw std::runtime_error("too many: " + std::to_string(n));
  return n < 2 ? n : risky(n - 1) + risky(n - 2);
}

}  // namespace

int run(int n) {
  std::vector<int> v;
  for (int i = 0; i < n; i++) v.push_back(hidden(i));
  std::sort(v.begin(), v.end(), [](int a, int b) { return mix(a) > mix(b); });
  std::map<std::string, int> seen;
  for (int x : v) seen["k" + std::to_string(x % 7)] += twice(x);
  int out = total(v);
  for (auto& [k, n] : seen) out += n + static_cast<int>(k.size());
  Item* items[] = {new Item(out & 7), new Offer(out & 15)};
  for (Item* it : items) {
    out += it->cost();
    delete it;
  }
  struct Local {
    static int deep(int d) { return d == 0 ? 1 : square(d) + deep(d - 1); }
  };
  return out + Local::deep(n & 7) + risky(n & 15) + Item::released;
}

}  // namespace shop

extern "C" int plain_c_name(int x) { return shop::run(x) + mix(x); }

int main(int argc, char** argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 20;
  std::printf("%d\n", plain_c_name(n));
  return 0;
}

// The least number of 64 bits takes ten bytes of a signed LEB128, the last of which has only copies of the sign: a
// reader of unsigned ones takes it for too large, and the unit for damaged.
struct Limits {
  static constexpr long long least = -9223372036854775807LL - 1;
  long long at;
};

__attribute__((noinline)) long long above(const Limits &l) { return l.at - l.least; }
