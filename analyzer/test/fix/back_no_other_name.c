// fix: hoist
// flags: -std=c99 -O2
// want: refused: the loop reads what may be the same object
struct buffer {
	unsigned char *data;
	int length;
};
void fill(struct buffer *a, const struct buffer *b, unsigned char *to, int n)
{
	while (n-- > 0) // HERE
		to[a->length++] = b->length;
}
