/* Makes up words and counts them: the program of the manual's first chapter.
 * SPDX-License-Identifier: GPL-3.0-or-later */

#include <stdio.h>

long count_word(const char text[8]);

/* Pseudo-random numbers, the same in every run. */
static unsigned next_random(unsigned limit)
{
    static unsigned state = 1;
    for (int i = 0; i < 60; i++) state = state * 1103515245 + 12345;
    return (state >> 16) % limit;
}

/* One of 1500 words; low numbers are more frequent. */
static void make_word(char text[8])
{
    unsigned number = next_random(1 + next_random(1500));
    for (int i = 0; i < 7; i++, number /= 5)
        text[i] = (char)('a' + number % 5);
    text[7] = '\0';
}

int main(void)
{
    char text[8];
    long most = 0;
    for (int i = 0; i < 2000000; i++) {
        make_word(text);
        long count = count_word(text);
        if (count > most)
            most = count;
    }
    printf("the most frequent word occurs %ld times\n", most);
    return 0;
}
