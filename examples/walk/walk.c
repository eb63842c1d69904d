/* A program with a cycle and a recursive function: see "Call graph" in the manual.
 * SPDX-License-Identifier: GPL-3.0-or-later */

static volatile unsigned sink;

static void file(void)
{
    for (int i = 0; i < 300000; i++)
        sink++;
}

static void directory(int depth);

static void entry(int depth)
{
    for (int i = 0; i < 40000; i++)
        sink++;
    if (depth > 0)
        directory(depth - 1);
    else
        file();
}

static void directory(int depth)
{
    for (int i = 0; i < 3; i++)
        entry(depth);
    for (int i = 0; i < 150000; i++)
        sink++;
}

static unsigned count_bits(unsigned number)
{
    for (int i = 0; i < 100000; i++)
        sink++;
    return number == 0 ? 0 : number % 2 + count_bits(number / 2);
}

int main(void)
{
    for (int i = 0; i < 200000000; i++)
        sink++;
    directory(7);
    for (unsigned i = 0; i < 1000; i++)
        count_bits(i);
    file();
    return 0;
}
