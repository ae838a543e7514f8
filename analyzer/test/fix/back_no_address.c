// fix: hoist
// flags: -std=c99 -O2
// want: refused: its address is taken in the loop
struct buffer {
	int length;
};
void fill(struct buffer *b, unsigned char *to, int n)
{
	while (n-- > 0) { // HERE
		to[b->length++] = n;
		int *at = &b->length;
		*at += 2;
	}
}
