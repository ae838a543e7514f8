// A hash table that is filled and asked.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>

int main(int, char **argv)
{
    std::unordered_map<std::string, long> count;
    for (long i = 0, n = std::atol(argv[1]); i < n; i++)
        count["customer-" + std::to_string(i * 7919 % n)]++;
    std::printf("%zu\n", count.size());
}
