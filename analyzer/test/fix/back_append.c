// fix: hoist
// flags: -std=c99 -O2
// want: assumed: the byte that is written is no part of
#include <stdio.h>
struct buffer {
	unsigned char *data;
	int length;
	int limit;
};
static int full(const struct buffer *b) { return b->length * 100; }
static int failed(struct buffer *b)
{
	b->length = -b->length;
	return -1;
}
/* Out by its condition, by break, by return, by goto, and on by continue. */
int encode(struct buffer *b, const char *text)
{
	int escaped = 0;
	while (*text) { // HERE
		char c = *text++;
		switch (c) {
		case '!':
			return failed(b);
		case ' ':
			continue;
		case '\\':
			escaped++;
			break;
		}
		if (c == '#')
			break;
		if (c == '?') {
			escaped += b->length;
			goto out;
		}
		if (b->length >= b->limit)
			return full(b);
		b->data[b->length++] = c;
	} /* all of it */
	escaped += 1000;
out:
	return escaped;
}
int main(void)
{
	static const char *const texts[] = {"plain", "with space", "back\\slash", "ends # here", "asks ? here", "fails ! here",
	                                    "", "far too long for this"};
	unsigned i;
	for (i = 0; i < 8; i++) {
		unsigned char bytes[16] = {0};
		struct buffer b = {bytes, 0, 12};
		int got = encode(&b, texts[i]);
		printf("%d %d %s\n", got, b.length, bytes);
	}
	return 0;
}
