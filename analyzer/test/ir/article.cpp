// flags: -O2
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

// The examples by which "a byte may alias everything" became known, in their shapes.

// A label is split into high and low bits; the vector is the caller's, by elision.
std::vector<uint8_t> widened(const std::string &label) {
  std::vector<uint8_t> out;
  out.reserve(label.size() + 90);
  out.resize(label.size() * 2 + 1);
  for (size_t i = 0; i < label.size(); ++i) { // want: char vectorised retyped,hoisted
    unsigned char c = label[i];
    out[i] = c >> 5;
    out[i + label.size() + 1] = c & 0x1f;
  }
  out[label.size()] = 0;
  return out;
}

// Some characters are exchanged: branches, so no vectors, and three loads fewer.
std::string translated(const std::string &text) {
  std::string out;
  out.resize(text.size());
  for (size_t i = 0; i < text.size(); ++i) { // want: char fewer-loads retyped,hoisted
    switch (text[i]) {
    case '<':
      out[i] = '(';
      break;
    case '>':
      out[i] = ')';
      break;
    case '(':
      out[i] = '<';
      break;
    case ')':
      out[i] = '>';
      break;
    default:
      out[i] = text[i];
      break;
    }
  }
  return out;
}

// The same where it is inlined: the branches' stores are one there, without a line.
static std::string exchanged(const std::string &text) {
  std::string out;
  out.resize(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '<':
      out[i] = '(';
      break;
    case '>':
      out[i] = ')';
      break;
    case '(':
      out[i] = '<';
      break;
    case ')':
      out[i] = '>';
      break;
    default:
      out[i] = text[i];
      break;
    }
  }
  return out;
}

std::string encoded(const std::string &text) { return exchanged(text); } // want: char fewer-loads retyped,hoisted

void bumped(std::vector<uint8_t> &v) {
  for (size_t i = 0; i < v.size(); i++) // want: char vectorised retyped,hoisted
    v[i]++;
}

struct Key {
  unsigned char bytes[32];
};
constexpr Key none = {};

// Eight stores of bytes are one of a word where none of them may change the vectors.
void split(const std::vector<uint64_t> &v, std::vector<Key> &k) {
  for (size_t i = 0; i < v.size(); ++i) { // want: char fewer-loads retyped,hoisted
    k[i] = none;
    k[i].bytes[0] = v[i] & 255;
    k[i].bytes[1] = (v[i] >> 8) & 255;
    k[i].bytes[2] = (v[i] >> 16) & 255;
    k[i].bytes[3] = (v[i] >> 24) & 255;
    k[i].bytes[4] = (v[i] >> 32) & 255;
    k[i].bytes[5] = (v[i] >> 40) & 255;
    k[i].bytes[6] = (v[i] >> 48) & 255;
    k[i].bytes[7] = (v[i] >> 56) & 255;
  }
}

struct Part {
  int id, face;
};
struct Form {
  int number;
  std::vector<Part> parts;
  int size() const { return int(parts.size()); }
};
struct Entry {
  int family;
};
struct Catalogue {
  unsigned count;
  Entry *entry[1000];
};

// Loops of three depths, of which the innermost reads a vector's size again.
void limited(const Catalogue *all, const std::vector<std::vector<int>> &families, const std::vector<Form *> &forms,
             const uint8_t *norm, uint8_t *best) {
  for (unsigned id = 0; id < all->count; ++id) {
    for (int f : families.at(all->entry[id]->family)) {
      const Form &form = *forms[f];
      for (int c = 0; c < form.size(); ++c) { // want: char fewer-loads retyped,hoisted
        if (norm[form.parts[c].id] < best[id])
          best[id] = norm[form.parts[c].id];
      }
    }
  }
}

struct State {
  std::vector<uint8_t> readable;
  State &operator=(const State &o);
};

// What became of bits once they were bytes.
State &State::operator=(const State &o) {
  for (int i = 0; i < 512; i++) // want: char fewer-loads retyped,hoisted
    readable[i] = o.readable[i];
  return *this;
}

char *given();

// The bound is a local, and a function got its address.
int scanned(const char *text, const char *in) {
  int len = 0;
  if (std::sscanf(text, "%d", &len) != 1)
    return 0;
  char *out = given();
  for (int i = 0; i < len; i++) // want: char vectorised retyped,hoisted
    out[i] = in[i] & 31;
  return len;
}
