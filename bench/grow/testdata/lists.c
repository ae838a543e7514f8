/* Makes a list of many small pieces, sorts it by merging, and frees it: n log n. */
#include <stdio.h>
#include <stdlib.h>

struct item {
    struct item *next;
    unsigned key;
};

static struct item *merge(struct item *a, struct item *b)
{
    struct item head, *end = &head;
    while (a && b) {
        struct item **less = a->key <= b->key ? &a : &b;
        end->next = *less;
        end = *less;
        *less = (*less)->next;
    }
    end->next = a ? a : b;
    return head.next;
}

static struct item *sorted(struct item *list)
{
    if (!list || !list->next)
        return list;
    struct item *slow = list, *fast = list->next;
    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
    }
    struct item *half = slow->next;
    slow->next = NULL;
    return merge(sorted(list), sorted(half));
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    unsigned seed = 1;
    struct item *list = NULL;
    for (int i = 0; i < n; i++) {
        struct item *e = malloc(sizeof *e);
        e->key = seed = seed * 1103515245 + 12345;
        e->next = list;
        list = e;
    }
    list = sorted(list);
    printf("%u\n", list->key);
    while (list) {
        struct item *next = list->next;
        free(list);
        list = next;
    }
}
