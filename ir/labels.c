/* What the source calls the words of its variables. Values carry such a label through the passes as they
 * carry their source place: the first variable that a value is stored to names it. */
#include "ir/internal.h"

#include <stdio.h>
#include <string.h>

uint16_t ir_add_labels(struct ir_shader *shader, const char *text, uint32_t words, uint8_t rows,
                       uint8_t cols) {
    const struct ir_labels *last = shader->nlabels ? &shader->labels[shader->nlabels - 1] : NULL;
    uint32_t first = last ? last->first + last->words : 1;
    if (!words || words > UINT16_MAX - first)
        return 0;
    shader->labels =
        ir_grow(shader->arena, shader->labels, shader->nlabels, &shader->cap_labels, sizeof *shader->labels);
    shader->labels[shader->nlabels++] =
        (struct ir_labels){ir_strdup(shader->arena, text), first, words, rows ? rows : 1, cols ? cols : 1};
    return (uint16_t)first;
}

struct ir_labels *ir_labels_of(const struct ir_shader *shader, uint32_t label) {
    uint32_t low = 0, high = shader->nlabels;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (shader->labels[middle].first + shader->labels[middle].words <= label)
            low = middle + 1;
        else
            high = middle;
    }
    return label && low < shader->nlabels && shader->labels[low].first <= label ? &shader->labels[low] : NULL;
}

size_t ir_label_text(const struct ir_shader *shader, uint32_t label, char *out, size_t size) {
    const struct ir_labels *labels = ir_labels_of(shader, label);
    char index[24] = "", column[16] = "", row[4] = "";
    if (!labels)
        return (size_t)snprintf(out, size, "%s", "");
    uint32_t at = label - labels->first, element = (uint32_t)labels->rows * labels->cols;
    const char *bracket = strstr(labels->text, "[]");
    size_t length = bracket ? (size_t)(bracket - labels->text) : strlen(labels->text);
    if (labels->words > element || bracket)
        snprintf(index, sizeof index, "[%u]", at / element);
    at %= element;
    if (labels->cols > 1)
        snprintf(column, sizeof column, "[%u]", at / labels->rows);
    if (labels->rows > 1)
        snprintf(row, sizeof row, ".%c", "xyzw"[at % labels->rows & 3]);
    return (size_t)snprintf(out, size, "%.*s%s%s%s%s", (int)length, labels->text, index,
                            bracket ? bracket + 2 : "", column, row);
}
