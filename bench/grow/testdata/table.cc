// Counts numbers in a hash table that outgrows the caches.
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], nullptr, 10) : 1000, x = 1, sum = 0;
    std::unordered_map<unsigned long, unsigned> counts;
    for (unsigned long i = 0; i < n; i++) {
        x = x * 6364136223846793005UL + 1442695040888963407UL;
        counts[x >> 33]++;
    }
    for (unsigned long i = 0; i < n; i++) {
        x = x * 6364136223846793005UL + 1442695040888963407UL;
        sum += counts.count(x >> 33);
    }
    printf("%zu %lu\n", counts.size(), sum);
}
