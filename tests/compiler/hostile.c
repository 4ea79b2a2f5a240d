/* Shaders that are made to explode: each is answered, within the limits, and names what it was stopped for.
 *
 *     hostile [--seed N] [--count N] [--time]        random kinds, sizes and levels
 *     hostile --all SIZE [--level N] [--time]        every kind at that size
 *     hostile --kind NAME --size N [--level N] [--print]
 *
 * Each goes in as GLSL, and what comes out as SPIR-V goes in again, as a stranger's module. --time prints the
 * CPU time of what took longer than half a second; nothing depends on it. */
#include "tests/compiler/painted.h"

#include <qpucc/qpucc.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* head; `each` size times before main; main: `before`, `body` size times, `after`, `again` size times, `end`.
 * In these % is the number of the copy from 1, @ the one before, $ the size. */
static const struct kind {
    const char *name;
    unsigned most; /* larger sizes say nothing new */
    const char *head, *each, *before, *body, *after, *again, *end;
} kinds[] = {
#define ES3 "#version 300 es\n"
    {"endless", 1, "", "", "for(;;){a+=u;}", "", "", "", ""},
    {"endless_changing", 1, "", "", "while(true){a+=u;if(a<-1.0)a*=2.0;}", "", "", "", ""},
    {"giant", 1, "", "", "for(int i=0;i<2000000000;i++)a+=u;", "", "", "", ""},
    {"giant_float", 1, "", "", "for(float i=0.0;i<1.0;i+=1e-7)a+=u;", "", "", "", ""},
    {"nest", 300, "", "", "", "for(int i%=0;i%<100;i%++)", "a+=u*a;", "", ""},
    {"nest_dynamic", 150, "", "", "", "for(int i%=0;i%<100;i%++){if(i%>=n)break;", "a+=u*a;", "}", ""},
    {"loops", 20000, "", "", "", "for(int i=0;i<30;i++)a=a*u+float(i);\n", "", "", ""},
    {"loops_dynamic", 20000, "", "", "", "for(int i=0;i<30;i++){if(i>n)break;a=a*u+float(i);}\n", "", "", ""},
    {"loops_squared", 20000, "", "", "", "for(int i=0;i<60;i++)for(int j=0;j<60;j++)a=a*u+float(i+j);\n", "",
     "", ""},
    {"loop_body", 20000, "", "", "for(int i=0;i<50;i++){", "a=a*u+a;\n", "}", "", ""},
    {"loop_table", 100000, "", "", "float t[16];for(int i=0;i<16;i++)t[i]=u;for(int i=0;i<$;i++)", "",
     "t[int(mod(float(i),16.0))]+=1.0;a=t[3];", "", ""},
    {"loop_values", 3000, "", "", "", "float x%=u*a+float(n);", "for(int i=0;i<n;i++){", "x%=x%*a+u;",
     "}a=x1;"},
    {"loop_moves", 6000, "", "", "float x0=a;", "float x%=a;", "for(int i=0;i<n;i++){", "x@=x%;",
     "x$=x$*u+a;}a=x0;"},
    {"loops_values", 3000, "", "", "float x=u,y=a;", "for(int i=0;i<n;i++){x=y*a;y+=x;}\n", "a=x+y;", "", ""},
    {"breaks", 20000, "", "", "for(int i=0;i<n;i++){", "if(a>u)break;a+=u;\n", "}", "", ""},
    {"continues", 20000, "", "", "for(int i=0;i<n;i++){", "if(a>u)continue;a+=u;\n", "}", "", ""},
    {"array", 100000, "", "", "float q[$];for(int i=0;i<$;i++)q[i]=u;for(int i=0;i<$;i++)a+=q[i];", "", "",
     "", ""},
    {"array_dynamic", 20000, "", "", "float q[200];", "q[n]=a;a+=q[n+1];", "", "", ""},
    {"array_uniform", 2000000000, "uniform float q[$];", "", "a+=q[n];", "", "", "", ""},
    {"array_constant", 50000, ES3 "const float q[$]=float[$](", "", "", "", "a+=q[n];", "", ""},
    {"parentheses", 50000, "", "", "a=", "(", "a", ")", ";"},
    {"braces", 50000, "", "", "", "{", "a=u;", "}", ""},
    {"ifs", 50000, "", "", "", "if(a>u)", "a=u;", "", ""},
    {"else_ifs", 20000, "", "", "", "if(a>u)a=u;else ", "a=1.0;", "", ""},
    {"ifs_in_order", 50000, "", "", "", "if(a>u)a=u*a+u;\n", "", "", ""},
    {"ifs_with_textures", 20000, "", "", "float b=u;", "if(a>b){a=texture2D(s,vec2(b)).x;b=b*a;}\n", "a+=b;",
     "", ""},
    {"calls_nested", 50000, "", "", "a=", "sin(", "a", ")", ";"},
    {"ternary", 20000, "", "", "a=", "a>u?u:", "a;", "", ""},
    {"ternary_turns", 20000, "", "", "float b=u*a;bool q=a>u,r=b>u;", "a=q?a*b+u:b;b=r?b*a+u:a;\n", "a+=b;",
     "", ""},
    {"ternary_nested", 20000, "", "", "a=", "(a>u?", "a", ":u)", ";"},
    {"unary", 50000, "", "", "a=", "- ", "a;", "", ""},
    {"index_nested", 20000, "uniform int q[64];", "", "int i=n;i=", "q[", "i", "]", ";a+=float(i);"},
    {"swizzles", 50000, "", "", "vec4 w=vec4(a);w=w", ".wzyx", ";a=w.x;", "", ""},
    {"sum", 50000, "", "", "a=", "a+", "u;", "", ""},
    {"sum_of_sines", 20000, "", "", "a=", "sin(a*u)+", "u;", "", ""},
    {"sum_of_textures", 20000, "", "", "a=", "texture2D(s,vec2(a,u)).x+", "u;", "", ""},
    {"ands", 20000, "", "", "bool b=", "a>u&&", "true;if(b)a=1.0;", "", ""},
    {"min_max", 20000, "", "", "a=", "min(a,max(u,", "a", "))", ";"},
    {"structures", 60, "struct S0{float a;};", "struct S%{S@ a,b;};", "", "", "", "", "a+=u;"},
    {"structures_used", 60, "struct S0{float a;};", "struct S%{S@ a,b;};", "S$ w;S$ z=w;if(w==z)a=w", ".a",
     ".a;", "", ""},
    {"structure_arrays", 60, "struct S0{float a[10];};", "struct S%{S@ a[10];};", "S$ w;a=w", ".a[0]",
     ".a[0];", "", ""},
    {"structures_in_uniforms", 5000,
     "struct A{float a;};struct B{A a;};struct C{B a;};struct D{C a;};struct E{D a;};struct F{E a;};"
     "struct G{F a;};struct H{G a;};",
     "uniform H q%;", "", "a+=q%.a.a.a.a.a.a.a.a;", "", "", ""},
    {"structures_deep", 20000, "struct S0{float a;};", "struct S%{S@ a;};", "", "", "", "", "a+=u;"},
    {"macros", 5000, "#define A0 a+a\n", "#define A% A@+A@\n", "a=A$;", "", "", "", ""},
    {"macros_empty", 5000, "#define A0\n", "#define A% A@ A@\n", "A$ a=u;", "", "", "", ""},
    {"macros_chain", 50000, "#define A0 u\n", "#define A% A@\n", "a=A$;", "", "", "", ""},
    {"macro_arguments", 20000, "#define F(x) x x\n", "", "", "F(", "a=u;", ")", ""},
    {"macro_wide", 20000, "#define F(x) x+x+x+x+x+x+x+x\n", "", "a=u", "+F(a)", ";", "", ""},
    {"macro_paste", 200, "#define C(a,b) a##b\n#define D0(y) float y;\n", "#define D%(y) D@(C(y,y))\n",
     "D$(abcdefghijklmnop)", "", "", "", ""},
    {"lines", 100000, "", "#line % %\n", "", "", "", "", ""},
    {"conditions", 100000, "", "#if 1\n#endif\n", "", "", "", "", ""},
    {"conditions_nested", 100000, "", "#if 1\n", "", "", "", "", ""},
    {"functions", 20000, "float f0(float x){return x*x+u;}", "float f%(float x){return f@(x)+f@(x*u);}\n",
     "a=f$(a);", "", "", "", ""},
    {"functions_inout", 20000, "void f0(inout float x){x*=u;}", "void f%(inout float x){f@(x);f@(x);}\n",
     "f$(a);", "", "", "", ""},
    {"functions_with_loops", 20000, "float f0(float x){return x*x+u;}",
     "float f%(float x){for(int i=0;i<3;i++)x=f@(x)*f@(x*u);return x;}\n", "a=f$(a);", "", "", "", ""},
    {"functions_with_ifs", 20000, "float f0(float x){if(x>u)return x*u;return x;}",
     "float f%(float x){if(x>u)return f@(x);return f@(x*u);}\n", "a=f$(a);", "", "", "", ""},
    {"functions_chain", 20000, "float f0(float x){return x*x+u;}", "float f%(float x){return f@(x)+1.0;}\n",
     "a=f$(a);", "", "", "", ""},
    {"functions_many", 20000, "", "float f%(float x){return x*u+1.0;}\n", "", "a=f%(a);", "", "", ""},
    {"functions_unused", 20000, "", "float f%(float x){return x*u+1.0;}\n", "", "", "", "", ""},
    {"prototypes", 50000, "", "float f(float x);", "", "", "", "", ""},
    {"returns", 20000, "", "", "", "if(a>u)return;a+=u;\n", "", "", ""},
    {"discards", 20000, "", "", "", "if(a>u)discard;a+=texture2D(s,vec2(a)).x;\n", "", "", ""},
    {"uniforms", 20000, "", "uniform vec4 u%;", "", "a+=u%.x;", "", "", ""},
    {"varyings", 5000, "", "varying vec4 w%;", "", "a+=w%.x;", "", "", ""},
    {"samplers", 5000, "", "uniform sampler2D s%;", "", "a+=texture2D(s%,vec2(a)).x;", "", "", ""},
    {"samplers_dynamic", 5000, "uniform sampler2D q[8];", "", "", "a+=texture2D(q[n],vec2(a)).x;", "", "",
     ""},
    {"cases", 50000, ES3, "", "switch(n){", "case %:a*=u;break;", "}", "", ""},
    {"cases_falling", 50000, ES3, "", "switch(n){", "case %:a=a*u+a;\n", "}", "", ""},
    {"locals", 20000, "", "", "", "float x%=u*a+u;", "", "a+=x%;", ""},
    {"locals_idle", 60000, "", "", "", "float x%;\n", "", "", ""},
    {"statements", 60000, "", "", "", "a=a*u+a;\n", "", "", ""},
    {"uniform_arithmetic", 20000, "", "", "float b=u;", "b=b*b+b;", "a+=b*gl_FragCoord.x;", "", ""},
    {"numbers", 50000, "", "", "", "a=a*u+%.0;\n", "", "", ""},
    {"constants", 20000, "const float c0=1.0;", "const float c%=c@*1.5+c@;", "a+=c$;", "", "", "", ""},
    {"texture_chain", 20000, "", "", "", "a=texture2D(s,vec2(a,u)).x;", "", "", ""},
    {"texture_sums", 20000, "", "", "vec4 c=vec4(0.0);", "c+=texture2D(s,gl_FragCoord.xy+vec2(u,c.x));",
     "a=c.x;", "", ""},
    {"textures_apart", 20000, "", "", "vec4 c=vec4(0.0);", "c+=texture2D(s,gl_FragCoord.xy*float(%));",
     "a=c.x;", "", ""},
    {"matrices", 5000, "uniform mat4 m;", "", "mat4 q=m*a;", "q=q*m*q;", "a+=q[0][0];", "", ""},
    {"matrices_dynamic", 5000, "uniform mat4 m;", "", "mat4 q=m*a;", "q[n]=q[n+1]*q;", "a+=q[n][n];", "", ""},
    {"varying_sums", 20000, "varying vec4 w;", "", "", "a=a+w.x;", "", "", ""},
    {"invariants", 20000, "varying vec4 w;", "", "for(int i=0;i<n;i++){float t=w.y;", "t=t*w.x+w.y;",
     "a+=t;}", "", ""},
    {"integers", 20000, "", "", "int b=n;", "b=b*n/(b+1);", "a+=float(b);", "", ""},
    {"powers", 20000, "", "", "", "a=pow(a,u);", "", "", ""},
    {"errors", 20000, "", "", "", "int y%=z%;\n", "", "", ""},
    {"syntax_errors", 20000, "", "", "", "int int;\n", "", "", ""},
    {"blocks", 5000, ES3, "uniform B%{vec4 b%[100];};", "", "a+=b%[n].x;", "", "", ""},
    {"elements", 20000, ES3 "const float q[4]=float[4](1.0,2.0,3.0,4.0);", "", "", "a+=q[n];", "", "", ""},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* --- text ----------------------------------------------------------------------------------------------- */

struct text {
    char *at;
    size_t length, capacity;
};

static void put(struct text *t, const char *piece, size_t length) {
    if (t->capacity - t->length < length + 1) {
        t->capacity = (t->capacity + length) * 2 + 1000;
        t->at = realloc(t->at, t->capacity);
        if (!t->at)
            abort();
    }
    memcpy(t->at + t->length, piece, length);
    t->length += length;
    t->at[t->length] = 0;
}

static void put_filled(struct text *t, const char *piece, unsigned copy, unsigned size) {
    for (size_t plain; *piece; piece += plain + (piece[plain] != 0)) {
        char number[20];
        plain = strcspn(piece, "%@$");
        put(t, piece, plain);
        if (!piece[plain])
            return;
        int n = snprintf(number, sizeof number, "%u",
                         piece[plain] == '%'   ? copy
                         : piece[plain] == '@' ? copy - 1
                                               : size);
        put(t, number, (size_t)n);
    }
}

static void put_copies(struct text *t, const char *piece, unsigned size) {
    for (unsigned k = 1; *piece && k <= size; k++)
        put_filled(t, piece, k, size);
}

static struct text make(const struct kind *kind, unsigned size) {
    static const char uniforms[] =
        "precision highp float;uniform float u;uniform int n;uniform sampler2D s;\n";
    struct text t = {0};
    bool es3 = strncmp(kind->head, ES3, sizeof ES3 - 1) == 0,
         constant = !strcmp(kind->name, "array_constant");
    if (es3)
        put(&t, ES3, sizeof ES3 - 1);
    put(&t, uniforms, sizeof uniforms - 1);
    if (es3)
        put(&t, "out vec4 o;", 11);
    put_filled(&t, kind->head + (es3 ? sizeof ES3 - 1 : 0), 0, size);
    for (unsigned k = 1; constant && k <= size; k++)
        put_filled(&t, k < size ? "%.0," : "%.0);", k, size);
    put_copies(&t, kind->each, size);
    put_filled(&t, "\nvoid main(){float a=u;", 0, size);
    put_filled(&t, kind->before, 0, size);
    put_copies(&t, kind->body, size);
    put_filled(&t, kind->after, 0, size);
    put_copies(&t, kind->again, size);
    put_filled(&t, kind->end, 0, size);
    put_filled(&t, es3 ? "o=vec4(a);}\n" : "gl_FragColor=vec4(a);}\n", 0, size);
    return t;
}

/* --- running -------------------------------------------------------------------------------------------- */

static bool show_time;
static size_t stack_bound, deepest; /* bytes; 0: it is not measured */
static unsigned long stopped, fitted, refused;

static double seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static int judge(const qpucc_program *program, const char *language, const struct kind *kind, unsigned size) {
    enum qpucc_status status = qpucc_program_status(program);
    struct qpucc_usage usage = qpucc_program_usage(program);
    const struct qpucc_diagnostic *d =
        qpucc_program_diagnostic_count(program) ? qpucc_program_diagnostic(program, 0) : NULL;
    const char *wrong = NULL;
    bool limit = false;
    for (size_t i = 0; i < qpucc_program_diagnostic_count(program); i++)
        limit |= !strcmp(qpucc_program_diagnostic(program, i)->code, "limit");
    if (status == QPUCC_INTERNAL)
        wrong = "a fault of the compiler";
    else if (status != QPUCC_OK && !d)
        wrong = "no diagnostic";
    else if (limit && status != QPUCC_SOURCE_ERROR)
        wrong = "another status than a limit has";
    else if (usage.work > 2 * qpucc_limit_default(QPUCC_LIMIT_WORK))
        wrong = "too much work";
    else if (usage.search > 2 * qpucc_limit_default(QPUCC_LIMIT_SEARCH))
        wrong = "too long a search";
    else if (usage.bytes > 2 * qpucc_limit_default(QPUCC_LIMIT_BYTES))
        wrong = "too much memory";
    fitted += status == QPUCC_OK;
    stopped += limit;
    refused += status != QPUCC_OK && !limit;
    if (!wrong)
        return 0;
    printf("%s %s --size %u: %s: status %d, work %" PRIu64 ", bytes %" PRIu64 ", %s\n", language, kind->name,
           size, wrong, status, usage.work, usage.bytes, d ? d->text : "-");
    return 1;
}

struct compile {
    const struct qpucc_source *source;
    const struct qpucc_options *options;
    qpucc_program *program;
};

static void compile(void *user) {
    struct compile *c = user;
    c->program = qpucc_compile(c->source, 1, NULL, c->options);
}

/* What is accepted keeps to the bound. */
static int judge_stack(const struct compile *c, const char *language, const struct kind *kind, unsigned size,
                       size_t stack) {
    bool accepted = qpucc_program_status(c->program) == QPUCC_OK;
    deepest = accepted && stack > deepest ? stack : deepest;
    if (stack <= stack_bound || !accepted)
        return 0;
    printf("%s %s --size %u: %zu bytes of stack\n", language, kind->name, size, stack);
    return 1;
}

static int run(const struct kind *kind, unsigned size, int level) {
    struct text text = make(kind, size);
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    struct qpucc_source source = {"a.frag", text.at, text.length, QPUCC_FRAGMENT, QPUCC_GLSL};
    int wrong = 0;
    qpucc_program *first = NULL;
    for (int k = 0; k < 2; k++) {
        double start = seconds();
        struct compile c = {&source, &options, NULL};
        size_t stack = 0;
        if (stack_bound)
            stack = painted_stack(compile, &c);
        else
            compile(&c);
        double took = seconds() - start;
        qpucc_program *program = c.program;
        if (!program)
            return printf("%s --size %u: no program\n", kind->name, size), 1;
        wrong += judge_stack(&c, k ? "SPIR-V" : "GLSL", kind, size, stack);
        wrong += judge(program, k ? "SPIR-V" : "GLSL", kind, size);
        struct qpucc_usage usage = qpucc_program_usage(program);
        if (show_time && took > 0.5)
            printf(
                "%-22s %6u -O%d %-6s %5.2f s, work %9" PRIu64 " search %9" PRIu64 " bytes %9" PRIu64
                ": %.100s\n",
                kind->name, size, level, k ? "SPIR-V" : "GLSL", took, usage.work, usage.search, usage.bytes,
                qpucc_program_diagnostic_count(program) ? qpucc_program_diagnostic(program, 0)->text : "ok");
        fflush(stdout);
        size_t words;
        const uint32_t *spirv = qpucc_program_spirv(program, QPUCC_FRAGMENT, &words);
        if (k == 0)
            first = program;
        else
            qpucc_program_free(program);
        if (!spirv)
            break;
        source = (struct qpucc_source){"a.spv", spirv, words * 4, QPUCC_FRAGMENT, QPUCC_SPIRV};
    }
    qpucc_program_free(first);
    free(text.at);
    return wrong;
}

static uint64_t state;

static uint32_t below(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

/* As many of ten as of a hundred thousand. */
static unsigned random_size(unsigned most) {
    unsigned size = 1;
    while (size < most && below(6))
        size = size * 3 + below(3);
    return size < most ? size : most;
}

int main(int argc, char **argv) {
    unsigned long count = 40, size = 0;
    int level = 2, wrong = 0;
    const char *name = NULL;
    bool all = false, print = false;
    state = 1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--time"))
            show_time = true;
        else if (!strcmp(argv[i], "--print"))
            print = true;
        else if (!strcmp(argv[i], "--seed"))
            state = strtoull(value, NULL, 10), i++;
        else if (!strcmp(argv[i], "--count"))
            count = strtoul(value, NULL, 10), i++;
        else if (!strcmp(argv[i], "--level"))
            level = atoi(value), i++;
        else if (!strcmp(argv[i], "--size"))
            size = strtoul(value, NULL, 10), i++;
        else if (!strcmp(argv[i], "--stack"))
            stack_bound = strtoul(value, NULL, 10), i++;
        else if (!strcmp(argv[i], "--all"))
            all = true, size = strtoul(value, NULL, 10), i++;
        else if (!strcmp(argv[i], "--kind"))
            name = value, i++;
        else
            return fprintf(stderr, "hostile: what is %s?\n", argv[i]), 1;
    }
    for (unsigned k = 0; k < KINDS && (all || name); k++) {
        if (name && strcmp(name, kinds[k].name))
            continue;
        unsigned n = size < kinds[k].most ? (unsigned)size : kinds[k].most;
        if (print) {
            struct text text = make(&kinds[k], n);
            fputs(text.at, stdout);
            free(text.at);
            return 0;
        }
        wrong += run(&kinds[k], n, level);
    }
    for (unsigned long i = 0; i < count && !all && !name; i++) {
        const struct kind *kind = &kinds[below(KINDS)];
        unsigned n = random_size(kind->most);
        wrong += run(kind, n, (int)below(4));
    }
    printf("%lu compiled, %lu stopped by a limit, %lu refused for another reason, %d wrong\n", fitted,
           stopped, refused, wrong);
    if (stack_bound)
        printf("what was accepted took at most %zu bytes of stack\n", deepest);
    return wrong != 0;
}
