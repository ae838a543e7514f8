// fix: hoist
// flags: -std=c99 -O2
// want: refused: nothing again
struct buffer {
	unsigned length : 7;
	unsigned other : 9;
};
void fill(struct buffer *b, unsigned char *to, int n)
{
	while (n-- > 0) // HERE
		to[b->length++] = n;
}
