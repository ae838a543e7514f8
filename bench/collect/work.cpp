// Fixed work for bench/collect/run.sh: two threads, deep stacks, inlined and
// library code. Prints the CPU seconds that it used.
//   work ROUNDS
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>
#include <sys/resource.h>

static volatile double sink;

__attribute__((noinline)) static double leaf(int n) {
  double s = 0;
  for (int i = 1; i < n; i++) s += std::sqrt(static_cast<double>(i));
  return s;
}

__attribute__((noinline)) static double descend(int depth, int n) {
  if (depth == 0) return leaf(n);
  return descend(depth - 1, n) + depth;  // not a tail call
}

__attribute__((noinline)) static double sorted(unsigned seed) {
  std::vector<std::string> v;
  for (int i = 0; i < 2000; i++) v.push_back(std::to_string(seed = seed * 1664525u + 1013904223u));
  std::sort(v.begin(), v.end());
  return static_cast<double>(v[0].size());
}

__attribute__((noinline)) static double counted(unsigned seed) {
  std::map<unsigned, int> m;
  for (int i = 0; i < 3000; i++) m[(seed = seed * 1664525u + 1013904223u) % 1000]++;
  return static_cast<double>(m.size());
}

static void work(int rounds) {
  std::function<double(int)> deep = [](int n) { return descend(20, n); };
  for (int i = 1; i <= rounds; i++) sink = deep(20000) + sorted(i) + counted(i);
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::thread other(work, rounds);
  work(rounds);
  other.join();
  rusage u;
  getrusage(RUSAGE_SELF, &u);
  std::printf("%.6f\n", u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6);
}
