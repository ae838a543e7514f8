// fix: hoist
// flags: -std=c99 -O2
// want: assumed: not null there
#include <stdio.h>
struct table {
	unsigned char *cells;
};
void clear(struct table *t, int n)
{
	for (int i = 0; i < n; i++) // HERE
		t->cells[i] = (unsigned char)(i & 3);
}
int main(void)
{
	unsigned char cells[9];
	struct table t = {cells};
	clear(&t, 9);
	for (int i = 0; i < 9; i++)
		printf("%u ", cells[i]);
	return 0;
}
