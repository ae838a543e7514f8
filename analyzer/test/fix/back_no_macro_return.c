// fix: hoist
// flags: -std=c99 -O2
// want: refused: a macro leaves the loop
struct buffer {
	int length;
};
#define CHECK(x) \
	if (!(x)) \
	return -1
int fill(struct buffer *b, unsigned char *to, int n)
{
	while (n-- > 0) { // HERE
		CHECK(n != 7);
		to[b->length++] = n;
	}
	return 0;
}
