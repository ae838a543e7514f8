#include <cmath>
#include <unistd.h>
#include <thread>
#include <pthread.h>
static volatile double sink;
__attribute__((noinline)) static double leaf(int n) { double s = 0; for (int i = 1; i < n; i++) s += std::sqrt((double)i); return s; }
__attribute__((noinline)) static double descend(int d, int n) { return d == 0 ? leaf(n) : descend(d - 1, n) + d; }
static void work(const char *name) { pthread_setname_np(pthread_self(), name); for (;;) { sink = sink + descend(12, 300000); usleep(2000); } }
int main() { std::thread t(work, "second"); work("first"); }
