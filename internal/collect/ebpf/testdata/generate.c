// A program that makes machine code and runs it. Its true stacks are known: main calls turn,
// which calls the outermost generated function, and each of these the next one.
//
// generate frames|bare anonymous|memfd
//   frames: four functions, each with a frame pointer
//   bare:   one that keeps something else in the register: the address of a table, whose
//           second entry is a function that is never called
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static unsigned char *at;

static void put(const char *bytes, int n) {
  memcpy(at, bytes, n);
  at += n;
}

static void put_address(const void *p) {
  uint64_t address = (uint64_t)p;
  put((const char *)&address, sizeof address);
}

static void put_loop(void) {
  put("\xb9\x40\x42\x0f\x00", 5); // mov ecx, 1000000
  put("\xff\xc9\x75\xfc", 4);     // dec ecx; jnz
}

__attribute__((noinline)) void decoy(void) { __asm__ volatile("nop; nop; nop; nop"); }

__attribute__((noinline)) void turn(void (*generated)(void)) {
  for (int i = 0; i < 20; i++) {
    generated();
    __asm__ volatile("");
  }
}

static void *table[2] = {table, decoy};

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const int size = 1 << 16;
  int file = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;
  if (strcmp(argv[2], "memfd") == 0) {
    file = memfd_create("code", 0);
    if (file < 0 || ftruncate(file, size) != 0) return 3;
    flags = MAP_SHARED;
  }
  unsigned char *code = mmap(0, size, PROT_READ | PROT_WRITE | PROT_EXEC, flags, file, 0);
  if (code == MAP_FAILED) return 4;
  at = code;
  unsigned char *start = at;
  put("\x55", 1); // push rbp
  if (strcmp(argv[1], "bare") == 0) {
    put("\x48\xbd", 2); // mov rbp, table
    put_address(table);
    put_loop();
    put("\x5d\xc3", 2); // pop rbp; ret
  } else {
    put("\x48\x89\xe5", 3); // mov rbp, rsp
    put_loop();
    put("\x5d\xc3", 2);
    for (int i = 0; i < 3; i++) {
      unsigned char *next = start;
      start = at;
      put("\x55\x48\x89\xe5\x48\xb8", 6); // …; mov rax, next
      put_address(next);
      put("\xff\xd0\x5d\xc3", 4); // call rax; pop rbp; ret
    }
  }
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    turn((void (*)(void))start);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec < 2);
}
