# A change that makes ./bench do less.
#: whyhot check => whyhot check --budget 20s
git init -q
program bench 16
cp input input.json
git add bench.c Makefile input input.json && git commit -qm 'The benchmark'
git update-ref refs/remotes/origin/main HEAD
git checkout -q -b change && sed -i 's/round < 16/round < 8/' bench.c && git commit -qam 'Half the rounds'
database build "$PWD/bench.c"
make -s -B bench
recorded production.pb.gz ./bench input.json
