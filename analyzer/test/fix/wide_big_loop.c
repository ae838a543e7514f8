// fix: wide-store
// flags: -std=c99 -O2
// want: fixed
#include <stdint.h>
#include <stdio.h>
void put(unsigned char *out, uint64_t value)
{
	for (int i = 0; i < 8; i++) // HERE
		out[i] = (unsigned char)(value >> (56 - 8 * i));
}
int main(void)
{
	unsigned char b[8];
	put(b, 0x123456789abcdef0u);
	for (int i = 0; i < 8; i++)
		printf("%02x ", b[i]);
	return 0;
}
