/* Instructions that a state key adds, as docs/state-keys.md lists them.
 *
 *     state_costs
 *
 * Each key is compiled at -O2 with the shader that it is about, and without it. */
#include <qpucc/qpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTRIBUTES "attribute vec4 place, color, other;\nvarying vec4 v;\n"
static const char plain_vertex[] =
    ATTRIBUTES "void main() {\n    gl_Position = place;\n    v = color;\n    gl_PointSize = other.x;\n}\n";
static const char colors_vertex[] =
    "#version 120\nattribute vec4 place, color, other;\nvoid main() {\n    gl_Position = place;\n"
    "    gl_FrontColor = color;\n    gl_BackColor = other;\n    gl_TexCoord[0] = color;\n}\n";
static const char lookup[] = "precision mediump float;\nuniform sampler2D t;\nvarying vec4 v;\n"
                             "void main() { gl_FragColor = texture2D(t, v.xy); }\n";
static const char shadow[] = "#version 120\nuniform sampler2DShadow t;\nvarying vec4 v;\n"
                             "void main() { gl_FragColor = shadow2D(t, v.xyz); }\n";
static const char old_vertex[] = "#version 120\nattribute vec4 place, color, other;\nvarying vec4 v;\n"
                                 "void main() { gl_Position = place; v = color; }\n";
static const char show[] = "#version 120\nvoid main() { gl_FragColor = gl_Color; }\n";
static const char coordinate[] = "#version 120\nvoid main() { gl_FragColor = gl_TexCoord[0]; }\n";
static const char point[] = "precision mediump float;\nvoid main() { gl_FragColor = gl_PointCoord.xyxy; }\n";

/* Of fragment, vertex and coordinate shader; exits where there is no code: every row is one that fits. */
static void count(const char *vertex, const char *fragment, const struct qpucc_state *state,
                  size_t out[QPUCC_STAGE_COUNT]) {
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    qpucc_program *program = qpucc_compile(sources, 2, state, NULL);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (!program || !qpucc_program_code(program, (enum qpucc_stage)s, &out[s])) {
            printf("no code: %s\n", program ? qpucc_program_diagnostic(program, 0)->text : "no memory");
            exit(1);
        }
    qpucc_program_free(program);
}

static void row(const char *key, const char *vertex, const char *fragment, struct qpucc_state state) {
    struct qpucc_state before = {.primitive = state.primitive};
    size_t without[QPUCC_STAGE_COUNT], with[QPUCC_STAGE_COUNT];
    count(vertex, fragment, &before, without);
    count(vertex, fragment, &state, with);
    printf("| %s |", key);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        printf(" %zu → %zu |", without[s], with[s]);
    printf("\n");
}

#define TEXTURE(...)                                                                                         \
    (struct qpucc_state) {                                                                                   \
        .texture = { {__VA_ARGS__} }                                                                         \
    }
#define ATTRIBUTE(...)                                                                                       \
    (struct qpucc_state) {                                                                                   \
        .attribute = { {0}, {__VA_ARGS__} }                                                                  \
    }

int main(void) {
    printf("| key | fragment | vertex | coordinate |\n|---|---|---|---|\n");
    row("texture BGRA", plain_vertex, lookup, TEXTURE(.format = QPUCC_TEX_BGRA));
    row("texture INTENSITY", plain_vertex, lookup, TEXTURE(.format = QPUCC_TEX_INTENSITY));
    row("texture RGBA_SNORM", plain_vertex, lookup, TEXTURE(.format = QPUCC_TEX_RGBA_SNORM));
    row("texture RG16F", plain_vertex, lookup, TEXTURE(.format = QPUCC_TEX_RG16F));
    row("texture RGB10_A2", plain_vertex, lookup, TEXTURE(.format = QPUCC_TEX_RGB10_A2));
    row("texture DEPTH24", plain_vertex, lookup, TEXTURE(.format = QPUCC_TEX_DEPTH24));
    row("swizzle G, R, 0, 1", plain_vertex, lookup,
        TEXTURE(.swizzle = {QPUCC_SWIZZLE_GREEN, QPUCC_SWIZZLE_RED, QPUCC_SWIZZLE_ZERO, QPUCC_SWIZZLE_ONE}));
    row("sRGB", plain_vertex, lookup, TEXTURE(.srgb = 1));
    row("rectangle", plain_vertex, lookup, TEXTURE(.rectangle = 1));
    row("border", plain_vertex, lookup, TEXTURE(.border = 1));
    row("compare GREATER, DEPTH24", old_vertex, shadow,
        TEXTURE(.format = QPUCC_TEX_DEPTH24, .compare = QPUCC_COMPARE_GREATER));
    row("YUV, 3 planes", plain_vertex, lookup, TEXTURE(.yuv = QPUCC_YUV_3_PLANES, .plane = {1, 2}));
    row("YUV, 2 planes", plain_vertex, lookup, TEXTURE(.yuv = QPUCC_YUV_2_PLANES, .plane = {1}));
    row("YUYV", plain_vertex, lookup, TEXTURE(.yuv = QPUCC_YUV_YUYV));
    row("attribute UBYTE, normalised", plain_vertex, lookup,
        ATTRIBUTE(.type = QPUCC_ATTR_UBYTE, .normalized = QPUCC_ATTR_NORMALIZED));
    row("attribute SHORT, normalised", plain_vertex, lookup,
        ATTRIBUTE(.type = QPUCC_ATTR_SHORT, .normalized = QPUCC_ATTR_NORMALIZED));
    row("attribute HALF", plain_vertex, lookup, ATTRIBUTE(.type = QPUCC_ATTR_HALF));
    row("attribute INT_2_10_10_10_REV, normalised", plain_vertex, lookup,
        ATTRIBUTE(.type = QPUCC_ATTR_INT_2_10_10_10_REV, .normalized = QPUCC_ATTR_NORMALIZED));
    row("flat_shade", colors_vertex, show, (struct qpucc_state){.flat_shade = 1});
    row("two_sided", colors_vertex, show, (struct qpucc_state){.two_sided = 1});
    row("clip_planes, one", colors_vertex, show, (struct qpucc_state){.clip_planes = 1});
    row("clip_planes, six", colors_vertex, show, (struct qpucc_state){.clip_planes = 63});
    row("coord_replace", colors_vertex, coordinate,
        (struct qpucc_state){.primitive = QPUCC_POINTS, .coord_replace = 1});
    row("point_lower_left", plain_vertex, point,
        (struct qpucc_state){.primitive = QPUCC_POINTS, .point_lower_left = 1});
    row("point_size FIXED", plain_vertex, point,
        (struct qpucc_state){.primitive = QPUCC_POINTS, .point_size = QPUCC_POINT_SIZE_FIXED});
    row("point_size_clamp", plain_vertex, point,
        (struct qpucc_state){.primitive = QPUCC_POINTS, .point_size_clamp = 1});
    return 0;
}
