#: --what-if alias-char-write-31694374 => --what-if $finding
#: --what-if src/split.cpp:42 => --what-if bench.c:13
#: ninja -C build => make
#: ./build/app input => ./bench input
#: -p build => -p .
#: try build => try build --runs 3
#: ./app => ./bench
program bench 4
finding=$(scanned)
