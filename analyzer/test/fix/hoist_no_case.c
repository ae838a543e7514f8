// fix: hoist
// flags: -std=c99 -O2
// want: refused: jumped to
struct state {
	int k;
};
void send(struct state *s, unsigned char *to, int n)
{
	int rounds = (n + 3) / 4;
	switch (n % 4) {
	case 0:
		do { // HERE
			*to++ = s->k;
		case 3:
			*to++ = s->k;
		case 2:
			*to++ = s->k;
		case 1:
			*to++ = s->k;
		} while (--rounds > 0);
	}
}
