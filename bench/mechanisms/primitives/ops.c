/* OP LENGTH ROUNDS: an operation on a container of that length, once a round. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t length;
static long *items;
static char *text, *spare;
static unsigned long other[64];
static volatile long sink;

__attribute__((noinline)) static void work(long i) {
	char word[32];
	snprintf(word, sizeof word, "%ld", i % 1000);
	other[i % 64] += strtoul(word, NULL, 10);
}
static int same(const void *a, const void *b) { return *(const long *)a != *(const long *)b; }

static void append(long i) {
	text[length] = 0;
	strcat(text, "ab"); /* WASTE append */
	sink += i;
}
static void len(long i) {
	text[i % 2] ^= 1;
	sink += strlen(text); /* WASTE len */
}
static void scan(long i) {
	int value;
	sink += sscanf(text, "%d", &value) + i; /* WASTE scan */
}
static void find(long i) {
	sink += strstr(text, "qq") == NULL; /* WASTE find */
	sink += i;
}
static void front(long i) {
	memmove(items + 1, items, (length - 1) * sizeof *items); /* WASTE front */
	items[0] = i;
}
static void copy(long i) {
	char *grown = malloc(length + 3);
	memcpy(grown, text, length); /* WASTE copy */
	grown[length] = (char)i;
	sink += grown[0];
	free(grown);
}
static void dup(long i) {
	char *grown = strdup(text); /* WASTE dup */
	sink += grown[0] + i;
	free(grown);
}
static void search(long i) {
	long key = -i - 1;
	size_t n = length;
	sink += lfind(&key, items, &n, sizeof key, same) == NULL; /* WASTE search */
}
static void format(long i) {
	sink += snprintf(spare, 2 * length + 64, "%s%ld", text, i); /* WASTE format */
}
static void clear(long i) {
	memset(spare, 0, length); /* WASTE clear */
	spare[0] = (char)i;
}

static const struct {
	const char *name;
	void (*run)(long);
} ops[] = {{"append", append}, {"len", len},   {"scan", scan},     {"find", find},     {"front", front},
           {"copy", copy},     {"dup", dup}, {"search", search}, {"format", format}, {"clear", clear}};

int main(int argc, char **argv) {
	if (argc < 4)
		return 2;
	length = strtoul(argv[2], NULL, 10);
	long rounds = atol(argv[3]);
	items = malloc(length * sizeof *items);
	text = malloc(length + 16);
	spare = malloc(2 * length + 64);
	for (size_t i = 0; i < length; i++) {
		items[i] = (long)i;
		text[i] = (char)('a' + i % 7);
	}
	text[0] = '1', text[1] = ' ', text[length] = 0;
	for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
		if (!strcmp(ops[o].name, argv[1]))
			for (long i = 0; i < rounds; i++)
				ops[o].run(i), work(i);
}
