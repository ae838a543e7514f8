// fix: hoist
// flags: -std=c99 -O2
// want: assumed: `*at` is written even where the loop does not change it
#include <stdio.h>
struct list {
	struct list *next;
	int length;
};
void drain(struct list **at, unsigned char *to, int n)
{
	while (n-- > 0) { // HERE
		to[n] = (*at)->length++;
		*at = (*at)->next;
	}
}
int main(void)
{
	struct list l[3] = {{l + 1, 5}, {l + 2, 7}, {l, 9}};
	struct list *first = l;
	unsigned char to[8] = {0};
	int i;
	drain(&first, to, 5);
	printf("%d %d %d %d", (int)(first - l), l[0].length, l[1].length, l[2].length);
	for (i = 0; i < 8; i++)
		printf(" %d", to[i]);
	return 0;
}
