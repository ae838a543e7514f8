// Vectors that grow by doubling.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int, char **argv)
{
    long sum = 0;
    std::vector<std::string> all;
    for (long i = 0, n = std::atol(argv[1]); i < n; i++)
        all.push_back("customer number " + std::to_string(i));
    for (auto &s : all) sum += s.size();
    std::printf("%ld\n", sum);
}
