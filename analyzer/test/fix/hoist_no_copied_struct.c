// fix: hoist
// flags: -std=c99 -O2
// want: refused: stays
struct mode {
	unsigned char kind;
	int cost;
};
void all(struct mode *m, struct mode *out)
{
	int i;
	for (i = 0; i < 4; i++) { // HERE
		m->kind = i;
		out[i] = *m;
	}
}
