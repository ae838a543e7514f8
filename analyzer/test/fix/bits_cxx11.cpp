// fix: vector-bool
// flags: -std=c++11 -O2
// want: fixed
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

static int count(int n) {
  std::vector<bool> sieve(n, true);
  int primes = 0;
  for (int i = 2; i < n; ++i) // HERE
    if (sieve[i]) {
      primes++;
      for (int j = 2 * i; j < n; j += i)
        sieve[j] = false;
    }
  return primes;
}
int main() { printf("%d\n", count(5000)); }
