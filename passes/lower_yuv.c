/* Pictures of luma and chroma: planes, packed pairs of pixels, and the matrix to red, green and blue; a part
 * of lower_stage.
 *
 * requires: a word for each plane.
 * keeps:    everything else.
 * breaks:   nothing.
 *
 * A standard is two luma coefficients (ITU-R BT.601 and BT.709, item "derivation of luminance signal"), from
 * which the matrix follows, and a range. Everything folds into one factor and one offset for each sum. */
#include "passes/lower_tex.h"

unsigned lower_yuv_planes(const struct qpucc_texture_state *state) {
    return state->yuv == QPUCC_YUV_3_PLANES                                       ? 3
           : state->yuv == QPUCC_YUV_2_PLANES || state->yuv == QPUCC_YVU_2_PLANES ? 2
                                                                                  : 1;
}

static struct ir_inst *byte(struct ir_builder *b, struct ir_inst *word, uint32_t which) {
    return ir_emit(b, IR_UNPACK_8F, IR_F32, 1, &word, which, 0);
}

static struct ir_inst *luma(struct ir_builder *b, const struct lower_texel *texel) {
    bool yuyv = texel->state->yuv == QPUCC_YUV_YUYV;
    if (!yuyv && texel->state->yuv != QPUCC_YUV_UYVY)
        return byte(b, texel->plane[0], 0);
    struct ir_inst *second = byte(b, texel->plane[0], yuyv ? 2 : 3),
                   *first = byte(b, texel->plane[0], yuyv ? 0 : 1);
    return ir_op3(b, IR_SELECT, texel->odd, second, first);
}

/* U or V. */
static struct ir_inst *chroma(struct ir_builder *b, const struct lower_texel *texel, bool v) {
    switch (texel->state->yuv) {
    case QPUCC_YUV_3_PLANES: return byte(b, texel->plane[v ? 2 : 1], 0);
    case QPUCC_YUV_2_PLANES: return byte(b, texel->plane[1], v ? 3 : 0); /* LUMALPHA: bytes 0 and 3 */
    case QPUCC_YVU_2_PLANES: return byte(b, texel->plane[1], v ? 0 : 3);
    case QPUCC_YUV_YUYV: return byte(b, texel->plane[0], v ? 3 : 1);
    default: return byte(b, texel->plane[0], v ? 2 : 0);
    }
}

/* sum + c * factor; NULL: no sum yet. */
static struct ir_inst *add(struct ir_builder *b, struct ir_inst *sum, struct ir_inst *c, double factor) {
    return ir_op2(b, IR_FADD, sum, ir_op2(b, IR_FMUL, c, ir_const_f(b, (float)factor)));
}

struct ir_inst *lower_yuv_channel(struct ir_builder *b, const struct lower_texel *texel, uint32_t channel) {
    uint8_t matrix = texel->state->yuv_matrix;
    bool full = matrix == QPUCC_YUV_BT601_FULL || matrix == QPUCC_YUV_BT709_FULL;
    bool old = matrix == QPUCC_YUV_BT601_FULL || matrix == QPUCC_YUV_BT601_VIDEO;
    double kr = old ? 0.299 : 0.2126, kb = old ? 0.114 : 0.0722, kg = 1 - kr - kb;
    double scale = full ? 1 : 255.0 / 219, chroma_scale = full ? 1 : 255.0 / 224;
    double from_u = channel == 0 ? 0 : channel == 1 ? -2 * kb * (1 - kb) / kg : 2 * (1 - kb);
    double from_v = channel == 2 ? 0 : channel == 1 ? -2 * kr * (1 - kr) / kg : 2 * (1 - kr);
    double offset = (full ? 0 : -16.0 / 255) * scale - (from_u + from_v) * chroma_scale * 128 / 255;
    if (channel == 3)
        return ir_const_f(b, 1.0f);
    struct ir_inst *y = luma(b, texel);
    struct ir_inst *sum = full ? y : ir_op2(b, IR_FMUL, y, ir_const_f(b, (float)scale));
    if (from_u != 0)
        sum = add(b, sum, chroma(b, texel, false), from_u * chroma_scale);
    if (from_v != 0)
        sum = add(b, sum, chroma(b, texel, true), from_v * chroma_scale);
    return ir_op1(b, IR_FSAT, ir_op2(b, IR_FADD, sum, ir_const_f(b, (float)offset)));
}

struct ir_inst *lower_yuv_packed(struct ir_builder *b, struct ir_inst *s, struct ir_inst *width,
                                 struct ir_inst **odd) {
    struct ir_inst *half = ir_const_f(b, 0.5f);
    b->precision = IR_HIGHP;
    struct ir_inst *zero = ir_const_f(b, 0.0f);
    /* in pairs of pixels, clamped to the picture: the last pixel is half a pair before the end */
    struct ir_inst *at = ir_op2(b, IR_FMAX, ir_op2(b, IR_FMUL, s, width), zero);
    at = ir_op2(b, IR_FMIN, at, ir_op2(b, IR_FSUB, width, half));
    struct ir_inst *pair = ir_op1(b, IR_FFLOOR, at);
    *odd = ir_op2(b, IR_FGE, ir_op2(b, IR_FSUB, at, pair), half);
    struct ir_inst *middle = ir_op2(b, IR_FADD, pair, half);
    return ir_op2(b, IR_FMUL, middle, ir_op1(b, IR_FRCP, width));
}
