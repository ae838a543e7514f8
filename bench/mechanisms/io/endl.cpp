// Writes coordinates with std::endl; "mend" writes '\n'.
#include <cstdlib>
#include <cstring>
#include <fstream>

static void points(std::ostream &out, int n, bool flush) {
    for (int i = 0; i < n; i++) {
        out << i << ' ' << (i * 2654435761u) % 1000;
        if (flush) out << std::endl;
        else out << '\n';
    }
}

int main(int, char **argv) {
    std::ofstream out("/tmp/mech-endl.txt");
    points(out, std::atoi(argv[2]), std::strcmp(argv[1], "mend") != 0);
}
