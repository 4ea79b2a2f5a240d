/* Random draws on the machine, by control lists, and on another GL (Mesa's software): the pictures agree.
 *
 *     draws [--first N] [--count N] [--only THEME] [--keep DIR] [--verbose]
 *
 * generate.c says what a case is and how far its pictures have to agree. --keep writes those that do not, and
 * --verbose tells of each case, also of those whose differences are allowed. Exit code 77 when there is no
 * such GL here. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "tests/output/gl_state.h"

enum { SKIPPED = 77, DEPTH_STEPS = 64 };

static struct draws_picture machine, other, again;

static int channel(uint32_t color, unsigned k) {
    return (int)(color >> 8 * k & 255);
}

/* Is pixel (x, y) of `a` what `b` has there, or, unless exact, between what it has around? */
static bool within(const struct draws_case *c, const struct draws_picture *a, const struct draws_picture *b,
                   unsigned x, unsigned y) {
    /* 5 bits; the other picture has 8 */
    int slack = (int)c->tolerance + (c->bgr565 ? 5 : 0), reach = c->exact ? 0 : 1;
    for (unsigned k = 0; k < (c->bgr565 ? 3 : 4); k++) {
        int low = 255, high = 0, here = channel(a->color[y * c->width + x], k);
        for (int dy = -reach; dy <= reach; dy++) {
            for (int dx = -reach; dx <= reach; dx++) {
                int px = (int)x + dx, py = (int)y + dy;
                if (px < 0 || py < 0 || px >= (int)c->width || py >= (int)c->height)
                    continue;
                int v = channel(b->color[(unsigned)py * c->width + (unsigned)px], k);
                low = v < low ? v : low;
                high = v > high ? v : high;
            }
        }
        if (here < low - slack || here > high + slack)
            return false;
    }
    return true;
}

static bool same_tests(const struct draws_case *c, unsigned at) {
    int64_t step = (int64_t)machine.depth[at] - other.depth[at];
    return !c->exact || c->multisample ||
           (step >= -DEPTH_STEPS && step <= DEPTH_STEPS && machine.stencil[at] == other.stencil[at]);
}

static unsigned count_bad(const struct draws_case *c, unsigned *first, unsigned *drawn, unsigned char *bad) {
    unsigned n = 0;
    *drawn = 0;
    for (unsigned i = 0; i < c->width * c->height; i++) {
        unsigned x = i % c->width, y = i / c->width;
        bool ok = within(c, &machine, &other, x, y) && (c->exact || within(c, &other, &machine, x, y)) &&
                  same_tests(c, i);
        *drawn += other.color[i] != c->clear;
        *first = ok || n ? *first : i;
        bad[i] = !ok;
        n += !ok;
    }
    return n;
}

static void keep(const char *folder, const struct draws_case *c, const char *kind, const uint32_t *color,
                 const unsigned char *gray) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%u-%s.ppm", folder, c->seed, kind);
    FILE *f = fopen(path, "wb");
    if (!f)
        return;
    fprintf(f, "P6\n%u %u\n255\n", c->width, c->height);
    for (unsigned i = 0; i < c->width * c->height; i++)
        for (unsigned k = 0; k < 3; k++)
            fputc(gray ? gray[i] * 255 : channel(color[i], k), f);
    fclose(f);
}

static void describe(const struct draws_case *c) {
    static const char *const modes[] = {"points",    "lines",          "line loop",   "line strip",
                                        "triangles", "triangle strip", "triangle fan"};
    printf("  %ux%u%s%s, clear %08x z %06x s %u\n", c->width, c->height, c->multisample ? ", 4 samples" : "",
           c->bgr565 ? ", 565"
           : c->hdr  ? ", 64 bits"
                     : "",
           (unsigned)c->clear, (unsigned)c->clear_z, c->clear_stencil);
    for (unsigned i = 0; i < c->count; i++) {
        const struct draws_draw *d = &c->draw[i];
        const struct draws_texture *t = &d->texture;
        printf("  %s, %u of %u vertices, %s: cull %d, z %d%s, early %d%d, offset %g %g, planes %g %g, "
               "flat %x, blend %d, samples %x%s%s, viewport %d %d %d %d, window %d %d %d %d\n",
               modes[d->mode], d->count, d->vertex_count, d->index_bytes ? "indexed" : "in order", d->cull,
               d->depth_func, d->depth_write ? "w" : "", d->early, d->early_updates, (double)d->offset_factor,
               (double)d->offset_units, (double)d->min_z, (double)d->max_z, d->flat, d->blend, d->sample_mask,
               d->discard ? ", discard" : "", d->coverage ? ", by alpha" : "", d->viewport[0], d->viewport[1],
               d->viewport[2], d->viewport[3], d->window[0], d->window[1], d->window[2], d->window[3]);
        const struct draws_general *g = &d->general;
        if (d->blend == DRAWS_GENERAL)
            printf("    equations %d %d, factors %d %d and %d %d, constant %g %g %g %g\n", g->equation[0],
                   g->equation[1], g->source[0], g->destination[0], g->source[1], g->destination[1],
                   (double)g->constant[0], (double)g->constant[1], (double)g->constant[2],
                   (double)g->constant[3]);
        if (d->mode < QPUSIM_TRIANGLES)
            printf("    size %g (%s), width %g, kind %d\n", (double)d->point_size,
                   d->sizes ? "from vertices" : "state", (double)d->line_width, d->kind);
        for (unsigned k = 0; k < 2 && d->stencil; k++)
            printf("    stencil %u: func %u ops %u %u %u ref %u masks %02x %02x\n", k, d->side[k].func,
                   d->side[k].fail, d->side[k].depth_fail, d->side[k].depth_pass, d->side[k].reference,
                   d->side[k].mask, d->side[k].write_mask);
        if (t->levels)
            printf("    %s format %d %ux%u, %u levels, wrap %d %d, mag %d min %d bias %g\n",
                   t->cube ? "cube" : "texture", t->format, t->width, t->height, t->levels, t->wrap_s,
                   t->wrap_t, t->mag, t->min, (double)t->bias);
    }
}

static bool run(unsigned seed, const char *theme, const char *folder, bool verbose) {
    static struct draws_case c;
    static unsigned char bad[DRAWS_SIDE * DRAWS_SIDE];
    draws_generate(seed, &c);
    if (theme && strcmp(theme, c.name) != 0)
        return true;
    if (!draws_machine(&c, 0, &machine) || !draws_gl(&c, &other)) {
        printf("%u %s: FAILED to draw\n", seed, c.name);
        describe(&c);
        return false;
    }
    /* the same bits with any number of threads */
    if (seed % 16 == 0 && (!draws_machine(&c, 3, &again) || memcmp(&machine, &again, sizeof again))) {
        printf("%u %s: FAILED with three threads\n", seed, c.name);
        return false;
    }
    unsigned first = 0, drawn, n = count_bad(&c, &first, &drawn, bad), pixels = c.width * c.height;
    bool ok = n <= (c.exact ? 2 * (c.share > 0) : 8) + c.ends + (unsigned)(c.share * pixels);
    if (ok && !verbose)
        return true;
    printf("%u %s: %s, %u of %u pixels, %u drawn, %u may", seed, c.name, ok ? "ok" : "FAILED", n, pixels,
           drawn, c.ends);
    if (n)
        printf("; (%u %u) is %08x z %06x s %02x instead of %08x z %06x s %02x", first % c.width,
               first / c.width, (unsigned)machine.color[first], (unsigned)machine.depth[first],
               machine.stencil[first], (unsigned)other.color[first], (unsigned)other.depth[first],
               other.stencil[first]);
    printf("\n");
    if (n)
        describe(&c);
    if (n && folder) {
        keep(folder, &c, "machine", machine.color, NULL);
        keep(folder, &c, "gl", other.color, NULL);
        keep(folder, &c, "bad", NULL, bad);
    }
    return ok;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"first", required_argument, NULL, 'f'}, {"count", required_argument, NULL, 'n'},
        {"only", required_argument, NULL, 'o'},  {"keep", required_argument, NULL, 'k'},
        {"verbose", no_argument, NULL, 'v'},     {0}};
    unsigned first = 0, count = 300, failed = 0;
    const char *theme = NULL, *folder = NULL;
    bool verbose = false;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case 'f': first = (unsigned)strtoul(optarg, NULL, 0); break;
        case 'n': count = (unsigned)strtoul(optarg, NULL, 0); break;
        case 'o': theme = optarg; break;
        case 'k': folder = optarg; break;
        case 'v': verbose = true; break;
        default: return 2;
        }
    }
    /* levels of detail as GL defines them, not as fast as they can be guessed */
    setenv("GALLIVM_PERF", "no_rho_approx,no_brilinear", 0);
    if (!gl_open()) {
        printf("no surfaceless GL here\n");
        return SKIPPED;
    }
    for (unsigned i = 0; i < count; i++)
        failed += !run(first + i, theme, folder, verbose);
    gl_close();
    printf("%u draws, %u failed\n", count, failed);
    return failed != 0;
}
