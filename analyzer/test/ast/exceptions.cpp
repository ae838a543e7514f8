// Exceptions as control flow inside loops.
#include <stdexcept>
#include <string>
#include <vector>

void use(int);

struct Missing : std::runtime_error {
  Missing() : std::runtime_error("missing") {}
};
inline int find(const std::vector<int> &v, int x) {
  for (int y : v)
    if (y == x)
      return y;
  throw Missing();
}

// Thrown in a function at hand, caught for every element.
int findAll(const std::vector<int> &v, const std::vector<int> &wanted) {
  int missing = 0;
  for (int w : wanted) { // expect: exceptions-control-flow
    try {
      use(find(v, w));
    } catch (const Missing &) {
      ++missing;
    }
  }
  return missing;
}

// Thrown and caught in the same iteration.
void skipNegative(const int *v, int n) {
  for (int i = 0; i < n; ++i) { // expect: exceptions-control-flow
    try {
      if (v[i] < 0)
        throw v[i];
      use(v[i]);
    } catch (int) {
    }
  }
}

// Parsing by trial.
int sumNumbers(const std::vector<std::string> &words) {
  int s = 0;
  for (const auto &w : words) { // expect: exceptions-control-flow
    try {
      s += std::stoi(w);
    } catch (const std::invalid_argument &) {
      continue;
    }
  }
  return s;
}

// A base class catches, and everything does.
void anything(const int *v, int n) {
  int i = 0;
  while (i < n) { // expect: exceptions-control-flow
    try {
      if (v[i++] == 0)
        throw Missing();
    } catch (...) {
      use(0);
    }
  }
}

// The first exception ends the loop: it costs once.
int firstBad(const int *v, int n) {
  for (int i = 0; i < n; ++i) {
    try {
      if (v[i] < 0)
        throw i;
    } catch (int at) {
      return at;
    }
  }
  return -1;
}

// The handler is outside the loop.
bool allGood(const int *v, int n) {
  try {
    for (int i = 0; i < n; ++i)
      if (v[i] < 0)
        throw i;
  } catch (int) {
    return false;
  }
  return true;
}

// Another type is caught here: the exception leaves the loop.
void otherType(const int *v, int n) {
  for (int i = 0; i < n; ++i) {
    try {
      if (v[i] < 0)
        throw i;
    } catch (const Missing &) {
      use(1);
    }
  }
}

void external(int);
// Nothing is known to be thrown.
void guarded(const int *v, int n) {
  for (int i = 0; i < n; ++i) {
    try {
      external(v[i]);
    } catch (const std::exception &) {
      use(0);
    }
  }
}
