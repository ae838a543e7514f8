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

// -- machine-few-iterations: the loop behind the vector loop; whether it has the
// samples, the profile says. So large that nobody unrolls what is left over.
void yes_few_iterations_map(float *restrict y, const float *restrict x, const float *restrict z, float a, float b, long n) {
  for (long i = 0; i < n; i++) {
    float t = a * x[i] + z[i] * y[i], u = t * b - x[i] * z[i], v = u * t + z[i], w = v * u - t;
    float k = w * v + a, l = k * w - b * v, m = l * k + u * w, o = m * l - v * t, p = o * m + k * a, q = p * o - l;
    y[i] = q * p + o * m * w - u * t + v * k * l + a * q * o - p * t * z[i] + x[i] * w * q;
  }
}

float no_few_iterations_chain(const float *x, long n) {
  float s = 1;
  for (long i = 0; i < n; i++)
    s = s * x[i] + 1;
  return s;
}
