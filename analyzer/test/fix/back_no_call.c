// fix: hoist
// flags: -std=c99 -O2
// want: refused: a call whose body is not seen may read it
struct buffer {
	unsigned char *data;
	int length;
};
int next(void);
void fill(struct buffer *b, unsigned char *to)
{
	int c;
	while ((c = next()) >= 0) // HERE
		to[b->length++] = c;
}
