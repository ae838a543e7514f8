// fix: hoist
// flags: -std=c99 -O2
// want: refused: nothing again
union number {
	int length;
	float other;
};
void fill(union number *b, unsigned char *to, int n)
{
	while (n-- > 0) { // HERE
		to[b->length++] = n;
		b->other *= 2;
	}
}
