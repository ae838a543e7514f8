// fix: hoist
// flags: -std=c99 -O2
// want: refused: called, which may leave the loop
struct buffer {
	int length;
};
int hash(void) __attribute__((pure));
void fill(struct buffer *b, unsigned char *to, int n)
{
	while (n-- > 0) // HERE
		to[b->length++] = hash();
}
