// fix: hoist
// flags: -std=c99 -O2
// want: assumed: is written even where the loop does not change it
#include <stdio.h>
struct state {
	int i;
	int n;
	unsigned char *out;
};
void fill(struct state *s, int step)
{
	for (s->i = 1; s->i < s->n; s->i += step) // HERE
		s->out[s->i] = s->i * 3;
}
int main(void)
{
	unsigned char bytes[40] = {0};
	struct state s = {77, 40, bytes};
	int i;
	fill(&s, 3);
	printf("%d ", s.i);
	for (i = 0; i < 40; i++)
		printf("%u ", bytes[i]);
	return 0;
}
