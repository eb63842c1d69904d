/* Sorts numbers with the heap of heap.c.
 * SPDX-License-Identifier: GPL-3.0-or-later */

#include <stdio.h>

void heap_push(int number);
int heap_pop(void);

int main(void)
{
    unsigned state = 1, sum = 0;
    for (int i = 0; i < 400000; i++) {
        state = state * 1103515245 + 12345;
        heap_push((int)(state >> 8));
    }
    for (int i = 0; i < 400000; i++) sum = sum * 31 + (unsigned)heap_pop();
    printf("%u\n", sum % 1000);
    return 0;
}
