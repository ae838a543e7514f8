// fix: bit-field
// flags: -std=c99 -O2
// want: fixed
#include <stdio.h>
#include <stdlib.h>
struct node {
	unsigned int seen : 1;
	unsigned int kind : 3;
	int weight;
};
static int walk(struct node *nodes, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) { // HERE
		if (!nodes[i].seen)
			sum += nodes[i].weight;
		nodes[i].seen = 1;
	}
	return sum;
}
int main(void)
{
	struct node *nodes = calloc(30, sizeof *nodes);
	for (int i = 0; i < 30; i++)
		nodes[i].weight = i, nodes[i].kind = i & 7;
	int a = walk(nodes, 30), b = walk(nodes, 30);
	printf("%d %d %u\n", a, b, nodes[5].kind);
	free(nodes);
	return 0;
}
