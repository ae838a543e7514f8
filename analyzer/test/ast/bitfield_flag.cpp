// Bit-fields of objects in memory, tested or updated in loops.
#include <atomic>

struct Page {
  unsigned dirty : 1;
  unsigned locked : 1;
  unsigned age : 6;
  int id;
};

// An update reads the word, changes a bit and writes the word.
void clean(Page *p, int n) {
  for (int i = 0; i < n; ++i) // expect: bitfield-flag
    p[i].dirty = 0;
}

// A test loads the word and masks it.
int dirtyPages(const Page *p, int n) {
  int found = 0;
  for (int i = 0; i < n; ++i) // expect: bitfield-flag
    if (p[i].dirty)
      ++found;
  return found;
}

// A counter in six bits.
void older(Page &p, int n) {
  for (int i = 0; i < n; ++i) // expect: bitfield-flag
    p.age++;
}

struct Job {
  unsigned ready : 1;
  unsigned failed : 1;
  std::atomic<int> users;
  void wait(const int *done, int n);
};
// Through implicit this, in a struct that threads share.
void Job::wait(const int *done, int n) {
  for (int i = 0; i < n; ++i) // expect: bitfield-flag
    ready |= done[i];
}

// Compound updates.
void lockAll(Page *p, const Page *end) {
  while (p != end) { // expect: bitfield-flag
    p->locked |= 1;
    ++p;
  }
}

// A private struct is a register.
int privateFlags(int n) {
  Page p{};
  int found = 0;
  for (int i = 0; i < n; ++i) {
    p.dirty = i & 1;
    found += p.dirty;
  }
  return found;
}

// Outside a loop.
void once(Page *p) { p->dirty = 1; }

// A plain member.
int ids(const Page *p, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i)
    s += p[i].id;
  return s;
}

// Tested before the loop.
int hoisted(const Page *p, const int *v, int n) {
  const bool dirty = p->dirty;
  int s = 0;
  for (int i = 0; i < n; ++i)
    s += dirty ? v[i] : 0;
  return s;
}
