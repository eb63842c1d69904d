/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c -- a sample program to profile: a small interpreter.
 *
 * It writes pages of random arithmetic, executes each, ranks the names used
 * so far, and prints a report.  It has no input and always prints the same, so
 * two profiles of it differ only by random sampling.
 */
#include "interpreter.h"
#include "ranking.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PAGES = 20,
    STATEMENTS = 20000, /* per page */
    LEADERS = 5         /* number of names in the report */
};

struct study {
    struct rng rng;
    struct table names;
    struct tally tally;
    unsigned long characters;
    uint32_t digest; /* of all pages and all rankings of their names */
};

static void digest_ranking(struct study *study, order *compare)
{
    struct entry **ranking = rank(&study->names, compare);

    study->digest =
        ranking_digest(ranking, study->names.used, study->digest);
    free(ranking);
}

static bool study_page(struct study *study)
{
    struct text page = {NULL, 0, 0};
    bool well_formed;

    write_page(&page, &study->rng, STATEMENTS);
    study->characters += page.length;
    study->digest ^= slice_hash(text_slice(&page));
    well_formed = interpret(text_slice(&page), &study->names, &study->tally);
    text_free(&page);

    digest_ranking(study, by_count);
    digest_ranking(study, by_name);
    return well_formed;
}

static void report_leaders(const struct table *names)
{
    struct entry **ranking = rank(names, by_count);

    puts("most used names");
    for (size_t i = 0; i < LEADERS && i < names->used; i++)
        printf("  %-16.*s %10u\n", (int)ranking[i]->name.length,
               ranking[i]->name.chars, ranking[i]->count);
    free(ranking);
}

static void report(const struct study *study)
{
    printf("pages              %10d\n", PAGES);
    printf("characters         %10lu\n", study->characters);
    printf("tokens             %10lu\n", study->tally.tokens);
    printf("statements         %10lu\n", study->tally.statements);
    printf("divisions by zero  %10lu\n", study->tally.zero_divisions);
    printf("different names    %10zu\n", study->names.used);
    report_leaders(&study->names);
    printf("digest               %08lx\n", (unsigned long)study->digest);
}

int main(void)
{
    struct study study = {.rng = {1982}}; /* the year gprof was presented */
    bool well_formed = true;

    for (int page = 0; page < PAGES && well_formed; page++)
        well_formed = study_page(&study);
    if (well_formed)
        report(&study);
    else
        fputs("sample: a page is not well formed\n", stderr);

    table_free(&study.names);
    return well_formed && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
