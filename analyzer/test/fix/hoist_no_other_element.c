// fix: hoist
// flags: -std=c99 -O2
// want: refused: assigns what
#include <stdio.h>
struct levels {
	unsigned char at[4];
};
void raise(struct levels *l, int n)
{
	for (int i = 0; i < n; i++) // HERE
		l->at[i] = (unsigned char)(l->at[0] + i + 1);
}
