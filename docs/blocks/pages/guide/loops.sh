cp "$shared/app.pb.gz" cpu.pb.gz
mkdir src build
printf 'long sum(const long *v, long n) { long s = 0; for (long i = 0; i < n; i++) s += v[i]; return s; }\n' > sum.c
printf 'long sum(const long *v, long n) { long s = 0, t = 0; for (long i = 0; i + 1 < n; i += 2) { s += v[i]; t += v[i + 1]; } return s + t; }\n' > sum2.c
cp sum.c src/ && database build "$PWD/src/sum.c"
gcc -O2 -c -o old.o sum.c && gcc -O2 -c -o new.o sum2.c
