// Pairs that need nothing but the standard library and POSIX. Run with the name
// of one side, and how often; run.py compares the CPU times of both.
#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <clocale>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <queue>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

unsigned random_state = 1;
unsigned next_random() { return random_state = random_state * 1664525U + 1013904223U; }

struct Shape {
  virtual ~Shape() = default;
  virtual int kind() const = 0;
};
struct Round : Shape {
  int r = 3;
  int kind() const override { return 0; }
};
struct Ellipse : Round {
  int kind() const override { return 1; }
};
struct Square : Shape {
  int a = 2;
  int kind() const override { return 2; }
};

std::vector<std::unique_ptr<Shape>> shapes() {
  std::vector<std::unique_ptr<Shape>> out;
  for (int i = 0; i < 1000; i++) {
    if (i % 3 == 0) out.push_back(std::make_unique<Round>());
    else if (i % 3 == 1) out.push_back(std::make_unique<Ellipse>());
    else out.push_back(std::make_unique<Square>());
  }
  return out;
}

long dynamic_casts() {
  long n = 0;
  auto all = shapes();
  for (int k = 0; k < 15000; k++)
    for (const auto& s : all) {
      if (auto* r = dynamic_cast<Round*>(s.get())) n += r->r;
      else if (auto* q = dynamic_cast<Square*>(s.get())) n += q->a;
    }
  return n;
}

long tags() {
  long n = 0;
  auto all = shapes();
  for (int k = 0; k < 15000; k++)
    for (const auto& s : all) {
      int kind = s->kind();
      if (kind <= 1) n += static_cast<Round*>(s.get())->r;
      else n += static_cast<Square*>(s.get())->a;
    }
  return n;
}

__attribute__((noinline)) long by_value(std::shared_ptr<std::vector<int>> v, int i) { return (*v)[i % v->size()]; }
__attribute__((noinline)) long by_reference(const std::shared_ptr<std::vector<int>>& v, int i) { return (*v)[i % v->size()]; }

// A second thread makes libstdc++ count atomically.
template <typename F>
long with_a_thread(F f) {
  std::atomic<bool> stop = false;
  std::mutex m;
  m.lock();
  std::thread other([&] { std::lock_guard<std::mutex> lock(m); });
  long n = f();
  m.unlock();
  other.join();
  return n;
}

long list_walk() {
  long n = 0;
  for (int r = 0; r < 12; r++) {
    std::list<int> l;
    for (int i = 0; i < 200000; i++) l.push_back(i);
    for (int k = 0; k < 5; k++)
      for (int v : l) n += v;
  }
  return n;
}

long vector_walk() {
  long n = 0;
  for (int r = 0; r < 12; r++) {
    std::vector<int> l;
    for (int i = 0; i < 200000; i++) l.push_back(i);
    for (int k = 0; k < 5; k++)
      for (int v : l) n += v;
  }
  return n;
}

// A heap of four children per node: half the levels, siblings side by side.
class Heap4 {
 public:
  void push(uint64_t v) {
    size_t i = a_.size();
    a_.push_back(v);
    while (i > 0 && a_[(i - 1) / 4] > v) {
      a_[i] = a_[(i - 1) / 4];
      i = (i - 1) / 4;
    }
    a_[i] = v;
  }
  uint64_t pop() {
    uint64_t top = a_[0], v = a_.back();
    a_.pop_back();
    size_t i = 0, n = a_.size();
    for (;;) {
      size_t c = 4 * i + 1;
      if (c >= n) break;
      size_t m = c;
      for (size_t j = c + 1; j < std::min(c + 4, n); j++)
        if (a_[j] < a_[m]) m = j;
      if (a_[m] >= v) break;
      a_[i] = a_[m];
      i = m;
    }
    if (n > 0) a_[i] = v;
    return top;
  }

 private:
  std::vector<uint64_t> a_;
};

uint64_t timers(bool flat) {
  uint64_t now = 0, n = 0;
  if (flat) {
    Heap4 q;
    for (int i = 0; i < 200000; i++) q.push(next_random());
    for (int i = 0; i < 2000000; i++) {
      now = q.pop();
      n += now;
      q.push(now + next_random() % 1000000);
    }
  } else {
    std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> q;
    for (int i = 0; i < 200000; i++) q.push(next_random());
    for (int i = 0; i < 2000000; i++) {
      now = q.top();
      q.pop();
      n += now;
      q.push(now + next_random() % 1000000);
    }
  }
  return n;
}

long getenvs(bool once) {
  long n = 0;
  for (int i = 0; i < 40; i++) setenv(("SERVICE_SETTING_" + std::to_string(i)).c_str(), "1", 1);
  const char* kept = getenv("SERVICE_DEBUG");
  for (int i = 0; i < 4000000; i++) {
    const char* e = once ? kept : getenv("SERVICE_DEBUG");
    n += e == nullptr ? i & 7 : 1;
  }
  return n;
}

long stamps(bool cached) {
  long n = 0;
  char buf[64];
  time_t day = -1;
  struct tm tm = {};
  for (int i = 0; i < 700000; i++) {
    time_t t = 1700000000 + i / 50;
    if (!cached || t / 900 != day) {  // no offset from UTC changes within a quarter of an hour
      localtime_r(&t, &tm);
      day = t / 900;
    } else {
      long s = t % 3600;
      tm.tm_min = static_cast<int>(s / 60);
      tm.tm_sec = static_cast<int>(s % 60);
    }
    if (cached) {
      auto two = [&](int at, int v) {
        buf[at] = static_cast<char>('0' + v / 10);
        buf[at + 1] = static_cast<char>('0' + v % 10);
      };
      two(0, tm.tm_hour), two(3, tm.tm_min), two(6, tm.tm_sec);
      n += buf[7];
    } else {
      n += static_cast<long>(strftime(buf, sizeof buf, "%H:%M:%S", &tm));
    }
  }
  return n;
}

long parse_dates(bool by_hand) {
  long n = 0;
  char text[32];
  for (int i = 0; i < 1500000; i++) {
    snprintf(text, sizeof text, "2026-%02d-%02dT%02d:%02d:%02d", 1 + i % 12, 1 + i % 28, i % 24, i % 60, i % 59);
    struct tm tm = {};
    if (by_hand) {
      auto two = [&](int at) { return (text[at] - '0') * 10 + text[at + 1] - '0'; };
      tm.tm_year = two(0) * 100 + two(2) - 1900;
      tm.tm_mon = two(5) - 1;
      tm.tm_mday = two(8);
      tm.tm_hour = two(11);
      tm.tm_min = two(14);
      tm.tm_sec = two(17);
    } else {
      strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    }
    n += tm.tm_mday + tm.tm_sec;
  }
  return n;
}

long text_lines(bool fast) {
  long n = 0;
  char buf[128];
  for (int i = 0; i < 3000000; i++) {
    if (fast) {
      char* p = buf;
      memcpy(p, "user=", 5), p += 5;
      p = std::to_chars(p, buf + sizeof buf, i).ptr;
      memcpy(p, " id=", 4), p += 4;
      p = std::to_chars(p, buf + sizeof buf, i * 7L).ptr;
      n += p - buf;
    } else {
      n += snprintf(buf, sizeof buf, "user=%d id=%ld", i, i * 7L);
    }
  }
  return n;
}

__attribute__((noinline)) void levels(int depth, bool trace, long& n) {
  if (depth > 0) {
    levels(depth - 1, trace, n);
    asm volatile("" ::: "memory");
    return;
  }
  if (trace) {
    void* stack[32];
    n += backtrace(stack, 32);
  }
  for (int i = 0; i < 50; i++) n += static_cast<long>(next_random() & 3);
}

long backtraces(bool yes) {
  long n = 0;
  for (int i = 0; i < 60000; i++) levels(20, yes, n);
  return n;
}

long buffers(bool reuse) {
  long n = 0;
  const size_t size = 1 << 20;
  char* kept = reuse ? static_cast<char*>(malloc(size)) : nullptr;
  for (int i = 0; i < 3000; i++) {
    char* b = reuse ? kept : static_cast<char*>(malloc(size));
    memset(b, i, size);
    asm volatile("" : : "r"(b) : "memory");
    n += b[i % size];
    if (!reuse) free(b);
  }
  free(kept);
  return n;
}

// Heap tops that go up and down: with the default threshold, memory is given back
// to the kernel each time.
long trims() {
  long n = 0;
  std::vector<void*> v(400);
  for (int r = 0; r < 200; r++) {
    for (auto& p : v) {
      p = malloc(8000);
      memset(p, r, 8000);
    }
    for (auto it = v.rbegin(); it != v.rend(); ++it) free(*it);
    n += r;
  }
  return n;
}

long counters(int locks) {
  struct alignas(64) Slot {
    std::mutex m;
    long n = 0;
  };
  std::vector<Slot> slots(locks);
  std::vector<std::thread> all;
  for (int t = 0; t < 4; t++)
    all.emplace_back([&, t] {
      for (int i = 0; i < 1500000; i++) {
        auto& s = slots[t % locks];
        std::lock_guard<std::mutex> lock(s.m);
        s.n++;
      }
    });
  for (auto& t : all) t.join();
  long n = 0;
  for (auto& s : slots) n += s.n;
  return n;
}

// Items from one thread to another: one at a time by condition variable, or in
// batches.
long handover(int batch) {
  std::mutex m;
  std::condition_variable cv;
  std::deque<int> q;
  long n = 0;
  const int items = 40000;
  std::thread consumer([&] {
    for (int got = 0; got < items;) {
      std::unique_lock<std::mutex> lock(m);
      cv.wait(lock, [&] { return !q.empty(); });
      std::deque<int> mine;
      if (batch == 1) {
        mine.push_back(q.front());
        q.pop_front();
        cv.notify_all();
      } else {
        mine.swap(q);
        cv.notify_all();
      }
      lock.unlock();
      for (int v : mine) n += v;
      got += static_cast<int>(mine.size());
    }
  });
  for (int i = 0; i < items; i += batch) {
    std::unique_lock<std::mutex> lock(m);
    cv.wait(lock, [&] { return q.size() < static_cast<size_t>(4 * batch) && (batch > 1 || q.empty()); });
    for (int k = 0; k < batch; k++) q.push_back(i + k);
    cv.notify_all();
  }
  consumer.join();
  return n;
}

long spinning(bool block) {
  sem_t ready;
  sem_init(&ready, 0, 0);
  std::atomic<int> done = 0;
  std::thread worker([&] {
    for (int i = 1; i <= 40; i++) {
      usleep(10000);
      done = i;
      sem_post(&ready);
    }
  });
  for (int i = 1; i <= 40; i++) {
    if (block) sem_wait(&ready);
    else
      while (done < i) sched_yield();
  }
  worker.join();
  return done;
}

uint64_t siphash(const unsigned char* in, size_t len, uint64_t k0, uint64_t k1);

uint64_t rotate(uint64_t x, int b) { return x << b | x >> (64 - b); }

void sipround(uint64_t v[4]) {
  v[0] += v[1]; v[1] = rotate(v[1], 13); v[1] ^= v[0]; v[0] = rotate(v[0], 32);
  v[2] += v[3]; v[3] = rotate(v[3], 16); v[3] ^= v[2];
  v[0] += v[3]; v[3] = rotate(v[3], 21); v[3] ^= v[0];
  v[2] += v[1]; v[1] = rotate(v[1], 17); v[1] ^= v[2]; v[2] = rotate(v[2], 32);
}

__attribute__((noinline)) uint64_t siphash(const unsigned char* in, size_t len, uint64_t k0, uint64_t k1) {
  uint64_t v[4] = {k0 ^ 0x736f6d6570736575ULL, k1 ^ 0x646f72616e646f6dULL, k0 ^ 0x6c7967656e657261ULL, k1 ^ 0x7465646279746573ULL};
  size_t i = 0;
  for (; i + 8 <= len; i += 8) {
    uint64_t m;
    memcpy(&m, in + i, 8);
    v[3] ^= m;
    sipround(v), sipround(v);
    v[0] ^= m;
  }
  uint64_t m = static_cast<uint64_t>(len) << 56;
  for (size_t k = 0; i + k < len; k++) m |= static_cast<uint64_t>(in[i + k]) << (8 * k);
  v[3] ^= m;
  sipround(v), sipround(v);
  v[0] ^= m;
  v[2] ^= 0xff;
  for (int k = 0; k < 4; k++) sipround(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

__attribute__((noinline)) uint32_t fnv1a_hash(const unsigned char* p, size_t n) {
  uint32_t h = 2166136261U;
  for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 16777619U;
  return h;
}

__attribute__((noinline)) uint16_t ip_checksum(const unsigned char* p, size_t n) {
  uint32_t sum = 0;
  for (size_t i = 0; i + 1 < n; i += 2) {
    sum += static_cast<uint32_t>(p[i]) << 8 | p[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return static_cast<uint16_t>(~sum);
}

__attribute__((noinline)) uint16_t words_sum(const unsigned char* p, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i + 4 <= n; i += 4) {
    uint32_t w;
    memcpy(&w, p + i, 4);
    sum += w;
  }
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  uint16_t s = static_cast<uint16_t>(sum);
  return static_cast<uint16_t>(~(s >> 8 | s << 8));
}

std::vector<unsigned char> bytes(size_t n) {
  std::vector<unsigned char> out(n);
  for (auto& b : out) b = static_cast<unsigned char>(next_random() >> 24);
  return out;
}

template <typename F>
uint64_t over_packets(F f, int times) {
  auto b = bytes(1500);
  uint64_t n = 0;
  for (int i = 0; i < times; i++) {
    b[0] = static_cast<unsigned char>(i);
    n += f(b.data(), b.size());
  }
  return n;
}

__attribute__((noinline)) void base64_encode(const std::vector<unsigned char>& in, std::string& out) {
  static const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out.clear();
  unsigned acc = 0, bits = 0;
  for (unsigned char c : in) {
    acc = acc << 8 | c;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      out.push_back(digits[acc >> bits & 63]);
    }
  }
}

__attribute__((noinline)) void encode_by_pairs(const std::vector<unsigned char>& in, std::string& out) {
  static const auto table = [] {
    const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<uint16_t> t(4096);
    for (int i = 0; i < 4096; i++) t[i] = static_cast<uint16_t>(digits[i >> 6] | digits[i & 63] << 8);
    return t;
  }();
  out.resize(in.size() / 3 * 4);
  char* p = out.data();
  for (size_t i = 0; i + 2 < in.size(); i += 3, p += 4) {
    unsigned v = static_cast<unsigned>(in[i]) << 16 | static_cast<unsigned>(in[i + 1]) << 8 | in[i + 2];
    memcpy(p, &table[v >> 12], 2);
    memcpy(p + 2, &table[v & 4095], 2);
  }
}

long base64(bool fast) {
  auto in = bytes(30000);
  std::string out;
  long n = 0;
  for (int i = 0; i < 6000; i++) {
    in[0] = static_cast<unsigned char>(i);
    if (fast) encode_by_pairs(in, out);
    else base64_encode(in, out);
    n += out[1];
  }
  return n;
}

long numbers(bool radix) {
  long n = 0;
  for (int r = 0; r < 4; r++) {
    std::vector<unsigned> v(1500000), tmp(v.size());
    for (auto& x : v) x = next_random();
    if (radix) {
      for (int shift = 0; shift < 32; shift += 8) {
        size_t count[257] = {};
        for (unsigned x : v) count[(x >> shift & 255) + 1]++;
        std::partial_sum(count, count + 257, count);
        for (unsigned x : v) tmp[count[x >> shift & 255]++] = x;
        v.swap(tmp);
      }
    } else {
      std::sort(v.begin(), v.end());
    }
    n += v[v.size() / 2];
  }
  return n;
}

// The same loop; built with and without -ffast-math, so that libmvec may be used.
__attribute__((noinline)) void gains(const double* in, double* out, int n) {
  for (int i = 0; i < n; i++) out[i] = std::exp(in[i]) * std::sin(in[i]);
}

long mathematics() {
  std::vector<double> a(4096), b(4096);
  for (size_t i = 0; i < a.size(); i++) a[i] = static_cast<double>(i) / 4096;
  for (int r = 0; r < 4000; r++) gains(a.data(), b.data(), 4096);
  return static_cast<long>(b[17] * 1000);
}

long unordered(bool) {
  long n = 0;
  std::unordered_map<uint64_t, int> m;
  for (int i = 0; i < 600000; i++) m[next_random() % 1000000] += i;
  for (int i = 0; i < 6000000; i++) {
    auto it = m.find(next_random() % 2000000);
    if (it != m.end()) n += it->second;
  }
  return n;
}

std::vector<std::string> words() {
  std::vector<std::string> out;
  for (int i = 0; i < 150000; i++) {
    std::string s;
    for (int k = 0; k < 12; k++) s.push_back(static_cast<char>((next_random() >> 20) % 26 + (k % 5 == 0 ? 'A' : 'a')));
    out.push_back(s);
  }
  return out;
}

long collate(int how) {
  setlocale(LC_ALL, "");
  auto w = words();
  if (how == 0) std::sort(w.begin(), w.end(), [](const auto& a, const auto& b) { return strcoll(a.c_str(), b.c_str()) < 0; });
  if (how == 1) std::sort(w.begin(), w.end());
  if (how == 2) {  // keys once, compared as bytes
    std::vector<std::pair<std::string, std::string>> keys;
    char buf[512];
    for (auto& s : w) keys.emplace_back(std::string(buf, strxfrm(buf, s.c_str(), sizeof buf)), s);
    std::sort(keys.begin(), keys.end());
    w[5] = keys[5].second;
  }
  return w[5][3];
}

long copies_of_fresh(bool pass) {
  long n = 0;
  std::vector<char> frame(4 << 20, 'x');
  for (int i = 0; i < 250; i++) {
    frame[i] = 'y';
    if (pass) {
      n += frame[i * 3];
    } else {
      std::vector<char> own(frame);
      n += own[i * 3];
    }
    for (size_t k = 0; k < frame.size(); k += 64) n += frame[k];
  }
  return n;
}

}  // namespace

int main(int argc, char** argv) {
  std::string side = argc > 1 ? argv[1] : "";
  auto shared = std::make_shared<std::vector<int>>(64, 1);
  std::map<std::string, std::function<long()>> sides = {
      {"dynamic-cast", dynamic_casts},
      {"tag", tags},
      {"shared-value", [&] { return with_a_thread([&] { long n = 0; for (int i = 0; i < 40000000; i++) n += by_value(shared, i); return n; }); }},
      {"shared-reference", [&] { return with_a_thread([&] { long n = 0; for (int i = 0; i < 40000000; i++) n += by_reference(shared, i); return n; }); }},
      {"list", list_walk},
      {"vector", vector_walk},
      {"priority-queue", [] { return static_cast<long>(timers(false)); }},
      {"heap4", [] { return static_cast<long>(timers(true)); }},
      {"getenv", [] { return getenvs(false); }},
      {"getenv-once", [] { return getenvs(true); }},
      {"localtime", [] { return stamps(false); }},
      {"localtime-cached", [] { return stamps(true); }},
      {"strptime", [] { return parse_dates(false); }},
      {"digits", [] { return parse_dates(true); }},
      {"snprintf-text", [] { return text_lines(false); }},
      {"to_chars-text", [] { return text_lines(true); }},
      {"backtrace", [] { return backtraces(true); }},
      {"no-backtrace", [] { return backtraces(false); }},
      {"buffers", [] { return buffers(false); }},
      {"buffer-kept", [] { return buffers(true); }},
      {"trim", trims},
      {"one-lock", [] { return counters(1); }},
      {"own-locks", [] { return counters(4); }},
      {"item-by-item", [] { return handover(1); }},
      {"batches", [] { return handover(100); }},
      {"spin", [] { return spinning(false); }},
      {"block", [] { return spinning(true); }},
      {"siphash", [] { return static_cast<long>(over_packets([](auto* p, size_t n) { return siphash(p, n, 1, 2); }, 700000)); }},
      {"fnv", [] { return static_cast<long>(over_packets([](auto* p, size_t n) { return fnv1a_hash(p, n); }, 300000)); }},
      {"checksum-bytes", [] { return static_cast<long>(over_packets([](auto* p, size_t n) { return ip_checksum(p, n); }, 600000)); }},
      {"checksum-words", [] { return static_cast<long>(over_packets([](auto* p, size_t n) { return words_sum(p, n); }, 600000)); }},
      {"base64", [] { return base64(false); }},
      {"base64-pairs", [] { return base64(true); }},
      {"std-sort-numbers", [] { return numbers(false); }},
      {"radix-sort", [] { return numbers(true); }},
      {"mathematics", mathematics},
      {"unordered", [] { return unordered(true); }},
      {"strcoll", [] { return collate(0); }},
      {"bytes-compared", [] { return collate(1); }},
      {"strxfrm", [] { return collate(2); }},
      {"copy-large", [] { return copies_of_fresh(false); }},
      {"no-copy", [] { return copies_of_fresh(true); }},
  };
  auto it = sides.find(side);
  if (it == sides.end()) {
    for (const auto& s : sides) fprintf(stderr, "%s\n", s.first.c_str());
    return 2;
  }
  long n = 0;
  for (int i = argc > 2 ? atoi(argv[2]) : 1; i > 0; i--) n += it->second();
  printf("%ld\n", n);
}
