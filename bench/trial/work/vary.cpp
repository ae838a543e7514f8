#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  const int n = atoi(argv[1]), wrong = atoi(argv[2]);
  for (volatile long i = 0; i < atoi(argv[3]) * 5'000'000L; i = i + 1) {}
  const auto begin = std::chrono::steady_clock::now();
  std::mutex m;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&, t] {
      for (int i = t; i < n; i += 4) {
        auto p = std::make_unique<int>(i * i + (i == 7 ? wrong : 0));
        const std::lock_guard lock(m);
        printf("[%d] node %p = %d\n", t, static_cast<void *>(p.get()), *p);
      }
    });
  for (auto &t : threads) t.join();
  printf("elapsed: %.3f ms\n", std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
}
