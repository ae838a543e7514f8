// Threads with names, system calls, a process that is forked and becomes another
// program (this one again, under another name), and one that runs Python.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

static volatile double sink;

__attribute__((noinline)) void compute() {
  double sum = 0;
  for (int i = 1; i < 200000; i++) {
    sum += 1.0 / i;
  }
  sink = sum;
}

__attribute__((noinline)) void ask_kernel() {
  static char buffer[1 << 20];
  const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  for (int i = 0; i < 8; i++) {
    if (read(zero, buffer, sizeof buffer) < 0) {
      std::exit(1);
    }
  }
  close(zero);
}

template <typename Work> __attribute__((noinline)) void spend(double seconds, Work work) {
  for (const double end = now() + seconds; now() < end;) {
    work();
  }
}

int main(int argc, char **argv) {
  const double seconds = std::atof(argv[1]);
  if (argc == 2) { // the child's child
    spend(seconds, compute);
    return 0;
  }
  const std::string child = argv[2], python = argv[3], script = argv[4];
  std::vector<pid_t> children;
  for (const std::vector<std::string> &command :
       {std::vector<std::string>{child, argv[1]}, std::vector<std::string>{python, script, argv[1]}}) {
    const pid_t pid = fork();
    if (pid == 0) {
      std::vector<char *> args;
      for (const std::string &word : command) {
        args.push_back(strdup(word.c_str()));
      }
      args.push_back(nullptr);
      execv(args[0], args.data());
      _exit(127);
    }
    children.push_back(pid);
  }
  std::thread worker([&] {
    pthread_setname_np(pthread_self(), "calculator");
    spend(seconds, compute);
  });
  std::thread caller([&] {
    pthread_setname_np(pthread_self(), "system caller");
    spend(seconds, ask_kernel);
  });
  worker.join();
  caller.join();
  int bad = 0;
  for (const pid_t pid : children) {
    int status = 0;
    waitpid(pid, &status, 0);
    bad |= status;
  }
  return bad != 0;
}
