// fix: hoist
// flags: -std=c++20 -O2
// want: refused: 
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>
#include <mutex>
struct Queue {
  std::mutex lock;
  size_t count;
  uint8_t *data;
};
void run(Queue &q) {
  for (size_t i = 0; i < q.count; i++) { // HERE
    std::lock_guard<std::mutex> guard(q.lock);
    q.data[i] = 1;
  }
}
