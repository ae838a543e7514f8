// fix: hoist
// flags: -std=c99 -O2
// want: refused: nothing again
struct state {
	int n;
};
void fill(struct state *s, struct state *t, unsigned char *to)
{
	int i;
	for (i = 0, s = t; i < s->n; i++) // HERE
		to[i] = i;
}
