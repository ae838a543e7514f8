// fix: wide-store
// flags: -std=c99 -O2
// want: fixed
#include <stdio.h>
typedef unsigned char byte;
long put(byte *buf, unsigned int l)
{
	buf[0] = (byte)(l & 0x000000ff); // HERE
	buf[1] = (byte)((l & 0x0000ff00) >> 8);
	buf[2] = (byte)((l & 0x00ff0000) >> 16);
	buf[3] = (byte)((l & 0xff000000) >> 24);
	return 4;
}
int main(void)
{
	byte b[4];
	put(b, 0xcafe1234u);
	for (int i = 0; i < 4; i++)
		printf("%02x ", b[i]);
	return 0;
}
