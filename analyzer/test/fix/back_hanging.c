// fix: hoist
// flags: -std=c99 -O2
// want: assumed: no part of
#include <stdio.h>
struct state {
	int at;
	unsigned char *out;
};
int put(struct state *s, int n, int on)
{
	if (on)
		while (n > 0) // HERE
			if (n-- == 9)
				return s->at;
			else
				s->out[s->at++] = n;
	else
		s->at = 100;
	return 0;
}
int main(void)
{
	unsigned char bytes[40] = {0};
	struct state s = {3, bytes};
	int i;
	printf("%d ", put(&s, 8, 1));
	printf("%d ", s.at);
	printf("%d ", put(&s, 12, 1));
	printf("%d ", s.at);
	for (i = 0; i < 40; i++)
		printf("%u ", bytes[i]);
	printf("%d %d", put(&s, 12, 0), s.at);
	return 0;
}
