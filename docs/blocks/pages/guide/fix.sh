#: FINDING => $finding
#: whyhot fix $finding --profile => whyhot fix $preloaded --profile
#: src/split.cpp:42 => bench.c:13
#: BUILD_DIR => .
#: whyhot try build => whyhot try build --runs 3
program bench 12
until preloaded=$(first_finding cpu.pb.gz 2> /dev/null); do recorded cpu.pb.gz ./bench input; done
finding=$(scanned)
command whyhot scan -p . --json > report.json
