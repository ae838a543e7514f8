// fix: hoist
// flags: -std=c99 -O2
// want: refused: the loop reads it by another name
struct buffer {
	int length;
	int other;
};
void fill(struct buffer *b, struct buffer *all, unsigned char *to, int n)
{
	while (n-- > 0) { // HERE
		to[b->length++] = n;
		all[n] = *b;
	}
}
