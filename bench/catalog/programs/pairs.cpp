// Pairs of programs that differ in the one thing a catalogue entry names. Run
// with the name of one side; run.py compares the CPU times of both.
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

unsigned random_state = 1;
unsigned next_random() { return random_state = random_state * 1664525U + 1013904223U; }

// One bad number in four, as in a file with gaps.
std::vector<std::string> cells() {
  std::vector<std::string> out;
  for (int i = 0; i < 1000; i++) out.push_back(i % 4 ? std::to_string(i) : "n/a");
  return out;
}

long throwing() {
  long n = 0;
  auto in = cells();
  for (int r = 0; r < 3000; r++)
    for (const auto& s : in) {
      try {
        n += std::stoi(s);
      } catch (const std::invalid_argument&) {
        n--;
      }
    }
  return n;
}

long not_throwing() {
  long n = 0;
  auto in = cells();
  for (int r = 0; r < 3000; r++)
    for (const auto& s : in) {
      int v = 0;
      auto res = std::from_chars(s.data(), s.data() + s.size(), v);
      n += res.ec == std::errc() ? v : -1;
    }
  return n;
}

long regex_each(bool once) {
  long n = 0;
  static const std::regex shared("([a-z]+)-([0-9]+)");
  for (int i = 0; i < 60000; i++) {
    std::string s = "item-" + std::to_string(i);
    std::smatch m;
    if (once) {
      n += std::regex_search(s, m, shared);
    } else {
      std::regex own("([a-z]+)-([0-9]+)");
      n += std::regex_search(s, m, own);
    }
  }
  return n;
}

template <typename T>
long copies() {
  std::vector<T> a(523), b(523);
  long n = 0;
  for (int i = 0; i < 400000; i++) {
    a[i % 523] = T(i & 1);
    b = a;
    for (size_t k = 0; k < b.size(); k++) n += b[k] ? 1 : 0;
  }
  return n;
}

std::vector<unsigned char> bytes() {
  std::vector<unsigned char> v(1 << 22);
  for (auto& c : v) c = static_cast<unsigned char>(next_random() >> 24);
  return v;
}

long crc_bytewise() {
  static uint32_t table[256];
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320U ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  auto v = bytes();
  uint32_t c = ~0U;
  for (int r = 0; r < 60; r++)
    for (unsigned char b : v) c = table[(c ^ b) & 255] ^ (c >> 8);
  return c;
}

long crc_zlib() {
  auto v = bytes();
  unsigned long c = 0;
  for (int r = 0; r < 60; r++) c = crc32(c, v.data(), static_cast<unsigned>(v.size()));
  return static_cast<long>(c);
}

long write_lines(bool buffered) {
  FILE* f = std::fopen("/dev/null", "w");
  static char buffer[1 << 16];
  if (buffered)
    std::setvbuf(f, buffer, _IOFBF, sizeof buffer);
  else
    std::setvbuf(f, nullptr, _IONBF, 0);
  for (int i = 0; i < 3000000; i++) std::fwrite("hello\n", 1, 6, f);
  std::fclose(f);
  return 1;
}

long streams() {
  long n = 0;
  for (int i = 0; i < 3000000; i++) {
    std::ostringstream o;
    o << i << ' ' << i * 7 << '\n';
    n += static_cast<long>(o.str().size());
  }
  return n;
}

long chars() {
  long n = 0;
  for (int i = 0; i < 3000000; i++) {
    char buf[64];
    char* const end = buf + sizeof buf - 2;  // room for the two separators
    char* p = std::to_chars(buf, end, i).ptr;
    *p++ = ' ';
    p = std::to_chars(p, end, i * 7).ptr;
    *p++ = '\n';
    n += static_cast<long>(std::string(buf, p).size());
  }
  return n;
}

std::vector<std::string> numbers() {
  std::vector<std::string> out;
  for (int i = 0; i < 2000; i++) out.push_back(std::to_string(next_random() / 65536.0));
  return out;
}

long parse_numbers(bool fast) {
  double sum = 0;
  auto in = numbers();
  for (int r = 0; r < 2500; r++)
    for (const auto& s : in) {
      double d = 0;
      if (fast)
        std::from_chars(s.data(), s.data() + s.size(), d);
      else
        d = std::strtod(s.c_str(), nullptr);
      sum += d;
    }
  return static_cast<long>(sum);
}

long print_numbers(bool fast) {
  long n = 0;
  for (int i = 0; i < 2000000; i++) {
    char buf[64];
    double d = next_random() / 65536.0;
    n += fast ? std::to_chars(buf, buf + sizeof buf, d).ptr - buf : std::snprintf(buf, sizeof buf, "%.17g", d);
  }
  return n;
}

long grow(bool reserve) {
  long n = 0;
  for (int r = 0; r < 400000; r++) {
    std::vector<int> v;
    if (reserve) v.reserve(1000);
    for (int i = 0; i < 1000; i++) v.push_back(i);
    n += v[static_cast<size_t>(r) % 1000];
  }
  return n;
}

int compare_ints(const void* a, const void* b) {
  int x = *static_cast<const int*>(a), y = *static_cast<const int*>(b);
  return (x > y) - (x < y);
}

long sort_ints(bool inlined) {
  std::vector<int> v(4000000);
  for (auto& x : v) x = static_cast<int>(next_random());
  if (inlined)
    std::sort(v.begin(), v.end());
  else
    std::qsort(v.data(), v.size(), sizeof(int), compare_ints);
  return v[7];
}

long ordered_map() {
  std::map<uint64_t, int> m;
  long n = 0;
  for (int i = 0; i < 200000; i++) m[next_random()] = i;
  for (int i = 0; i < 2000000; i++) {
    auto it = m.lower_bound(next_random());
    n += it == m.end() ? 0 : it->second;
  }
  return n;
}

long sorted_vector() {
  std::vector<std::pair<uint64_t, int>> v;
  long n = 0;
  for (int i = 0; i < 200000; i++) v.emplace_back(next_random(), i);
  std::sort(v.begin(), v.end());
  for (int i = 0; i < 2000000; i++) {
    auto it = std::lower_bound(v.begin(), v.end(), std::pair<uint64_t, int>(next_random(), 0));
    n += it == v.end() ? 0 : it->second;
  }
  return n;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<long()>> sides = {
      {"throw", throwing},
      {"nothrow", not_throwing},
      {"regex", [] { return regex_each(false); }},
      {"regex-once", [] { return regex_each(true); }},
      {"vbool", copies<bool>},
      {"vchar8", copies<char8_t>},
      {"crc-byte", crc_bytewise},
      {"crc-zlib", crc_zlib},
      {"write-line", [] { return write_lines(false); }},
      {"write-buffer", [] { return write_lines(true); }},
      {"ostream", streams},
      {"to_chars", chars},
      {"strtod", [] { return parse_numbers(false); }},
      {"from_chars", [] { return parse_numbers(true); }},
      {"snprintf", [] { return print_numbers(false); }},
      {"to_chars_double", [] { return print_numbers(true); }},
      {"grow", [] { return grow(false); }},
      {"reserve", [] { return grow(true); }},
      {"qsort", [] { return sort_ints(false); }},
      {"std-sort", [] { return sort_ints(true); }},
      {"map", ordered_map},
      {"sorted-vector", sorted_vector},
  };
  auto side = argc > 1 ? sides.find(argv[1]) : sides.end();
  if (side == sides.end()) {
    std::fprintf(stderr, "usage: pairs NAME, one of:");
    for (const auto& s : sides) std::fprintf(stderr, " %s", s.first.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  std::printf("%ld\n", side->second());
}
