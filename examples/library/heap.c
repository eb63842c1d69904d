/* A library with a heap of numbers, smallest first: see "Shared libraries" in the manual.
 * SPDX-License-Identifier: GPL-3.0-or-later */

static int numbers[1 << 20], count;

int heap_less(int a, int b) { return numbers[a] < numbers[b]; }

void heap_swap(int a, int b)
{
    int number = numbers[a];
    numbers[a] = numbers[b];
    numbers[b] = number;
}

void heap_push(int number)
{
    int at = count++;
    for (numbers[at] = number; at > 0 && heap_less(at, (at - 1) / 2); at = (at - 1) / 2)
        heap_swap(at, (at - 1) / 2);
}

int heap_pop(void)
{
    int first = numbers[0], at = 0, next;
    numbers[0] = numbers[--count];
    while ((next = 2 * at + 1) < count) {
        if (next + 1 < count && heap_less(next + 1, next)) next++;
        if (!heap_less(next, at)) break;
        heap_swap(at, next);
        at = next;
    }
    return first;
}
