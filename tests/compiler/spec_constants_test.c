/* Specialisation constants of SPIR-V modules: with values of the driver's the code is that of a module which
 * has these values itself. */
#include "tests/compiler/program_equal.h"
#include "tests/compiler/api.h"

#include <qpucc/cache.h>
#include <spirv-tools/libspirv.h>

/* A fragment shader: an array as long as a constant says, a number, a choice, an operation on constants. */
static const char text[] =
    "OpCapability Shader\n"
    "OpMemoryModel Logical GLSL450\n"
    "OpEntryPoint Fragment %main \"main\" %color %in\n"
    "OpExecutionMode %main OriginUpperLeft\n"
    "OpName %color \"color\"\nOpName %in \"v\"\n"
    "OpDecorate %color Location 0\nOpDecorate %in Location 0\n"
    "OpDecorate %length SpecId 3\nOpDecorate %scale SpecId 4\nOpDecorate %choice SpecId 10\n"
    "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%bool = OpTypeBool\n%float = OpTypeFloat 32\n"
    "%int = OpTypeInt 32 1\n%vec4 = OpTypeVector %float 4\n"
    "%pin = OpTypePointer Input %float\n%pout = OpTypePointer Output %vec4\n"
    "%in = OpVariable %pin Input\n%color = OpVariable %pout Output\n"
    "%length = OpSpecConstant %int LENGTH\n%scale = OpSpecConstant %float SCALE\n"
    "%choice = OpSpecConstantCHOICE %bool\n%one = OpConstant %int 1\n"
    "%more = OpSpecConstantOp %int IAdd %length %one\n%zero = OpConstant %float 0\n"
    "%array = OpTypeArray %float %length\n%parray = OpTypePointer Function %array\n"
    "%pelement = OpTypePointer Function %float\n"
    "%main = OpFunction %void None %function\n%entry = OpLabel\n%a = OpVariable %parray Function\n"
    "%x = OpLoad %float %in\n%y = OpFMul %float %x %scale\n"
    "%element = OpAccessChain %pelement %a %one\nOpStore %element %y\n%z = OpLoad %float %element\n"
    "%number = OpConvertSToF %float %more\n%w = OpFAdd %float %z %number\n"
    "%r = OpSelect %float %choice %w %zero\n%c = OpCompositeConstruct %vec4 %r %x %w %y\nOpStore %color %c\n"
    "OpReturn\nOpFunctionEnd\n";

struct module {
    struct qpucc_source source;
    spv_binary binary;
};

static struct module assemble(const char *length, const char *scale, const char *choice) {
    static const char *const words[] = {"LENGTH", "SCALE", "CHOICE"};
    const char *const by[] = {length, scale, choice};
    char own[sizeof text + 100], *to = own;
    for (const char *at = text; *at;) {
        int k = 0;
        while (k < 3 && strncmp(at, words[k], strlen(words[k])) != 0)
            k++;
        if (k == 3) {
            *to++ = *at++;
            continue;
        }
        to = stpcpy(to, by[k]);
        at += strlen(words[k]);
    }
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_0);
    struct module m = {.binary = NULL};
    ck_assert_int_eq(spvTextToBinary(context, own, (size_t)(to - own), &m.binary, NULL), SPV_SUCCESS);
    spvContextDestroy(context);
    m.source = (struct qpucc_source){"spec.spv", m.binary->code, m.binary->wordCount * sizeof(uint32_t),
                                     QPUCC_FRAGMENT, QPUCC_SPIRV};
    return m;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void expect_same(const qpucc_program *got, const qpucc_program *want) {
    expect_ok(got);
    expect_ok(want);
    const char *differs = code_difference(got, want);
    ck_assert_msg(!differs, "%s", differs);
}

START_TEST(values_are_the_drivers) {
    const struct qpucc_spec_constant list[] = {{QPUCC_FRAGMENT, 4, bits_of(9.0f)},
                                               {QPUCC_FRAGMENT, 3, 6},
                                               {QPUCC_FRAGMENT, 10, 0},
                                               {QPUCC_VERTEX, 77, 1}, /* of a stage that is not there */
                                               {QPUCC_FRAGMENT, 4, bits_of(2.5f)}};
    struct module defaults = assemble("2", "0.5", "True"), own = assemble("6", "2.5", "False");
    struct qpucc_options o = qpucc_options_default();
    qpucc_program *plain = qpucc_compile(&defaults.source, 1, NULL, &o);
    o.spec_constants = list;
    o.spec_constant_count = sizeof list / sizeof *list;
    qpucc_program *got = qpucc_compile(&defaults.source, 1, NULL, &o),
                  *want = qpucc_compile(&own.source, 1, NULL, NULL);
    expect_same(got, want);
    ck_assert_ptr_nonnull(code_difference(plain, got));
    /* the module is the one that came */
    size_t words;
    const uint32_t *kept = qpucc_program_spirv(got, QPUCC_FRAGMENT, &words);
    ck_assert_uint_eq(words * sizeof *kept, defaults.source.size);
    ck_assert_mem_eq(kept, defaults.source.data, defaults.source.size);
    /* a variant, and a shader object, have the values, too */
    const struct qpucc_state state = {.depth_test = 1};
    qpucc_program *variant = qpucc_variant(got, &state), *other = qpucc_compile(&own.source, 1, &state, NULL);
    expect_same(variant, other);
    qpucc_shader *shader = qpucc_shader_compile(&defaults.source, &o);
    qpucc_program *linked = qpucc_link((const qpucc_shader *const[]){shader}, 1, NULL, NULL);
    expect_same(linked, want);
    qpucc_shader_free(shader);
    qpucc_program *programs[] = {plain, got, want, variant, other, linked};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        qpucc_program_free(programs[i]);
    spvBinaryDestroy(defaults.binary);
    spvBinaryDestroy(own.binary);
}
END_TEST

static void expect_usage(qpucc_program *p, const char *said) {
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, "usage");
    ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->text, said);
    qpucc_program_free(p);
}

START_TEST(what_is_not_there_is_refused) {
    struct qpucc_spec_constant list[] = {{QPUCC_FRAGMENT, 3, 2}, {QPUCC_FRAGMENT, 5, 1}};
    struct module m = assemble("2", "0.5", "True");
    struct qpucc_options o = qpucc_options_default();
    o.spec_constant_count = 2;
    expect_usage(qpucc_compile(&m.source, 1, NULL, &o),
                 "options.spec_constants is NULL, but options.spec_constant_count is 2");
    o.spec_constants = list;
    expect_usage(qpucc_compile(&m.source, 1, NULL, &o), "no specialisation constant has the id 5");
    list[1].stage = QPUCC_COORDINATE;
    expect_usage(qpucc_compile(&m.source, 1, NULL, &o),
                 "options.spec_constants[1].stage is 2, but a source is QPUCC_FRAGMENT or QPUCC_VERTEX");
    spvBinaryDestroy(m.binary);
}
END_TEST

/* A length that the array cannot have is the module's error, and any words are taken. */
START_TEST(any_value_and_any_words) {
    struct qpucc_spec_constant list[] = {{QPUCC_FRAGMENT, 3, UINT32_MAX}, {QPUCC_FRAGMENT, 10, 7}};
    struct module m = assemble("2", "0.5", "True");
    struct qpucc_options o = qpucc_options_default();
    uint32_t seed = 1, words[400];
    size_t count = m.source.size / 4;
    o.opt_level = 0;
    o.spec_constants = list;
    o.spec_constant_count = 2;
    qpucc_program *p = qpucc_compile(&m.source, 1, NULL, &o);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_OK);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_INTERNAL);
    qpucc_program_free(p);
    ck_assert(count <= sizeof words / sizeof *words);
    for (int round = 0; round < 3000; round++) {
        memcpy(words, m.source.data, m.source.size);
        for (int k = 0; k < 3; k++) {
            seed = seed * 1664525 + 1013904223;
            words[(seed >> 8) % count] ^= 1u << (seed >> 27);
        }
        struct qpucc_source source = m.source;
        source.data = words;
        list[0].bits = (uint32_t)round % 5;
        p = qpucc_compile(&source, 1, NULL, &o);
        ck_assert_int_ne(qpucc_program_status(p), QPUCC_INTERNAL);
        qpucc_program_free(p);
    }
    spvBinaryDestroy(m.binary);
}
END_TEST

/* A uniform array whose length is an operation on constants. */
static const char lengths[] =
    "OpCapability Shader\n"
    "OpMemoryModel Logical GLSL450\n"
    "OpEntryPoint Fragment %main \"main\" %color\n"
    "OpExecutionMode %main OriginUpperLeft\n"
    "OpName %color \"color\"\nOpName %block \"block\"\nOpMemberName %block 0 \"values\"\n"
    "OpDecorate %color Location 0\nOpDecorate %a SpecId 1\nOpDecorate %b SpecId 2\nOpDecorate %t SpecId 3\n"
    "OpDecorate %array ArrayStride 16\nOpMemberDecorate %block 0 Offset 0\nOpDecorate %block Block\n"
    "OpDecorate %uniforms DescriptorSet 0\nOpDecorate %uniforms Binding 0\n"
    "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%bool = OpTypeBool\n%float = OpTypeFloat 32\n"
    "%int = OpTypeInt 32 1\n%vec4 = OpTypeVector %float 4\n%pout = OpTypePointer Output %vec4\n"
    "%color = OpVariable %pout Output\n"
    "%zero = OpConstant %int 0\n%two = OpConstant %int 2\n%three = OpConstant %int 3\n"
    "%a = OpSpecConstant %int 1\n%b = OpSpecConstant %int 1\n%t = OpSpecConstantTrue %bool\n"
    "%s\n%length = OpSpecConstantOp %int %s\n"
    "%array = OpTypeArray %vec4 %length\n%block = OpTypeStruct %array\n"
    "%pblock = OpTypePointer Uniform %block\n%pvec4 = OpTypePointer Uniform %vec4\n"
    "%uniforms = OpVariable %pblock Uniform\n"
    "%main = OpFunction %void None %function\n%entry = OpLabel\n"
    "%element = OpAccessChain %pvec4 %uniforms %zero %zero\n%v = OpLoad %vec4 %element\n"
    "OpStore %color %v\nOpReturn\nOpFunctionEnd\n";

/* The operation, with one before it or none; the values of a, b and t, and the length: 0 is none. */
static const struct {
    const char *before, *operation;
    int a, b, t;
    unsigned length;
} folded[] = {
    {"", "IAdd %a %b", 3, 4, 0, 7},
    {"", "ISub %a %b", 3, -4, 0, 7},
    {"", "IMul %a %b", -3, -4, 0, 12},
    {"", "SNegate %a", -5, 0, 0, 5},
    {"", "Not %a", -6, 0, 0, 5},
    {"", "UDiv %a %b", 23, 4, 0, 5},
    {"", "SDiv %a %b", -23, -4, 0, 5},
    {"", "SDiv %a %b", 23, 0, 0, 0},
    {"", "SDiv %a %b", -2147483647 - 1, -1, 0, 0},
    {"", "UMod %a %b", 23, 4, 0, 3},
    {"", "UMod %a %b", 23, 0, 0, 0},
    {"", "SRem %a %b", 23, -4, 0, 3},
    {"", "SMod %a %b", -23, 4, 0, 1},
    {"%p = OpSpecConstantOp %int SMod %a %b", "SNegate %p", 23, -4, 0, 1},
    {"", "ShiftLeftLogical %a %b", 3, 2, 0, 12},
    {"", "ShiftLeftLogical %a %b", 3, 32, 0, 0},
    {"%p = OpSpecConstantOp %int ShiftRightArithmetic %a %b", "SNegate %p", -40, 3, 0, 5},
    {"", "ShiftRightLogical %a %b", -1, 29, 0, 7},
    {"", "BitwiseOr %a %b", 5, 3, 0, 7},
    {"", "BitwiseAnd %a %b", 13, 6, 0, 4},
    {"", "BitwiseXor %a %b", 13, 6, 0, 11},
    {"", "Select %t %a %b", 5, 3, 1, 5},
    {"", "Select %t %a %b", 5, 3, 0, 3},
    {"%p = OpSpecConstantOp %bool LogicalNot %t", "Select %p %two %three", 1, 1, 1, 3},
    {"%p = OpSpecConstantOp %bool IEqual %a %b\n%q = OpSpecConstantOp %bool LogicalAnd %p %t",
     "Select %q %two %three", 4, 4, 1, 2},
    {"%p = OpSpecConstantOp %bool INotEqual %a %b\n%q = OpSpecConstantOp %bool LogicalOr %p %t",
     "Select %q %two %three", 4, 4, 0, 3},
    {"%p = OpSpecConstantOp %bool SLessThan %a %b\n%q = OpSpecConstantOp %bool LogicalEqual %p %t",
     "Select %q %two %three", -4, 4, 1, 2},
    {"%p = OpSpecConstantOp %bool ULessThan %a %b\n%q = OpSpecConstantOp %bool LogicalNotEqual %p %t",
     "Select %q %two %three", -4, 4, 1, 2},
    {"%p = OpSpecConstantOp %bool SLessThanEqual %a %b", "Select %p %two %three", 4, 4, 0, 2},
    {"%p = OpSpecConstantOp %bool ULessThanEqual %a %b", "Select %p %two %three", -1, 4, 0, 3},
    {"%p = OpSpecConstantOp %bool SGreaterThan %a %b", "Select %p %two %three", -1, 4, 0, 3},
    {"%p = OpSpecConstantOp %bool UGreaterThan %a %b", "Select %p %two %three", -1, 4, 0, 2},
    {"%p = OpSpecConstantOp %bool SGreaterThanEqual %a %b", "Select %p %two %three", 4, 4, 0, 2},
    {"%p = OpSpecConstantOp %bool UGreaterThanEqual %a %b", "Select %p %two %three", 3, -4, 0, 3},
};

START_TEST(lengths_are_operations) {
    char own[sizeof lengths + 400];
    for (size_t k = 0; k < sizeof folded / sizeof *folded; k++) {
        char *to = own;
        int placed = 0;
        for (const char *at = lengths; *at;) {
            bool place = at[0] == '%' && at[1] == 's' && (at[2] == '\n');
            if (place)
                to = stpcpy(to, placed++ ? folded[k].operation : folded[k].before);
            else
                *to++ = *at;
            at += place ? 2 : 1;
        }
        spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_0);
        spv_binary binary = NULL;
        ck_assert_msg(spvTextToBinary(context, own, (size_t)(to - own), &binary, NULL) == SPV_SUCCESS, "%s",
                      folded[k].operation);
        spvContextDestroy(context);
        const struct qpucc_source source = {"lengths.spv", binary->code, binary->wordCount * sizeof(uint32_t),
                                            QPUCC_FRAGMENT, QPUCC_SPIRV};
        const struct qpucc_spec_constant list[] = {{QPUCC_FRAGMENT, 1, (uint32_t)folded[k].a},
                                                   {QPUCC_FRAGMENT, 2, (uint32_t)folded[k].b},
                                                   {QPUCC_FRAGMENT, 3, (uint32_t)folded[k].t}};
        struct qpucc_options o = qpucc_options_default();
        o.opt_level = 0;
        o.spec_constants = list;
        o.spec_constant_count = 3;
        o.flags |= folded[k].length ? 0 : QPUCC_VALID_SPIRV; /* who knows what validators say of it */
        qpucc_program *p = qpucc_compile(&source, 1, NULL, &o);
        if (folded[k].length) {
            expect_ok(p);
            ck_assert_msg(qpucc_program_variable(p, QPUCC_UNIFORMS, 0)->array_length == folded[k].length,
                          "%s: %u", folded[k].operation,
                          qpucc_program_variable(p, QPUCC_UNIFORMS, 0)->array_length);
        } else {
            ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, "unsupported");
        }
        qpucc_program_free(p);
        spvBinaryDestroy(binary);
    }
}
END_TEST

/* A store of three entries. */
static struct entry {
    uint8_t key[QPUCC_CACHE_KEY_BYTES];
    void *data;
    size_t size;
} entries[3];

static void *get(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], size_t *size) {
    (void)user;
    for (int i = 0; i < 3; i++)
        if (entries[i].data && !memcmp(entries[i].key, key, sizeof entries[i].key)) {
            void *copy = malloc(entries[i].size);
            *size = entries[i].size;
            return copy ? memcpy(copy, entries[i].data, *size) : NULL;
        }
    return NULL;
}

static void put(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], const void *data, size_t size) {
    int i = 0;
    (void)user;
    while (i < 3 && entries[i].data)
        i++;
    ck_assert_int_lt(i, 3);
    memcpy(entries[i].key, key, sizeof entries[i].key);
    entries[i].data = malloc(size);
    entries[i].size = size;
    memcpy(entries[i].data, data, size);
}

/* Each value has its own entry. */
START_TEST(the_cache_knows_values) {
    const struct qpucc_cache_store store = {.get = get, .put = put};
    struct qpucc_spec_constant value = {QPUCC_FRAGMENT, 3, 2};
    struct module m = assemble("2", "0.5", "True");
    struct qpucc_options o = qpucc_options_default();
    qpucc_cache *cache = qpucc_cache_open_store(&store);
    o.spec_constants = &value;
    o.spec_constant_count = 1;
    for (uint32_t bits = 2; bits < 5; bits++)
        for (int again = 0; again < 2; again++) {
            value.bits = bits;
            qpucc_program *got = qpucc_cache_compile(cache, &m.source, 1, NULL, &o),
                          *want = qpucc_compile(&m.source, 1, NULL, &o);
            expect_same(got, want);
            qpucc_program_free(got);
            qpucc_program_free(want);
        }
    ck_assert_uint_eq(qpucc_cache_statistics(cache).hits, 3);
    ck_assert_uint_eq(qpucc_cache_statistics(cache).misses, 3);
    qpucc_cache_close(cache);
    for (int i = 0; i < 3; i++)
        free(entries[i].data);
    spvBinaryDestroy(m.binary);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {values_are_the_drivers, what_is_not_there_is_refused,
                                  any_value_and_any_words, lengths_are_operations, the_cache_knows_values};
    return run_tests("api_spec_constants", tests, sizeof tests / sizeof *tests);
}
