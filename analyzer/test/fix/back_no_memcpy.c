// fix: hoist
// flags: -std=c99 -O2
// want: refused: a call reads it
#include <string.h>
struct buffer {
	int length;
};
void fill(struct buffer *b, unsigned char *to, int n)
{
	while (n-- > 0) { // HERE
		b->length++;
		memcpy(to + n, b, sizeof *b);
	}
}
