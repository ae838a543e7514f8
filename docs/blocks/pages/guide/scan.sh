#: BUILD_DIR [FILE…] => .
#: BUILD_DIR => .
#: src/x.cpp:120 => app.c:13
program app
printf 'struct bytes { unsigned char *d; unsigned long n; };\nvoid invert(bytes &b) { for (unsigned long i = 0; i < b.n; i++) b.d[i] ^= 255; }\n' > x.cpp
