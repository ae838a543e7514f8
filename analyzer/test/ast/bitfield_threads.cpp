// Bit-fields of one word that two threads update.
#include <pthread.h>
#include <thread>

struct State {
  unsigned busy : 1;
  unsigned done : 1;
  unsigned : 0; // ends the word
  unsigned lone : 2;
};
State state;

void worker() {
  for (int i = 0; i < 100; i++) // expect: bitfield-flag
    state.busy = i & 1;
}

void *other(void *p) {
  static_cast<State *>(p)->lone = 1;
  return nullptr;
}

void mainLoop() {
  for (int i = 0; i < 100; i++) // expect: bitfield-flag
    state.done = i & 1;
}

void start() {
  std::thread t(worker);
  pthread_t p;
  pthread_create(&p, nullptr, other, &state);
  mainLoop();
  t.join();
}
