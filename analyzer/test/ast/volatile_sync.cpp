// volatile between threads, and where volatile is right.
#include <atomic>
#include <csignal>
#include <cstdint>

void work();

volatile bool stop = false;
// Another thread sets the flag.
void runUntilStopped() {
  while (!stop) // expect: volatile-sync
    work();
}

struct Worker {
  volatile int ready;
  volatile long done;
  void spin();
  void finish(int n);
};
// A spin on a member.
void Worker::spin() {
  while (ready == 0) { // expect: volatile-sync
  }
}

// A counter that several threads add to loses counts.
void Worker::finish(int n) {
  for (int i = 0; i < n; ++i) // expect: volatile-sync
    ++done;
}

static volatile int turn;
// A hand-made lock.
void takeTurn(int me) {
  do { // expect: volatile-sync
  } while (turn != me);
}

volatile std::sig_atomic_t interrupted;
// A signal handler sets it: this is what volatile is for.
void untilInterrupted() {
  while (!interrupted)
    work();
}

struct Device {
  uint32_t status;
};
// A register of a device.
void waitForDevice(volatile Device *d) {
  while ((d->status & 1) == 0) {
  }
}
void waitForAddress() {
  while (*reinterpret_cast<volatile uint32_t *>(0x40001000) == 0) {
  }
}

std::atomic<bool> flag;
// An atomic is right.
void untilFlag() {
  while (!flag.load(std::memory_order_acquire)) {
  }
}

// A local volatile keeps a benchmark's loop alive.
void delay() {
  for (volatile int i = 0; i < 1000; ++i) {
  }
}

static volatile int sink;
// A result that must not be optimised away.
void keep(const int *v, int n) {
  for (int i = 0; i < n; ++i)
    sink = v[i];
}
