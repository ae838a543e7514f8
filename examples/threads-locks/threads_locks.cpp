// A queue with room for one number hands numbers to three workers: for each, the
// lock is taken twice, and threads go to sleep and are woken by the kernel.
// Handing over costs far more than the work itself.
//
// usage: threads-locks [NUMBERS]

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace {

class Queue {
 public:
  void push(uint64_t n) {
    {
      std::unique_lock<std::mutex> hold(mutex_);
      room_.wait(hold, [this] { return numbers_.empty(); });
      numbers_.push(n);
    }
    ready_.notify_one();
  }

  void close() {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
  }

  bool pop(uint64_t* n) {
    std::unique_lock<std::mutex> hold(mutex_);
    ready_.wait(hold, [this] { return closed_ || !numbers_.empty(); });
    if (numbers_.empty()) return false;
    *n = numbers_.front();
    numbers_.pop();
    hold.unlock();
    room_.notify_one();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::queue<uint64_t> numbers_;
  bool closed_ = false;
};

// steps counts the steps of the Collatz sequence down to 1, at most 40.
uint64_t steps(uint64_t n) {
  uint64_t s = 0;
  for (; n != 1 && s < 40; s++) n = n & 1 ? 3 * n + 1 : n / 2;
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t numbers = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 250000;
  Queue queue;
  constexpr int workers = 3;
  uint64_t sums[workers] = {};
  std::vector<std::thread> pool;
  for (int w = 0; w < workers; w++) {
    pool.emplace_back([&queue, &sums, w] {
      uint64_t n, sum = 0;
      while (queue.pop(&n)) sum += steps(n);
      sums[w] = sum;
    });
  }
  for (uint64_t n = 1; n <= numbers; n++) queue.push(n);
  queue.close();
  for (std::thread& t : pool) t.join();
  uint64_t total = 0;
  for (uint64_t s : sums) total += s;
  std::printf("%llu numbers, %llu steps\n", static_cast<unsigned long long>(numbers),
              static_cast<unsigned long long>(total));
}
