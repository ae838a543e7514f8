long sum(const int *of, long n) {
  long s = 0;
  for (long i = 0; i < n; i++)
    s += of[i];
  return s;
}
