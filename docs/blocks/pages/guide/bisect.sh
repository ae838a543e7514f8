# Five commits, of which the fourth makes ./bench do twice the work.
#: whyhot bisect => whyhot bisect --budget 2m
git init -q
program bench 3
git add bench.c Makefile input && git commit -qm 'The benchmark' && git tag v1.4
for n in 1 2 3 4; do
  [ $n -ne 3 ] || sed -i 's/round < 3/round < 6/' bench.c
  echo "// change $n" >> bench.c
  git commit -qam "Change $n"
done
