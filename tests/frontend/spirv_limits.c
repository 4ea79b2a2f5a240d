/* spirv_limits.c: input that is no module, and modules made to be large when expanded. */
#include "frontend/spirv/spirv.h"

#define kDefaultMaxIdBound spirv_limits_default_max_id_bound
#include <spirv-tools/libspirv.h>
#undef kDefaultMaxIdBound
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fe_spirv_error error;

static void refused(const uint32_t *words, size_t count, bool trusted, bool limit, const char *why) {
    struct fe_spirv_options options = {.stage = QPUCC_FRAGMENT, .trusted = trusted};
    struct ir_shader *shader = fe_spirv_read(words, count, &options, &error);
    ck_assert_msg(!shader, "accepted, wanted: %s", why);
    ck_assert_msg(strstr(error.text, why), "'%s' is not: %s", error.text, why);
    if (limit)
        ck_assert_str_eq(error.code, "limit");
    ck_assert_ptr_nonnull(error.diagnostic.file);
}

/* Assembly text that grows. */
static char *text;
static size_t used, capacity;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...) {
    va_list args;
    if (capacity - used < 500)
        text = realloc(text, capacity = capacity * 2 + 4096);
    va_start(args, format);
    used += (size_t)vsnprintf(text + used, capacity - used, format, args);
    va_end(args);
}

static void begin(void) {
    used = 0;
    put("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %%main \"main\" %%out\n"
        "OpExecutionMode %%main OriginUpperLeft\nOpDecorate %%out Location 0\n%%void = OpTypeVoid\n"
        "%%fn = OpTypeFunction %%void\n%%float = OpTypeFloat 32\n%%uint = OpTypeInt 32 0\n%%p = "
        "OpTypePointer Output %%float\n"
        "%%out = OpVariable %%p Output\n%%one = OpConstant %%float 1\n");
}

static void refused_text(const char *why) {
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_0);
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    spv_result_t code = spvTextToBinary(context, text, used, &binary, &diagnostic);
    ck_assert_msg(code == SPV_SUCCESS, "%s", diagnostic ? diagnostic->error : "");
    refused(binary->code, binary->wordCount, false, strcmp(why, "no entry point \"main\"") != 0, why);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    free(text);
    text = NULL;
    used = capacity = 0;
}

START_TEST(no_module) {
    uint32_t words[6] = {0x07230203, 0x00010000, 0, 10, 0, 0};
    for (int trusted = 0; trusted < 2; trusted++) {
        refused(words, 0, trusted, false, "not a SPIR-V module");
        refused(words, 4, trusted, false, "not a SPIR-V module");
        refused(words, 5, trusted, false, "no entry point");
        refused(words, 6, trusted, false, "SPIR-V");
    }
    words[0] = 0x03022307;
    refused(words, 5, false, false, "byte order");
    words[0] = 0x07230203;
    words[3] = 0xffffffff;
    refused(words, 5, false, true, "ids");
    words[3] = 0;
    refused(words, 5, true, false, "no entry point");
}
END_TEST

START_TEST(options_may_be_absent) {
    uint32_t words[5] = {0};
    ck_assert_ptr_null(fe_spirv_read(words, 5, NULL, NULL));
}
END_TEST

/* Each function calls the next one twice: 2^40 calls of nothing. */
START_TEST(doubling_calls) {
    begin();
    put("%%main = OpFunction %%void None %%fn\n%%l = OpLabel\n%%c = OpFunctionCall %%void "
        "%%f0\nOpReturn\nOpFunctionEnd\n");
    for (int k = 0; k < 40; k++) {
        put("%%f%d = OpFunction %%void None %%fn\n%%l%d = OpLabel\n", k, k);
        if (k < 39)
            put("%%a%d = OpFunctionCall %%void %%f%d\n%%b%d = OpFunctionCall %%void %%f%d\n", k, k + 1, k,
                k + 1);
        put("OpReturn\nOpFunctionEnd\n");
    }
    refused_text("is expanded 131072 times");
}
END_TEST

START_TEST(deep_calls) {
    begin();
    put("%%main = OpFunction %%void None %%fn\n%%l = OpLabel\n%%c = OpFunctionCall %%void "
        "%%f0\nOpReturn\nOpFunctionEnd\n");
    for (int k = 0; k < 400; k++) {
        put("%%f%d = OpFunction %%void None %%fn\n%%l%d = OpLabel\n", k, k);
        if (k < 399)
            put("%%a%d = OpFunctionCall %%void %%f%d\n", k, k + 1);
        put("OpReturn\nOpFunctionEnd\n");
    }
    refused_text("deep");
}
END_TEST

/* An array constant that is inserted into again and again. */
START_TEST(large_values) {
    begin();
    put("%%n = OpConstant %%uint 16384\n%%arr = OpTypeArray %%float %%n\n%%null = OpConstantNull %%arr\n"
        "%%main = OpFunction %%void None %%fn\n%%l = OpLabel\n%%v0 = OpCompositeInsert %%arr %%one %%null "
        "3\n");
    for (int k = 0; k < 1000; k++)
        put("%%v%d = OpCompositeInsert %%arr %%one %%v%d %d\n", k + 1, k, k);
    put("OpReturn\nOpFunctionEnd\n");
    refused_text("composite values");
}
END_TEST

START_TEST(large_type) {
    begin();
    put("%%n = OpConstant %%uint 16384\n%%arr = OpTypeArray %%float %%n\n%%arr2 = OpTypeArray %%arr %%n\n"
        "%%q = OpTypePointer Function %%arr2\n%%main = OpFunction %%void None %%fn\n%%l = OpLabel\n%%v = "
        "OpVariable %%q Function\n"
        "OpReturn\nOpFunctionEnd\n");
    refused_text("16384 words");
}
END_TEST

/* Composite constants of composite constants: a block each that has to make them anew. */
START_TEST(doubling_constants) {
    begin();
    put("%%four = OpConstant %%uint 4\n%%t0 = OpTypeArray %%float %%four\n"
        "%%c0 = OpConstantComposite %%t0 %%one %%one %%one %%one\n");
    for (int k = 1; k < 7; k++)
        put("%%t%d = OpTypeArray %%t%d %%four\n%%c%d = OpConstantComposite %%t%d %%c%d %%c%d %%c%d %%c%d\n",
            k, k - 1, k, k, k - 1, k - 1, k - 1, k - 1);
    put("%%main = OpFunction %%void None %%fn\n%%l0 = OpLabel\n");
    for (int k = 0; k < 300; k++)
        put("%%x%d = OpCompositeExtract %%float %%c6 0 0 0 0 0 0 %d\nOpBranch %%l%d\n%%l%d = OpLabel\n", k,
            k & 3, k + 1, k + 1);
    put("OpReturn\nOpFunctionEnd\n");
    refused_text("composite values");
}
END_TEST

START_TEST(many_functions) {
    begin();
    for (int k = 0; k < 5000; k++)
        put("%%f%d = OpFunction %%void None %%fn\n%%l%d = OpLabel\nOpReturn\nOpFunctionEnd\n", k, k);
    put("%%main = OpFunction %%void None %%fn\n%%l = OpLabel\nOpReturn\nOpFunctionEnd\n");
    refused_text("functions");
}
END_TEST

START_TEST(other_entry_point) {
    begin();
    char *at = strstr(text, "\"main\"");
    memcpy(at, "\"mein\"", 6);
    put("%%main = OpFunction %%void None %%fn\n%%l = OpLabel\nOpReturn\nOpFunctionEnd\n");
    refused_text("no entry point \"main\"");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("spirv_limits");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, no_module);
    tcase_add_test(tc, options_may_be_absent);
    tcase_add_test(tc, doubling_calls);
    tcase_add_test(tc, deep_calls);
    tcase_add_test(tc, large_values);
    tcase_add_test(tc, large_type);
    tcase_add_test(tc, doubling_constants);
    tcase_add_test(tc, many_functions);
    tcase_add_test(tc, other_entry_point);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
