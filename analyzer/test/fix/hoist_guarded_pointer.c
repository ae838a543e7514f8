// fix: hoist
// flags: -std=c99 -O2
// want: assumed: no part of
#include <stdio.h>
struct table {
	unsigned char *cells;
};
void clear(struct table *t, int n)
{
	if (!t)
		return;
	for (int i = 0; i < n; i++) // HERE
		t->cells[i] = (unsigned char)(i & 3);
}
int main(void)
{
	unsigned char cells[9];
	struct table t = {cells};
	clear(&t, 9);
	clear(NULL, 1);
	for (int i = 0; i < 9; i++)
		printf("%u ", cells[i]);
	return 0;
}
