// fix: hoist
// flags: -std=c99 -O2
// want: refused: declared anew
struct buffer {
	int length;
};
int fill(struct buffer *b, unsigned char *to, int n)
{
	while (n-- > 0) { // HERE
		to[b->length++] = n;
		{
			int b = n * 3;
			if (b == 21)
				return b;
		}
	}
	return 0;
}
