/* What the scanner of tools/precedent sees in programs of a few instructions, put together here bit by bit
 * after figure 3 of the guide's section 3: neither the project's encoder nor the scanner's decoder has a part
 * in them. */
#include "tools/precedent/precedent.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Members that are 0 do nothing: no signal, always, no address. Addresses are given by TO and FROM. */
struct inst {
    unsigned signal, unpack, pm, pack, condition_add, condition_mul, flags, swap;
    unsigned to_add, to_mul, mul, add, a, b, muxes; /* muxes: four octal digits */
};
#define TO(address) ((address) + 1)
#define FROM(address) ((address) + 1)
enum {
    IMM = 13,
    UNIF = 32,
    VARY = 35,
    VPM = 48,
    SETUP = 49,
    RECIP = 52,
    T0S = 56,
    T0T = 57,
    T1S = 60,
    T1T = 61
};
enum { TLBZ = 44, TLBC = 46, UNIF_ADDRESS = 40, ACC0 = 32, ACC1 = 33, NOSWAP = 36 };
enum { THRSW = 2, THREND = 3, SBWAIT = 4, SBDONE = 5, LTHRSW = 6, LDTMU0 = 10, LDTMU1 = 11 };
enum { FADD = 1, FSUB = 2, ADD = 12, ASR = 15, MAX = 19, OR = 21, FMUL = 1, V8MIN = 4 };

static uint64_t address(unsigned given) {
    return given ? given - 1 : 39;
}

static uint64_t encode(struct inst i) {
    return (uint64_t)(i.signal ? i.signal : 1) << 60 | (uint64_t)i.unpack << 57 | (uint64_t)i.pm << 56 |
           (uint64_t)i.pack << 52 | (uint64_t)(i.condition_add ? i.condition_add : 1) << 49 |
           (uint64_t)(i.condition_mul ? i.condition_mul : 1) << 46 | (uint64_t)i.flags << 45 |
           (uint64_t)i.swap << 44 | address(i.to_add) << 38 | address(i.to_mul) << 32 |
           (uint64_t)i.mul << 29 | (uint64_t)i.add << 24 | address(i.a) << 18 | address(i.b) << 12 | i.muxes;
}

static uint64_t load(unsigned to, uint32_t value, bool file_b) {
    return (uint64_t)14 << 60 | (uint64_t)1 << 49 | (uint64_t)1 << 46 | (uint64_t)file_b << 44 |
           address(TO(to)) << 38 | (uint64_t)39 << 32 | value;
}

static uint64_t branch(unsigned condition, int from, int to) {
    return (uint64_t)15 << 60 | (uint64_t)condition << 52 | (uint64_t)1 << 51 | (uint64_t)39 << 38 |
           (uint64_t)39 << 32 | (uint32_t)((to - from - 4) * 8);
}

static struct table table;
static uint64_t code[64];
static size_t count;

static void put(struct inst i) {
    code[count++] = encode(i);
}
static void put_word(uint64_t word) {
    code[count++] = word;
}

static void end(void) {
    put((struct inst){.signal = THREND});
    put((struct inst){0});
    put((struct inst){.signal = SBDONE});
}

static void setup(void) {
    memset(&table, 0, sizeof table);
    count = 0;
}

static void teardown(void) {
    table_free(&table);
}

static void scan(bool fragment) {
    char name[] = "test";
    struct program program = {
        .name = name, .origin = ORIGIN_OURS, .fragment = fragment, .code = code, .count = count};
    scan_program(&table, &program);
    ck_assert(!table.failed);
}

static unsigned long times(const char *pattern) {
    const struct pattern *p = table_find(&table, pattern);
    return p ? p->times[ORIGIN_OURS] : 0;
}

#define HAS(pattern) ck_assert_msg(times(pattern) > 0, "no \"%s\"", pattern)
#define HAS_NOT(pattern) ck_assert_msg(times(pattern) == 0, "has \"%s\"", pattern)

START_TEST(pairs_and_ports) {
    put((struct inst){.add = FADD,
                      .to_add = TO(ACC0),
                      .mul = FMUL,
                      .to_mul = TO(3),
                      .a = FROM(UNIF),
                      .b = FROM(5),
                      .muxes = 06071});
    put((struct inst){.add = OR, .to_add = TO(ACC1), .muxes = 03300});
    put((struct inst){.mul = V8MIN, .to_mul = TO(TLBC), .muxes = 0044, .a = FROM(7)});
    end();
    scan(true);
    HAS("pair fadd+fmul");
    HAS("ports add unif,acc");
    HAS("ports mul b,acc");
    HAS("destinations acc+b");
    HAS("both-files unif,b");
    HAS("op add.mov");
    HAS("op mul.mov");
    HAS("write tlbc by mul in b always");
    HAS("with tlbc r4-read");
    HAS("unselected-read a register");
    HAS_NOT("pair mov+mov");
    HAS_NOT("op add.or");
}
END_TEST

START_TEST(signals_beside_accesses) {
    put((struct inst){.signal = LDTMU0, .add = OR, .to_add = TO(3), .a = FROM(UNIF), .muxes = 06600});
    put((struct inst){.signal = SBWAIT, .mul = FMUL, .to_mul = TO(RECIP), .muxes = 0001, .condition_mul = 2});
    end();
    scan(true);
    HAS("with unif ldtmu");
    HAS("with sfu sbwait");
    HAS("with sfu conditional");
    HAS("next ldtmu sbwait");
    HAS("next unif sfu");
    HAS("write recip by mul in b zs");
}
END_TEST

START_TEST(packs_and_unpacks) {
    put((struct inst){.pack = 1, .add = ASR, .to_add = TO(5), .signal = IMM, .b = FROM(16), .muxes = 00700});
    put((struct inst){.pm = 1, .pack = 4, .mul = FMUL, .to_mul = TO(ACC0), .flags = 1, .muxes = 0001});
    put((struct inst){.unpack = 4,
                      .add = FADD,
                      .to_add = TO(ACC0),
                      .mul = FMUL,
                      .to_mul = TO(ACC1),
                      .a = FROM(5),
                      .muxes = 06161});
    put((struct inst){.pm = 1, .unpack = 3, .add = OR, .to_add = TO(ACC0), .muxes = 04400});
    end();
    scan(true);
    HAS("pack a 16x add.asr");
    HAS("pack a 16x to a");
    HAS("small value integer -16");
    HAS("small integer add.asr");
    HAS("pack mul 8x mul.fmul");
    HAS("pack mul 8x sets flags");
    HAS("unpack a 8x both fadd+fmul");
    HAS("unpack a 8x beside acc");
    HAS("unpack r4 8d-rep add.mov");
    HAS_NOT("unpack a of nothing");
}
END_TEST

START_TEST(rotations) {
    put((struct inst){.add = FADD, .to_add = TO(ACC0), .muxes = 01100});
    put((struct inst){0});
    put((struct inst){.signal = IMM, .b = FROM(48 + 15), .mul = V8MIN, .to_mul = TO(4), .muxes = 0000});
    put((struct inst){
        .signal = IMM, .b = FROM(48), .mul = V8MIN, .to_mul = TO(4), .muxes = 0011, .condition_mul = 6});
    end();
    scan(true);
    HAS("rotate by 15");
    HAS("rotate by r5");
    HAS("rotate after write 2");
    HAS("rotate mov");
    HAS("rotate to b");
    HAS("rotate to b conditional");
    HAS("condition cs of mul");
    HAS("fragment rotate");
}
END_TEST

START_TEST(flags) {
    put((struct inst){.add = MAX, .flags = 1, .muxes = 00100});
    put((struct inst){.add = OR, .to_add = TO(ACC0), .condition_add = 6, .flags = 1, .muxes = 01100});
    put((struct inst){.mul = V8MIN, .to_mul = TO(ACC0), .condition_mul = 2, .muxes = 0011});
    end();
    scan(true);
    HAS("sets add.max");
    HAS("sets without write");
    HAS("asks add.max cs");
    HAS("sets where cs");
    HAS("asks add.mov zs");
    HAS("asks after 1");
    HAS_NOT("asks add.max zs");
}
END_TEST

/* The result arrives when the program has ended. */
START_TEST(load_behind_the_end) {
    put((struct inst){.add = OR, .to_add = TO(T0T), .muxes = 00000});
    put((struct inst){.add = OR, .to_add = TO(T0S), .muxes = 00000});
    put((struct inst){.signal = THREND});
    put((struct inst){.signal = LDTMU0});
    put((struct inst){.signal = SBDONE, .add = OR, .to_add = TO(TLBC), .muxes = 04400});
    put((struct inst){.add = FADD, .to_add = TO(ACC0), .muxes = 00000}); /* behind the program */
    scan(true);
    HAS("end with 1 results pending");
    HAS("next thrend ldtmu");
    HAS("end fragment ldtmu at -1");
    HAS("end reads r4 at -0");
    HAS("end writes tlbc at -0");
    HAS("sbdone at a tile access");
    HAS("tile first waits by colour");
    HAS("texture order ts");
    HAS("texture waits below 3");
    HAS_NOT("op add.fadd");
}
END_TEST

START_TEST(textures_of_both_units) {
    put((struct inst){.add = OR, .to_add = TO(T0T), .muxes = 00000});
    put((struct inst){.add = OR, .to_add = TO(T1T), .muxes = 00000});
    put((struct inst){.add = OR, .to_add = TO(T0S), .muxes = 00000});
    put((struct inst){.add = OR, .to_add = TO(T1S), .muxes = 00000});
    put((struct inst){.signal = LDTMU1});
    put((struct inst){.signal = LDTMU0});
    put((struct inst){.add = ADD, .to_add = TO(T0S), .b = FROM(UNIF), .muxes = 00700});
    put((struct inst){.signal = LDTMU0});
    end();
    scan(true);
    HAS("texture coordinates interleaved");
    HAS("texture pending 1 of a unit, 1 of the other");
    HAS("texture result out of order");
    HAS("texture direct");
    HAS("fragment texture units 0 and 1");
    teardown();
    setup();
    put((struct inst){.add = OR, .to_add = TO(NOSWAP), .muxes = 00000});
    put((struct inst){.add = OR, .to_add = TO(T0S), .muxes = 00000});
    put((struct inst){.signal = LTHRSW});
    end();
    scan(true);
    HAS("fragment texture unit 0 without swap threaded");
    HAS("texture s alone");
}
END_TEST

/* Rows that fall: a stride of 63, from row 5 on. */
START_TEST(vpm_set_ups) {
    put_word(load(SETUP, 4u << 20 | 1u << 12 | 2u << 8 | 1u << 11, false));
    put((struct inst){
        .add = OR, .to_add = TO(ACC0), .a = FROM(VPM), .muxes = 06600, .mul = FMUL, .to_mul = TO(ACC1)});
    put_word(load(SETUP, 63u << 12 | 2u << 8 | 1u << 11 | 5, true));
    put((struct inst){.add = OR, .to_add = TO(VPM), .muxes = 00000});
    put_word(load(SETUP, 1u << 12 | 2u << 8 | 1u << 11, true));
    put((struct inst){.add = OR, .to_add = TO(VPM), .a = FROM(VPM), .muxes = 06600});
    end();
    scan(false);
    HAS("vr_setup of 4");
    HAS("vr_setup stride 1, horizontal, packed, size 2, at 0");
    HAS("vw_setup stride 63, horizontal, packed, size 2, elsewhere");
    HAS("vw_setup from ldi");
    HAS("vpm read after set-up 1");
    HAS("vpm write with reads left");
    HAS("vw_setup after writes");
    HAS("vpm read after writes began");
    HAS("with vpm-read vpm-write");
    HAS("vw_setups 2");
    HAS("end vertex vpm-write at -3");
    HAS_NOT("fragment vpm-write");
}
END_TEST

/* A set-up from the stream is known by its place there. */
START_TEST(vpm_set_up_of_the_stream) {
    char name[] = "stream";
    uint32_t stream[2] = {7, 63u << 12 | 2u << 8 | 1u << 11};
    bool known[2] = {false, true};
    put((struct inst){.add = OR, .to_add = TO(ACC0), .a = FROM(UNIF), .muxes = 06600});
    put((struct inst){.mul = V8MIN, .to_mul = TO(SETUP), .a = FROM(UNIF), .muxes = 0066});
    end();
    struct program program = {.name = name,
                              .origin = ORIGIN_OURS,
                              .code = code,
                              .count = count,
                              .uniforms = stream,
                              .known = known,
                              .uniform_count = 2};
    scan_program(&table, &program);
    HAS("vw_setup from unif");
    HAS("vw_setup stride 63, horizontal, packed, size 2, at 0");
}
END_TEST

START_TEST(branches) {
    put((struct inst){.add = FSUB, .flags = 1, .muxes = 00100});
    put((struct inst){0});
    put_word(branch(8, 2, 10)); /* all-cs, over a texture request */
    put_word(load(ACC0, 8, false));
    put((struct inst){0});
    put((struct inst){.a = FROM(UNIF), .add = ADD, .to_add = TO(UNIF_ADDRESS), .muxes = 00600});
    put((struct inst){.mul = V8MIN, .to_mul = TO(T0S), .muxes = 0011});
    put((struct inst){0});
    put((struct inst){.signal = LDTMU0});
    put((struct inst){0});
    put((struct inst){.a = FROM(VARY), .add = OR, .to_add = TO(1), .muxes = 06600});
    put_word(branch(15, 11, 10));
    put((struct inst){0});
    put((struct inst){0});
    put((struct inst){0});
    end();
    scan(true);
    HAS("branch all-cs forward");
    HAS("branch asks add.fsub c");
    HAS("branch after flags 2");
    HAS("branch always back");
    HAS("branch after branch 6");
    HAS("skips tmu-s");
    HAS("loop vary");
    HAS("next branch ldi");
    HAS("third-after branch unif_addr");
    HAS("reset add.add acc,unif");
    HAS("reset then uniform after 1");
    HAS("branching fragment vary");
    HAS_NOT("loop tmu-s");
}
END_TEST

START_TEST(switches) {
    put((struct inst){.mul = V8MIN, .to_mul = TO(T0S), .muxes = 0011});
    put((struct inst){.signal = THRSW});
    put((struct inst){.add = OR, .to_add = TO(4), .muxes = 00000});
    put((struct inst){.add = OR, .to_add = TO(ACC0), .muxes = 00000});
    put((struct inst){.signal = LDTMU0, .add = OR, .to_add = TO(5), .a = FROM(4), .muxes = 06600});
    put((struct inst){.signal = LTHRSW, .a = FROM(VARY), .add = OR, .to_add = TO(6), .muxes = 06600});
    end();
    scan(true);
    HAS("switch after switch 4");
    HAS("switch then ldtmu after 3");
    HAS("switch writes a at +1");
    HAS("switch writes acc at +2");
    HAS("switch reads a at +3");
    HAS("with vary lthrsw");
    HAS("switches 2");
    HAS("fragment up to 64 instructions threaded");
}
END_TEST

START_TEST(results_of_r4_and_r5) {
    put((struct inst){.mul = V8MIN, .to_mul = TO(RECIP), .muxes = 0011});
    put((struct inst){.a = FROM(VARY), .mul = FMUL, .to_mul = TO(ACC0), .muxes = 0061});
    put((struct inst){.add = FADD, .to_add = TO(ACC0), .muxes = 00500});
    put((struct inst){.add = FADD, .to_add = TO(ACC0), .muxes = 00400});
    put((struct inst){.mul = V8MIN, .to_mul = TO(RECIP), .muxes = 0011});
    put((struct inst){0});
    put((struct inst){0});
    put((struct inst){.mul = V8MIN, .to_mul = TO(RECIP), .muxes = 0011});
    end();
    scan(true);
    HAS("r4 sfu first read after 3");
    HAS("r4 sfu read by add.fadd");
    HAS("r5 vary read after 1");
    HAS("r5 read by add.fadd");
    HAS("r4 sfu then sfu after 4");
    HAS("r4 sfu then sfu after 3 unread");
    HAS("end fragment sfu at -3");
}
END_TEST

START_TEST(writes_of_parts) {
    put((struct inst){.add = OR, .to_add = TO(5), .muxes = 00000});
    put((struct inst){.add = OR, .to_add = TO(5), .pack = 2, .muxes = 00000});
    put((struct inst){.add = OR, .to_add = TO(5), .condition_add = 4, .muxes = 00000});
    end();
    scan(false);
    HAS("rewrite a whole then pack after 1");
    HAS("rewrite a pack then conditional after 1");
    HAS_NOT("rewrite a whole then conditional after 2");
}
END_TEST

START_TEST(tile_order) {
    put((struct inst){.signal = SBWAIT});
    put((struct inst){.add = OR, .to_add = TO(TLBZ), .b = FROM(15), .muxes = 07700});
    put((struct inst){.add = OR, .to_add = TO(TLBC), .muxes = 00000});
    end();
    scan(true);
    HAS("tile first after sbwait tlbz");
    HAS("tile order tlbz,tlbc");
    HAS("sbdone after tile access 3");
    HAS("start fragment sbwait at 0");
    HAS("end fragment tlbz at -4");
}
END_TEST

/* The first row whose pattern fits counts; `*` is any text. */
START_TEST(verdicts) {
    char path[] = "/tmp/precedents.XXXXXX";
    int handle = mkstemp(path);
    ck_assert(handle >= 0);
    FILE *file = fdopen(handle, "w");
    fputs("pattern\ttimes\tverdict\tassumption\treason\n"
          "pair asr+*\t3\tclaim\tshift_count_five_bits\twhy\n"
          "pair *+*\t0\tindependent\t-\tguide 3\n",
          file);
    fclose(file);
    struct verdicts v;
    ck_assert(verdicts_read(&v, path));
    ck_assert_uint_eq(v.count, 2);
    ck_assert_str_eq(verdicts_find(&v, "pair asr+fmul")->verdict, "claim");
    ck_assert_str_eq(verdicts_find(&v, "pair fadd+fmul")->verdict, "independent");
    ck_assert_ptr_null(verdicts_find(&v, "pairs fadd+fmul"));
    ck_assert_ptr_null(verdicts_find(&v, "pair fadd"));
    v.rows[0].times = 12;
    ck_assert(verdicts_write(&v, path));
    verdicts_free(&v);
    char text[200] = "";
    file = fopen(path, "r");
    ck_assert_uint_gt(fread(text, 1, sizeof text - 1, file), 0);
    fclose(file);
    ck_assert_ptr_nonnull(strstr(text, "pair asr+*\t12\tclaim\tshift_count_five_bits\twhy\n"));
    file = fopen(path, "w");
    fputs("pair a\t0\tprobably\t-\twhy\n", file);
    fclose(file);
    ck_assert(!verdicts_read(&v, path));
    verdicts_free(&v);
    remove(path);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("precedent");
    TCase *cases = tcase_create("patterns");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, pairs_and_ports);
    tcase_add_test(cases, signals_beside_accesses);
    tcase_add_test(cases, packs_and_unpacks);
    tcase_add_test(cases, rotations);
    tcase_add_test(cases, flags);
    tcase_add_test(cases, load_behind_the_end);
    tcase_add_test(cases, textures_of_both_units);
    tcase_add_test(cases, vpm_set_ups);
    tcase_add_test(cases, vpm_set_up_of_the_stream);
    tcase_add_test(cases, branches);
    tcase_add_test(cases, switches);
    tcase_add_test(cases, results_of_r4_and_r5);
    tcase_add_test(cases, writes_of_parts);
    tcase_add_test(cases, tile_order);
    tcase_add_test(cases, verdicts);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
