// fix: hoist
// flags: -std=c++20 -O2
// want: assumed: the byte that is written is no part of
#include <cstdint>
#include <cstdio>
#include <stdexcept>

[[noreturn]] void fail(int where) { throw where; }

class Writer {
public:
  Writer(uint8_t *to, int room) : to_(to), room_(room) {}
  bool write(const uint8_t *from, int n) {
    for (int i = 0; i < n; i++) { // HERE
      if (from[i] == 0)
        throw std::runtime_error("zero");
      if (from[i] == 1)
        fail(at_);
      if (at_ == room_)
        return false;
      to_[at_++] = from[i] ^ 0x55;
    }
    return true;
  }
  int at() const { return at_; }

private:
  uint8_t *to_;
  int room_;
  int at_ = 0;
};

int main() {
  uint8_t out[8] = {};
  const uint8_t in[][6] = {{2, 3, 4, 5, 6, 7}, {9, 8, 0, 6, 5, 4}, {9, 8, 7, 1, 5, 4}};
  for (auto &x : in) {
    Writer w(out, 5);
    try {
      std::printf("%d ", w.write(x, 6));
    } catch (const std::runtime_error &e) {
      std::printf("%s ", e.what());
    } catch (int where) {
      std::printf("at %d ", where);
    }
    std::printf("%d %d %d\n", w.at(), out[0], out[4]);
  }
}
