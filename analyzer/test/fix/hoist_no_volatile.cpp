// fix: hoist
// flags: -std=c++20 -O2
// want: refused: nothing again
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Device {
  volatile int ready;
};
void poll(Device &d, uint8_t *out) {
  for (int i = 0; i < d.ready; i++) // HERE
    out[i] = 1;
}
