// Second workloads of the pairs of pairs.cpp, native.cpp and libraries.cpp: small
// programs with a purpose, of which the pair is a part: tasks SIDE [TIMES].
#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <fcntl.h>
#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <queue>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

unsigned random_state = 5;
unsigned next_random() { return (random_state = random_state * 1664525U + 1013904223U) >> 8; }

std::vector<std::string_view> split(std::string_view s, char by) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at <= s.size();) {
    size_t end = std::min(s.find(by, at), s.size());
    out.push_back(s.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::vector<std::string> settings() {
  std::vector<std::string> out;
  for (int i = 0; i < 60000; i++) out.push_back("section" + std::to_string(i % 300) + ".key" + std::to_string(i) + "=" + (i % 20 == 0 ? "auto" : std::to_string(next_random())));
  return out;
}

// Settings of text, some of which are no numbers.
long read_settings(bool throwing) {
  std::unordered_map<std::string, long> all;
  for (const auto& line : settings()) {
    auto at = line.find('=');
    std::string name = line.substr(0, at), value = line.substr(at + 1);
    if (throwing) {
      try {
        all[name] = std::stol(value);
      } catch (const std::exception&) {
        all[name] = -1;
      }
    } else {
      long v = 0;
      auto r = std::from_chars(value.data(), value.data() + value.size(), v);
      all[name] = r.ec == std::errc() ? v : -1;
    }
  }
  return static_cast<long>(all.size());
}

std::vector<std::string> log_lines(int n) {
  static const char* levels[] = {"INFO", "WARN", "ERROR", "DEBUG"};
  std::vector<std::string> out;
  char buf[200];
  for (int i = 0; i < n; i++) {
    snprintf(buf, sizeof buf, "2026-%02d-%02d %02d:%02d:%02d %s host%d request /users/%u?page=%d took %d.%d ms", 1 + i % 12, 1 + i % 28, i % 24, i % 60, i % 59,
             levels[next_random() % 4], i % 40, next_random() % 9999, i % 9, static_cast<int>(next_random() % 500), i % 10);
    out.push_back(buf);
  }
  return out;
}

long times_by_user(int how) {
  std::map<std::string, double> sum;
  const char* text = "/users/(\\d+)\\?page=[0-5] took (\\d+\\.\\d) ms";
  static const std::regex kept(text);
  static const RE2 re2(text);
  for (const auto& l : log_lines(how == 0 ? 2500 : 20000)) {
    if (how == 2) {
      std::string user, took;
      if (RE2::PartialMatch(l, re2, &user, &took)) sum[user] += atof(took.c_str());
      continue;
    }
    std::smatch m;
    if (how == 0 ? std::regex_search(l, m, std::regex(text)) : std::regex_search(l, m, kept)) sum[m[1]] += atof(m[2].str().c_str());
  }
  return static_cast<long>(sum.size());
}

long times_by_user_once() {  // as many lines as the side that compiles for each
  std::map<std::string, double> sum;
  static const std::regex kept("/users/(\\d+)\\?page=[0-5] took (\\d+\\.\\d) ms");
  for (const auto& l : log_lines(2500)) {
    std::smatch m;
    if (std::regex_search(l, m, kept)) sum[m[1]] += atof(m[2].str().c_str());
  }
  return static_cast<long>(sum.size());
}

template <typename T>
__attribute__((noinline)) long primes() {
  std::vector<T> composite(4000000);
  long n = 0;
  for (size_t i = 2; i < composite.size(); i++) {
    if (composite[i]) continue;
    n++;
    for (size_t k = i * i; k < composite.size(); k += i) composite[k] = true;
  }
  return n;
}

// A log of what happens in a simulation, unbuffered or not.
long journal(bool buffered) {
  FILE* f = fopen("/dev/null", "w");
  setvbuf(f, nullptr, buffered ? _IOFBF : _IONBF, buffered ? 1 << 16 : 0);
  std::vector<double> x(60, 1.0);
  long n = 0;
  for (int i = 0; i < 150000; i++) {
    for (size_t k = 1; k < x.size(); k++) x[k] = 0.99 * x[k] + 0.01 * x[k - 1] * x[k - 1];
    n += fprintf(f, "step %d %d\n", i, static_cast<int>(x[59] * 1000));
  }
  fclose(f);
  return n;
}

struct Point {
  double x, y;
  std::string name;
};

std::vector<Point> points(int n) {
  std::vector<Point> out;
  for (int i = 0; i < n; i++) out.push_back({next_random() / 1000.0, next_random() / 7.0, "point " + std::to_string(next_random() % 5000)});
  return out;
}

long table_of_points(bool stream) {
  std::string all;
  auto in = points(150000);
  for (const auto& p : in) {
    if (stream) {
      std::ostringstream o;
      o << p.name << ';' << static_cast<long>(p.x) << ';' << static_cast<long>(p.y) << '\n';
      all += o.str();
    } else {
      char buf[64];
      all += p.name;
      all += ';';
      all.append(buf, std::to_chars(buf, buf + 64, static_cast<long>(p.x)).ptr);
      all += ';';
      all.append(buf, std::to_chars(buf, buf + 64, static_cast<long>(p.y)).ptr);
      all += '\n';
    }
  }
  return static_cast<long>(all.size());
}

long points_as_json(bool fast) {
  std::string all = "[";
  char buf[128];
  for (const auto& p : points(120000)) {
    all += "{\"name\":\"" + p.name + "\",\"at\":[";
    if (fast) {
      all.append(buf, std::to_chars(buf, buf + 64, p.x).ptr);
      all += ',';
      all.append(buf, std::to_chars(buf, buf + 64, p.y).ptr);
    } else {
      snprintf(buf, sizeof buf, "%.17g,%.17g", p.x, p.y);
      all += buf;
    }
    all += "]},";
  }
  return static_cast<long>(all.size());
}

std::string& csv() {
  static std::string text = [] {
    std::string s;
    char buf[128];
    for (int i = 0; i < 60000; i++) s.append(buf, snprintf(buf, sizeof buf, "row%d,%d.%02d,%d.%d,%u\n", i, i % 300, i % 100, static_cast<int>(next_random() % 10000), i % 10, next_random()));
    return s;
  }();
  return text;
}

long sums_of_columns(bool fast) {
  double sum[2] = {};
  std::map<std::string, int> rows;
  for (auto line : split(csv(), '\n')) {
    auto cells = split(line, ',');
    if (cells.size() < 4) continue;
    rows[std::string(cells[0])]++;
    for (int c = 0; c < 2; c++) {
      double d = 0;
      auto s = cells[c + 1];
      if (fast) std::from_chars(s.data(), s.data() + s.size(), d);
      else d = strtod(std::string(s).c_str(), nullptr);
      sum[c] += d;
    }
  }
  return static_cast<long>(sum[0] + sum[1]) + static_cast<long>(rows.size());
}

struct Triangle {
  float a[3], b[3], c[3];
};

__attribute__((noinline)) long meshes(bool reserve) {
  long n = 0;
  for (int r = 0; r < 900; r++) {
    std::vector<Triangle> mesh;
    size_t size = 300 + next_random() % 1500;
    if (reserve) mesh.reserve(size);
    for (size_t i = 0; i < size; i++) {
      float f = static_cast<float>(i);
      mesh.push_back({{f, 1, 2}, {f * 2, 3, 4}, {f, f, 5}});
    }
    float up = 0;
    for (const auto& t : mesh) up = std::max(up, t.a[0] * t.b[1] - t.a[1] * t.b[0] + std::sqrt(t.c[1]));
    n += static_cast<long>(up);
  }
  return n;
}

int by_name(const void* a, const void* b) {
  const auto *p = static_cast<const Point* const*>(a), *q = static_cast<const Point* const*>(b);
  return (*p)->name.compare((*q)->name);
}

long names_in_order(bool inlined) {
  auto all = points(120000);
  std::vector<const Point*> order;
  for (const auto& p : all) order.push_back(&p);
  if (inlined) std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->name < b->name; });
  else qsort(order.data(), order.size(), sizeof order[0], by_name);
  long n = 0;
  for (size_t i = 1; i < order.size(); i++) n += order[i]->name == order[i - 1]->name;
  return n;
}

// How often each word is there.
template <typename M>
long words_counted() {
  M count;
  for (const auto& l : log_lines(60000))
    for (auto w : split(l, ' ')) count[std::string(w)]++;
  long n = 0;
  for (const auto& [w, c] : count) n += c > 3 ? static_cast<long>(w.size()) : 1;
  return n;
}

struct Expr {
  virtual ~Expr() = default;
  int kind = 0;
};
struct Number : Expr {
  double v;
  explicit Number(double d) : v(d) { kind = 1; }
};
struct Binary : Expr {
  char op;
  std::shared_ptr<Expr> a, b;
  Binary(char o, std::shared_ptr<Expr> x, std::shared_ptr<Expr> y) : op(o), a(std::move(x)), b(std::move(y)) { kind = 2; }
};
struct Negate : Expr {
  std::shared_ptr<Expr> a;
  explicit Negate(std::shared_ptr<Expr> x) : a(std::move(x)) { kind = 3; }
};

std::shared_ptr<Expr> expression(int depth) {
  if (depth == 0) return std::make_shared<Number>(next_random() % 100);
  if (depth % 4 == 3) return std::make_shared<Negate>(expression(depth - 1));
  return std::make_shared<Binary>("+*-"[depth % 3], expression(depth - 1), expression(depth - 1));
}

double combined(char op, double x, double y) { return op == '+' ? x + y : op == '*' ? std::fmod(x * y, 1000) : x - y; }

double value(const Expr* e, bool tag) {
  if (tag) {
    if (e->kind == 1) return static_cast<const Number*>(e)->v;
    if (e->kind == 3) return -value(static_cast<const Negate*>(e)->a.get(), tag);
    auto* b = static_cast<const Binary*>(e);
    return combined(b->op, value(b->a.get(), tag), value(b->b.get(), tag));
  }
  if (auto* n = dynamic_cast<const Number*>(e)) return n->v;
  if (auto* n = dynamic_cast<const Negate*>(e)) return -value(n->a.get(), tag);
  auto* b = dynamic_cast<const Binary*>(e);
  return combined(b->op, value(b->a.get(), tag), value(b->b.get(), tag));
}

long expressions(bool tag) {
  auto e = expression(17);
  double n = 0;
  for (int i = 0; i < 40; i++) n += value(e.get(), tag);
  return static_cast<long>(n);
}

// Bodies that collide: those that are too near go.
template <typename L>
long bodies() {
  long n = 0;
  for (int r = 0; r < 6; r++) {
    L all;
    for (int i = 0; i < 60000; i++) all.push_back({next_random() / 1000.0, next_random() / 1000.0, {}});
    for (int step = 0; step < 12; step++) {
      double sum = 0;
      for (auto& b : all) {
        b.x = std::sqrt(b.x * b.x + 1);
        sum += b.y;
      }
      if constexpr (std::is_same_v<L, std::list<Point>>) all.remove_if([&](const Point& p) { return std::fmod(p.x * 10, 50) < 1; });
      else all.erase(std::remove_if(all.begin(), all.end(), [&](const Point& p) { return std::fmod(p.x * 10, 50) < 1; }), all.end());
      n += static_cast<long>(sum) & 1;
    }
    n += static_cast<long>(all.size());
  }
  return n;
}

// A diagnostic switch that is asked for each message.
long messages(bool once) {
  for (int i = 0; i < 25; i++) setenv(("APP_OPTION_" + std::to_string(i)).c_str(), "yes", 1);
  const char* kept = getenv("APP_TRACE");
  long n = 0;
  std::string text;
  for (const auto& l : log_lines(20000))
    for (int k = 0; k < 15; k++) {
      const char* e = once ? kept : getenv("APP_TRACE");
      text = l.substr(static_cast<size_t>(k), 30);
      if (e == nullptr) n += static_cast<long>(std::count(text.begin(), text.end(), '0'));
    }
  return n;
}

long stamped(bool kept) {
  std::string out;
  time_t last = -1;
  char buf[64] = "";
  for (int i = 0; i < 250000; i++) {
    time_t t = 1760000000 + i / 30;
    if (!kept || t != last) {
      struct tm tm;
      localtime_r(&t, &tm);
      strftime(buf, sizeof buf, "%Y-%m-%d %H:%M:%S", &tm);
      last = t;
    }
    out += buf;
    out += " item " + std::to_string(i) + " done by worker " + std::to_string(i % 7) + '\n';
    if (out.size() > 1 << 16) out.clear();
  }
  return static_cast<long>(out.size());
}

long seconds_of(const char* s, bool by_hand) {
  struct tm tm = {};
  if (by_hand) {
    auto two = [&](int at) { return (s[at] - '0') * 10 + s[at + 1] - '0'; };
    tm.tm_mon = two(5) - 1, tm.tm_mday = two(8), tm.tm_hour = two(11), tm.tm_min = two(14), tm.tm_sec = two(17);
  } else {
    strptime(s, "%Y-%m-%d %H:%M:%S", &tm);
  }
  return ((tm.tm_mon * 31L + tm.tm_mday) * 24 + tm.tm_hour) * 3600 + tm.tm_min * 60 + tm.tm_sec;
}

long busiest(bool by_hand) {
  static const auto lines = log_lines(60000);
  std::unordered_map<long, int> count;
  for (int r = 0; r < 4; r++)
    for (const auto& l : lines) count[seconds_of(l.c_str(), by_hand) / 60 + (l[20] == 'I')]++;
  return static_cast<long>(count.size());
}

long report(bool fast) {
  std::string out;
  char buf[256];
  for (const auto& p : points(200000)) {
    if (fast) {
      char *q = buf, *end = buf + sizeof buf;
      memcpy(q, p.name.data(), p.name.size()), q += p.name.size();
      *q++ = '\t';
      q = std::to_chars(q, end, static_cast<int>(p.x)).ptr;
      *q++ = '\t';
      q = std::to_chars(q, end, static_cast<unsigned>(p.y), 16).ptr;
      *q++ = '\n';
      out.append(buf, q);
    } else {
      out.append(buf, snprintf(buf, sizeof buf, "%s\t%d\t%x\n", p.name.c_str(), static_cast<int>(p.x), static_cast<unsigned>(p.y)));
    }
    if (out.size() > 1 << 16) out.clear();
  }
  return static_cast<long>(out.size());
}

// Buffers of a pipeline: made for each frame, or kept.
long frames(bool kept) {
  std::vector<unsigned char> source(1920 * 1080), own;
  for (auto& b : source) b = static_cast<unsigned char>(next_random());
  long n = 0;
  for (int i = 0; i < 120; i++) {
    std::vector<unsigned char> fresh;
    auto& out = kept ? own : fresh;
    out.resize(source.size());
    for (size_t k = 0; k < out.size(); k++) out[k] = static_cast<unsigned char>(255 - source[k]);
    n += out[static_cast<size_t>(i) * 31];
  }
  return n;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<long()>> sides = {
      {"settings-throw", [] { return read_settings(true); }},
      {"settings-chars", [] { return read_settings(false); }},
      {"users-each", [] { return times_by_user(0); }},
      {"users-once", times_by_user_once},
      {"users-std", [] { return times_by_user(1); }},
      {"users-re2", [] { return times_by_user(2); }},
      {"primes-bool", primes<bool>},
      {"primes-char", primes<char>},
      {"journal-unbuffered", [] { return journal(false); }},
      {"journal-buffered", [] { return journal(true); }},
      {"points-stream", [] { return table_of_points(true); }},
      {"points-chars", [] { return table_of_points(false); }},
      {"json-snprintf", [] { return points_as_json(false); }},
      {"json-chars", [] { return points_as_json(true); }},
      {"columns-strtod", [] { return sums_of_columns(false); }},
      {"columns-chars", [] { return sums_of_columns(true); }},
      {"meshes-grow", [] { return meshes(false); }},
      {"meshes-reserve", [] { return meshes(true); }},
      {"names-qsort", [] { return names_in_order(false); }},
      {"names-sort", [] { return names_in_order(true); }},
      {"words-map", words_counted<std::map<std::string, int>>},
      {"words-btree", words_counted<absl::btree_map<std::string, int>>},
      {"words-unordered", words_counted<std::unordered_map<std::string, int>>},
      {"words-flat", words_counted<absl::flat_hash_map<std::string, int>>},
      {"expressions-cast", [] { return expressions(false); }},
      {"expressions-tag", [] { return expressions(true); }},
      {"bodies-list", bodies<std::list<Point>>},
      {"bodies-vector", bodies<std::vector<Point>>},
      {"messages-getenv", [] { return messages(false); }},
      {"messages-once", [] { return messages(true); }},
      {"stamps-each", [] { return stamped(false); }},
      {"stamps-kept", [] { return stamped(true); }},
      {"busiest-strptime", [] { return busiest(false); }},
      {"busiest-digits", [] { return busiest(true); }},
      {"report-snprintf", [] { return report(false); }},
      {"report-chars", [] { return report(true); }},
      {"frames-fresh", [] { return frames(false); }},
      {"frames-kept", [] { return frames(true); }},
  };
  auto side = argc > 1 ? sides.find(argv[1]) : sides.end();
  if (side == sides.end()) {
    for (const auto& s : sides) fprintf(stderr, "%s\n", s.first.c_str());
    return 2;
  }
  long n = 0;
  for (int i = argc > 2 ? atoi(argv[2]) : 1; i > 0; i--) n += side->second();
  printf("%ld\n", n);
}
