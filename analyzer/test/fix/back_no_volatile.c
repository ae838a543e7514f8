// fix: hoist
// flags: -std=c99 -O2
// want: refused: nothing again
struct buffer {
	volatile int length;
};
void fill(struct buffer *b, unsigned char *to, int n)
{
	while (n-- > 0) // HERE
		to[b->length++] = n;
}
