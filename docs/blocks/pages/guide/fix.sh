#: FINDING => $finding
#: whyhot fix $finding --profile => whyhot fix $preloaded --profile
#: src/split.cpp:42 => bench.c:13
#: BUILD_DIR => .
#: whyhot try build => whyhot try build --budget 15s
program bench 12
recorded cpu.pb.gz ./bench input
finding=$(scanned) preloaded=$(first_finding cpu.pb.gz)
command whyhot scan -p . --json > report.json
