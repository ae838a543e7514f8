// std::vector<bool>: loops over its elements, and copies of it.
#include <bitset>
#include <utility>
#include <vector>

// Every element is masked out of a word.
int countSet(const std::vector<bool> &v) {
  int n = 0;
  for (size_t i = 0; i < v.size(); ++i) // expect: vector-bool
    n += v[i];
  return n;
}

// A range-for goes through the same proxies.
int countFor(const std::vector<bool> &v) {
  int n = 0;
  for (bool b : v) // expect: vector-bool
    n += b;
  return n;
}

// Appending bit by bit.
void append(std::vector<bool> &to, int n) {
  for (int i = 0; i < n; ++i) // expect: vector-bool
    to.push_back(i & 1);
}

// A copy of the whole vector, outside any loop.
void assign(std::vector<bool> &to, const std::vector<bool> &from) {
  to = from; // expect: vector-bool
}

struct Row {
  int id;
  std::vector<bool> set;
};
// The copy of each row copies its bits.
int sumCopies(const std::vector<Row> &rows) {
  int n = 0;
  for (Row r : rows) // expect: vector-bool
    n += r.id;
  return n;
}

struct Table {
  Row first;
};
// However deep it lies.
void assignIn(Table *to, const Table *from, int n) {
  for (int i = 0; i < n; ++i)
    to[i] = from[i]; // expect: vector-bool
}

double work(double);
// Where the loop does other work, it is the line that touches the bits.
double weigh(const std::vector<bool> &v, const std::vector<double> &w) {
  double sum = 0;
  for (size_t i = 0; i < w.size(); ++i) {
    double x = work(w[i]);
    if (v[i]) // expect: vector-bool
      sum += x;
  }
  return sum;
}

// Two vectors in one loop are two declarations of one place.
int both(const std::vector<bool> &a, std::vector<bool> &b) {
  int n = 0;
  for (size_t i = 0; i < a.size(); ++i) // expect: vector-bool
    if (a[i] && b[i])
      ++n;
  return n;
}

// Iterators lead to what they are of.
int byIterator(std::vector<bool> &v) {
  int n = 0;
  for (std::vector<bool>::iterator i = v.begin(); i != v.end(); ++i) // expect: vector-bool
    if (*i)
      ++n;
  return n;
}

// Bytes are no bits.
int countBytes(const std::vector<char> &v) {
  int n = 0;
  for (size_t i = 0; i < v.size(); ++i)
    n += v[i];
  return n;
}

// A bitset is counted by words.
size_t countBits(const std::bitset<128> &b) { return b.count(); }

// One element, once.
bool one(const std::vector<bool> &v) { return v[3]; }

// A move takes the words as they are.
void take(std::vector<bool> &to, std::vector<bool> &from) { to = std::move(from); }

// Rows by reference are not copied.
int sumReferences(const std::vector<Row> &rows) {
  int n = 0;
  for (const Row &r : rows)
    n += r.id;
  return n;
}

// Its size is no element.
size_t total(const std::vector<std::vector<bool>> &vs) {
  size_t n = 0;
  for (const auto &v : vs)
    n += v.size();
  return n;
}
