cat > Makefile <<'MAKE'
CFLAGS = -O2 -g
all: build/app
build/app: build/app.o
	gcc -o $@ $<
build/app.o: app.c
	mkdir -p build && gcc $(CFLAGS) -c -o $@ $<
MAKE
sed 's/ROUNDS/4/' "$blocks/testdata/app.c" > app.c
seq 20000 > input
cp "$shared/app.pb.gz" cpu.pb.gz
