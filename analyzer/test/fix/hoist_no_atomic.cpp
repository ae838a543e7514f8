// fix: hoist
// flags: -std=c++20 -O2
// want: refused: 
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>
#include <atomic>
struct Queue {
  std::atomic<bool> stop;
  size_t count;
  uint8_t *data;
};
void run(Queue &q) {
  for (size_t i = 0; i < q.count; i++) { // HERE
    q.data[i] = 1;
    if (q.stop.load())
      break;
  }
}
