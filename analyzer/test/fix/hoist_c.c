// fix: hoist
// flags: -std=c99 -O2
// want: assumed: no part of
#include <stdio.h>
struct buffer {
	unsigned char *data;
	unsigned length;
};
void mask(struct buffer *b, unsigned char key)
{
	unsigned i;
	for (i = 0; i < b->length; i++) // HERE
		b->data[i] ^= key;
}
int main(void)
{
	unsigned char bytes[40] = {1, 2, 3};
	struct buffer b = {bytes, 40};
	unsigned i;
	mask(&b, 0x5a);
	for (i = 0; i < 40; i++)
		printf("%u ", bytes[i]);
	return 0;
}
