// Functions of the rules that are about vectors, compiled with the vectoriser.
void yes_generic_axpy(float *restrict y, const float *restrict x, float a, int n) {
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i] * x[i];
}

__attribute__((target("avx2"))) void no_generic_avx(float *restrict y, const float *restrict x, float a, int n) {
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i] * x[i];
}

int no_generic_integers(const int *x, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}
