/* Which values the controlling uniforms have at draws.
 *
 * Requires: a tally of the caller's. Keeps: nothing else. A set of values that is new takes the place of the
 * one with fewest draws. Counts are halved from time to time, so what was frequent once makes room again. */
#include <qpucc/tally.h>

#include <string.h>

/* A uniform that has changed at more than every fourth draw, once this many are known, is left out. */
enum { KNOWN = 16, OFTEN = 4 };
/* Draws between two halvings. */
enum { HALVE = 64 * QPUCC_TALLY_DUE };
/* Draws that are counted. */
enum { MOST = 1 << 30 };

void qpucc_tally_init(struct qpucc_tally *tally, const struct qpucc_control *controls, size_t count) {
    memset(tally, 0, sizeof *tally);
    for (size_t i = 0; i < count && tally->count < QPUCC_TALLY_WORDS; i++)
        if (controls[i].instructions >= QPUCC_TALLY_LEAST || controls[i].lookups)
            tally->word[tally->count++].word = controls[i].word;
}

static void give_up(struct qpucc_tally *tally, int s) {
    tally->set[s].age += tally->set[s].draws != 0;
    tally->set[s].draws = tally->set[s].due = 0;
}

/* Counts changes; a uniform that changes too often goes, and sets begin anew without it. */
static void watch(struct qpucc_tally *tally, const uint32_t *uniforms) {
    for (uint32_t k = 0; k < tally->count; k++) {
        uint32_t now = uniforms[tally->word[k].word];
        tally->word[k].changes += tally->draws && now != tally->word[k].last;
        tally->word[k].last = now;
    }
    if (++tally->draws == MOST) { /* before it wraps, which would make every change look frequent */
        tally->draws /= 2;
        for (uint32_t k = 0; k < tally->count; k++)
            tally->word[k].changes /= 2;
    }
    for (int s = 0; s < QPUCC_TALLY_SETS && tally->draws % HALVE == 0; s++)
        tally->set[s].draws = (tally->set[s].draws + 1) / 2;
    for (uint32_t k = tally->count; k-- > 0 && tally->draws >= KNOWN;)
        if (tally->word[k].changes > tally->draws / OFTEN) {
            tally->count--;
            memmove(&tally->word[k], &tally->word[k + 1], (tally->count - k) * sizeof tally->word[k]);
            for (int s = 0; s < QPUCC_TALLY_SETS; s++)
                give_up(tally, s);
        }
}

static bool has_values(const struct qpucc_tally *tally, int s) {
    bool same = tally->set[s].draws;
    for (uint32_t k = 0; same && k < tally->count; k++)
        same = tally->set[s].values[k] == tally->word[k].last;
    return same;
}

/* The place of the values of this draw, which may be new. */
static int find_set(struct qpucc_tally *tally) {
    int least = 0;
    for (int s = 0; s < QPUCC_TALLY_SETS; s++) {
        if (has_values(tally, s))
            return s;
        if (tally->set[s].draws < tally->set[least].draws)
            least = s;
    }
    give_up(tally, least);
    for (uint32_t k = 0; k < tally->count; k++)
        tally->set[least].values[k] = tally->word[k].last;
    return least;
}

int qpucc_tally_draw(struct qpucc_tally *tally, const uint32_t *uniforms) {
    if (tally->count)
        watch(tally, uniforms);
    if (!tally->count)
        return -1;
    int s = find_set(tally);
    tally->set[s].draws++;
    if (tally->set[s].due || tally->set[s].draws >= QPUCC_TALLY_DUE)
        tally->set[s].due += tally->set[s].due < 2;
    return s;
}

bool qpucc_tally_is_due(const struct qpucc_tally *tally, int set) {
    return set >= 0 && tally->set[set].due == 1;
}

uint32_t qpucc_tally_age(const struct qpucc_tally *tally, int set) {
    return set < 0 ? 0 : tally->set[set].age;
}

size_t qpucc_tally_constants(const struct qpucc_tally *tally, int set,
                             struct qpucc_constant constants[QPUCC_TALLY_WORDS]) {
    for (uint32_t k = 0; set >= 0 && k < tally->count; k++)
        constants[k] = (struct qpucc_constant){tally->word[k].word, tally->set[set].values[k]};
    return set < 0 ? 0 : tally->count;
}
