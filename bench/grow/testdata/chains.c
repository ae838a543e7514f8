/* A hash table of fixed size whose chains grow with what is put in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256 };

struct entry {
    struct entry *next;
    char key[20];
};

static struct entry *table[BUCKETS];

static int insert(const char *key)
{
    unsigned h = 5381;
    for (const char *c = key; *c; c++)
        h = h * 33 + (unsigned char)*c;
    for (struct entry *e = table[h % BUCKETS]; e; e = e->next) /* GROWS */
        if (strcmp(e->key, key) == 0) /* GROWS */
            return 0;
    struct entry *e = malloc(sizeof *e);
    strcpy(e->key, key);
    e->next = table[h % BUCKETS];
    table[h % BUCKETS] = e;
    return 1;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, different = 0;
    char key[20];
    for (int i = 0; i < n; i++) {
        snprintf(key, sizeof key, "key%d", i);
        different += insert(key);
    }
    printf("%d\n", different);
}
