#include <stdio.h>
#include <string.h>

struct part { char code[16]; int price; int group; };
struct line { char code[16]; int count; };

static struct part parts[3000];
static struct line lines[60000];

static const struct part *part_for(const struct part *all, int n, const char *code)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(all[i].code, code) == 0)  // WASTE
            return &all[i];
    }
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 3000; i++) {
        snprintf(parts[i].code, sizeof parts[i].code, "P%07d", i * 7919 % 1000003);
        parts[i].price = i % 97;
    }
    for (int i = 0; i < 60000; i++) {
        strcpy(lines[i].code, parts[(i * 31L) % 3000].code);
        lines[i].count = i % 7;
    }
    long sum = 0;
    for (int pass = 0; pass < 6; pass++)
    for (int i = 0; i < 60000; i++) {
        const struct part *p = part_for(parts, 3000, lines[i].code);
        if (p)
            sum += (long)p->price * lines[i].count;
    }
    printf("%ld\n", sum);
    return 0;
}
