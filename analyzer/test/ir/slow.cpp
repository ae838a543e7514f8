// flags: -O2
#include <cstddef>

struct Output {
  unsigned char *data;
  size_t used, room;
};
struct Input {
  const int *data;
  size_t count;
};

void grow(Output &);
[[gnu::cold]] void complain(int);
void note(int);

// The buffer is hardly ever full: locals are loaded again behind the call.
void append(Output &out, const Input &in) {
  for (size_t i = 0; i < in.count; ++i) { // want: char fewer-loads retyped,hoisted counts
    if (__builtin_expect(out.used == out.room, 0))
      grow(out);
    out.data[out.used++] = (unsigned char)(in.data[i] >> 3);
  }
}

// The load of the bound moves to the path of the call, so the loop has as many
// as before; an average iteration does not.
void convert(Output &out, const Input &in) {
  for (size_t i = 0; i < in.count; ++i) { // want: char fewer-loads retyped,hoisted
    const int value = in.data[i];
    if (value < 0)
      complain(value);
    out.data[i] = (unsigned char)(value >> 3);
  }
}

// Nothing says that this path is slow.
void observe(Output &out, const Input &in) {
  for (size_t i = 0; i < in.count; ++i) {
    const int value = in.data[i];
    if (value < 0)
      note(value);
    out.data[i] = (unsigned char)(value >> 3);
  }
}

// Without a store to blame the call is all that repeats the loads.
long sum(const Input &in) {
  long total = 0;
  for (size_t i = 0; i < in.count; ++i) {
    if (__builtin_expect(in.data[i] < 0, 0))
      note(in.data[i]);
    total += in.data[i];
  }
  return total;
}
