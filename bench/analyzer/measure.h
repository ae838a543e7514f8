// Times arms of one comparison in turn, in an order that changes with every
// round, by the thread's CPU time: other work on the machine costs it cache, not
// seconds. Prints "label arm nanoseconds-a-call" for each round; ratios.py makes
// ratios with intervals of them.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

struct Arm {
  std::string Name;
  std::function<void()> Call;
};

inline double cpuSeconds() {
  timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return double(T.tv_sec) + 1e-9 * double(T.tv_nsec);
}

// Keeps a result from being computed for nobody.
template <typename T> void keep(T &&Value) { asm volatile("" : : "g"(&Value) : "memory"); }

inline void measure(const std::string &Label, const std::vector<Arm> &Arms) {
  constexpr double Slice = 2e-3; // seconds an arm runs in a round
  const char *Wish = std::getenv("ROUNDS");
  const int Rounds = Wish ? std::atoi(Wish) : 61;
  std::vector<long> Calls;
  for (const Arm &A : Arms) {
    long N = 1;
    for (;; N *= 2) {
      const double Start = cpuSeconds();
      for (long I = 0; I < N; ++I)
        A.Call();
      if (cpuSeconds() - Start > Slice / 2)
        break;
    }
    Calls.push_back(N);
  }
  std::mt19937 Order(1);
  std::vector<size_t> Turn(Arms.size());
  for (size_t I = 0; I < Turn.size(); ++I)
    Turn[I] = I;
  for (int R = 0; R < Rounds; ++R) {
    std::shuffle(Turn.begin(), Turn.end(), Order);
    for (size_t I : Turn) {
      const double Start = cpuSeconds();
      for (long N = 0; N < Calls[I]; ++N)
        Arms[I].Call();
      std::printf("%s\t%s\t%.4f\n", Label.c_str(), Arms[I].Name.c_str(), (cpuSeconds() - Start) * 1e9 / double(Calls[I]));
    }
  }
}
