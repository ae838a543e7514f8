// fix: hoist
// flags: -std=c99 -O2
// want: refused: directive
struct buffer {
	int length;
};
int fill(struct buffer *b, unsigned char *to, int n)
{
	while (n-- > 0) { // HERE
#ifdef STRICT
		if (n == 7)
			return -1;
#endif
		to[b->length++] = n;
	}
	return 0;
}
