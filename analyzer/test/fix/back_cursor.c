// fix: hoist
// flags: -std=c99 -O2
// want: assumed: `s->rp` is written even where the loop does not change it
#include <stdio.h>
struct stream {
	unsigned char *rp;
	unsigned char *wp;
	unsigned char bytes[64];
};
unsigned char *take(struct stream *s, unsigned char *p, unsigned char *ep)
{
	while (s->rp < s->wp && p < ep) // HERE
		*p++ = *s->rp++;
	return p;
}
int main(void)
{
	struct stream s = {s.bytes, s.bytes + 50, {0}};
	unsigned char out[64] = {0};
	int i;
	for (i = 0; i < 64; i++)
		s.bytes[i] = i * 7;
	printf("%d ", (int)(take(&s, out, out + 20) - out));
	printf("%d ", (int)(take(&s, out, out + 60) - out));
	printf("%d ", (int)(s.rp - s.bytes));
	for (i = 0; i < 64; i++)
		printf("%u ", out[i]);
	return 0;
}
