// Functions of the rules that are about vectors, compiled with the vectoriser.
void yes_generic_axpy(float *restrict y, const float *restrict x, float a, int n) {
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i] * x[i];
}

__attribute__((target("avx2"))) void no_generic_avx(float *restrict y, const float *restrict x, float a, int n) {
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i] * x[i];
}

// The fields of a structure, two in a register: a longer one has no more of them.
struct body {
  struct body *next;
  float x, y, vx, vy;
};

void no_generic_fields(struct body *b, float dt) {
  for (; b; b = b->next) {
    b->x += b->vx * dt;
    b->y += b->vy * dt;
  }
}

// Products side by side, sums in their order: the sums take the time.
double no_generic_sums(const double *x, const double *y, const double *z, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n; i++) {
    a += x[i] * y[i];
    b += x[i] * z[i];
  }
  return a * b;
}

// Four channels of a filter: each product waits for the one before, however wide.
void no_generic_filter(float *restrict out, const float *restrict x, int n) {
  float s[4] = {0, 0, 0, 0};
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 4; c++) {
      s[c] = s[c] * 0.9f + x[4 * i + c] * 0.1f;
      out[4 * i + c] = s[c];
    }
}

int no_generic_integers(const int *x, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}

// -- machine-few-iterations: the loop behind the vector loop; whether it has the
// samples, the profile says. So large that nobody unrolls what is left over.
void yes_few_iterations_map(unsigned char *restrict y, const unsigned char *restrict x, const unsigned char *restrict z, long n) {
  for (long i = 0; i < n; i++) {
    unsigned char a = x[i], b = z[i], c = y[i];
    a += b ^ c, b -= a ^ 3, c ^= a + b, a -= c ^ b, b += a ^ 5, c -= b ^ a, a ^= b + 7, b ^= c - a, c += a ^ b;
    a += b ^ c, b -= a ^ 9, c ^= a + b, a -= c ^ b, b += a ^ 6, c -= b ^ a, a ^= b + 1, b ^= c - a, c += a ^ b;
    y[i] = a ^ b ^ c;
  }
}

float no_few_iterations_chain(const float *x, long n) {
  float s = 1;
  for (long i = 0; i < n; i++)
    s = s * x[i] + 1;
  return s;
}

// The products are computed in vectors, and added in their order.
float yes_float_sum_products(const float *a, const float *b, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

// The order is free: the vectors are added.
__attribute__((optimize("associative-math", "no-signed-zeros", "no-trapping-math")))
float no_float_sum_products(const float *a, const float *b, int n) {
#pragma clang fp reassociate(on)
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}
