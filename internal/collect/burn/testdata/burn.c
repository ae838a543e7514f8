// What the recording tests record. Three parts of the work are done in heavy,
// one in light, by way of different callers.
//
// usage: burn MODE MILLIONS
//   plain    in the only thread
//   threads  each part in a thread of its own
//   fork     a child made by fork alone does as much again
//   exit     ends by _exit
//   kill     ends by SIGKILL
//   forever  until a signal ends it
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sink;
static long millions;

__attribute__((noipa)) static void heavy(long n) {
  unsigned long s = 1;
  for (long i = 0; i < n; i++) s = s * 6364136223846793005UL + 3;
  sink += s;
}

__attribute__((noipa)) static void light(long n) {
  unsigned long s = 1;
  for (long i = 0; i < n; i++) s = s * 6364136223846793005UL + 5;
  sink += s;
}

__attribute__((noipa)) static void heavy_caller(long n) {
  for (long i = 0; i < n; i++) heavy(1000000);
}

__attribute__((noipa)) static void light_caller(long n) {
  for (long i = 0; i < n; i++) light(1000000);
}

static void *heavy_thread(void *arg) { heavy_caller(3 * millions); return arg; }
static void *light_thread(void *arg) { light_caller(millions); return arg; }

// In turn, a few milliseconds each: a processor that becomes slower while this runs, or is
// shared with others, is so for both. When light comes is drawn by chance: four units take
// about as long as the time between two samples, which would else always find the same one.
static void both(void) {
  static unsigned draw = 1;
  for (long i = 0; i < millions; i++) {
    draw = draw * 1664525 + 1013904223;
    long before = draw >> 30;
    heavy_caller(before);
    light_caller(1);
    heavy_caller(3 - before);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const char *mode = argv[1];
  millions = atol(argv[2]);
  if (!strcmp(mode, "threads")) {
    pthread_t a, b;
    pthread_create(&a, NULL, heavy_thread, NULL);
    pthread_create(&b, NULL, light_thread, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
  } else if (!strcmp(mode, "fork")) {
    pid_t child = fork();
    both();
    if (child == 0) return 0;
    waitpid(child, NULL, 0);
  } else if (!strcmp(mode, "forever")) {
    for (;;) both();
  } else {
    both();
  }
  puts("done");
  fflush(stdout);
  if (!strcmp(mode, "exit")) _exit(0);
  if (!strcmp(mode, "kill")) kill(getpid(), SIGKILL);
  return 0;
}
