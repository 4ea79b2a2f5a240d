/* link.c: checks what must agree between a vertex and a fragment shader, and what must fit. In desktop GLSL
 * neither precision nor invariance has to agree.
 *
 * Requires: the declarations of both shaders. Keeps: them; it only reports. */
#include "frontend/essl100/essl100.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

struct side {
    const struct unit *unit;
    const struct declarations *d;
};

static struct place place_of(const struct side *s, const struct variable *v) {
    return s->unit->tokens.at[v->token].place;
}

/* The vertex shader's variable of that name, by the mark that essl_link puts on it. */
static const struct variable *find(const struct side *vs, const struct name *name, enum storage storage) {
    const struct variable *v = name->mark ? &vs->d->variables[name->mark - 1] : NULL;
    return v && v->storage == storage ? v : NULL;
}

static bool is_array(const struct variable *v) {
    return v->array_open != v->array_close || v->array_type;
}

static bool same_type(const struct variable *a, const struct variable *b) {
    return a->type == b->type && is_array(a) == is_array(b);
}

/* As vec4 and vec4[2] read, wherever the brackets stand. */
static const char *type_text(struct run *run, const struct side *s, const struct variable *v) {
    const char *text = v->type->text;
    size_t open = v->array_type ? v->type_begin + 1 : v->array_open;
    size_t end = v->array_type ? v->type_end : v->array_open != v->array_close ? v->array_close + 1 : open;
    for (size_t i = open; i < end && i < s->unit->tokens.count; i++)
        text = run_join(run, text, s->unit->tokens.at[i].name->text);
    return text;
}

/* The vertex shader's varying that the fragment shader's gets: by location if it has one (desktop GLSL), a
 * block by the block's name, others by their own. */
static const struct variable *partner(const struct side *vs, const struct variable *f) {
    if (f->location < 0 && !f->block) {
        const struct variable *v = find(vs, f->name, STORE_VARYING);
        return v && v->location < 0 && !v->block ? v : NULL;
    }
    for (size_t i = 0; i < vs->d->variable_count; i++) {
        const struct variable *v = &vs->d->variables[i];
        if (v->storage == STORE_VARYING && v->location == f->location &&
            (f->location >= 0 || (v->block && v->type == f->type)))
            return v;
    }
    return NULL;
}

/* Section 4.2.4: structs match when name, members, their order, types and precisions do. NULL: they do. */
static const char *structure_difference(struct run *run, const struct side *a, const struct variable *va,
                                        const struct side *b, const struct variable *vb, int depth) {
    const struct structure *sa = va->structure, *sb = vb->structure;
    if (sa->member_count != sb->member_count)
        return "the numbers of members differ";
    for (size_t i = 0; i < sa->member_count; i++) {
        const struct variable *ma = &a->d->members[sa->first_member + i],
                              *mb = &b->d->members[sb->first_member + i];
        if (ma->name != mb->name || !same_type(ma, mb))
            return run_format(run, "member '%s' differs", ma->name->text);
        if (ma->precision != mb->precision && a->unit->es)
            return run_format(run, "member '%s' is %s in the vertex shader and %s here", ma->name->text,
                              essl_precision_name(ma->precision), essl_precision_name(mb->precision));
        const char *inner = ma->structure && mb->structure && depth < 16
                                ? structure_difference(run, a, ma, b, mb, depth + 1)
                                : NULL;
        if (inner)
            return inner;
    }
    return NULL;
}

/* The higher precision for both. */
static void adopt_precision(struct variable *a, struct variable *b) {
    enum fe_precision higher = a->precision > b->precision ? a->precision : b->precision;
    a->precision = b->precision = higher;
}

static void adopt_members(const struct side *a, const struct variable *va, const struct side *b,
                          const struct variable *vb, int depth) {
    const struct structure *sa = va->structure, *sb = vb->structure;
    for (size_t i = 0; i < sa->member_count && i < sb->member_count; i++) {
        struct variable *ma = &a->d->members[sa->first_member + i],
                        *mb = &b->d->members[sb->first_member + i];
        adopt_precision(ma, mb);
        if (ma->structure && mb->structure && depth < 16)
            adopt_members(a, ma, b, mb, depth + 1);
    }
}

/* GLSL ES 1.00 section 4.3.4: a uniform of both stages has one precision. */
static void judge_precision(struct run *run, const struct side *vs, const struct side *fs,
                            const struct variable *v, const struct variable *f,
                            enum qpucc_uniform_precision mode) {
    if (mode == QPUCC_UNIFORM_PRECISION_ERROR) {
        run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, f),
                   "uniform '%s' is %s here and %s in the vertex shader; both use it, so the precisions "
                   "must agree (-funiform-precision=highp takes the higher one)",
                   f->name->text, essl_precision_name(f->precision), essl_precision_name(v->precision));
        return;
    }
    if (mode == QPUCC_UNIFORM_PRECISION_WARN)
        run_warn(run, QPUCC_WARN_uniform_precision, QPUCC_FRAGMENT, place_of(fs, f),
                 "uniform '%s' is %s here and %s in the vertex shader; both take the higher one",
                 f->name->text, essl_precision_name(f->precision), essl_precision_name(v->precision));
    adopt_precision(&vs->d->variables[v - vs->d->variables], &fs->d->variables[f - fs->d->variables]);
}

static void link_uniforms(struct run *run, const struct side *vs, const struct side *fs,
                          enum qpucc_uniform_precision mode) {
    for (size_t i = 0; i < fs->d->variable_count; i++) {
        const struct variable *f = &fs->d->variables[i];
        const struct variable *v = f->storage == STORE_UNIFORM ? find(vs, f->name, STORE_UNIFORM) : NULL;
        if (!v || !v->used || !f->used || v->block || f->block) /* glslang compares blocks */
            continue;
        if (!same_type(v, f)) {
            run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, f),
                       "uniform '%s' has type %s here and %s in the vertex shader", f->name->text,
                       type_text(run, fs, f), type_text(run, vs, v));
        } else if (v->structure && f->structure) {
            if (mode != QPUCC_UNIFORM_PRECISION_ERROR)
                adopt_members(vs, v, fs, f, 0);
            const char *why = structure_difference(run, vs, v, fs, f, 0);
            if (why)
                run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, f),
                           "uniform '%s': struct %s is not the same in both shaders: %s", f->name->text,
                           f->type->text, why);
        } else if (v->precision != f->precision && vs->unit->es) {
            judge_precision(run, vs, fs, v, f, mode);
        }
    }
}

/* What the vertex shader writes for nobody. */
static void warn_varyings(struct run *run, const struct side *vs, const struct side *fs) {
    bool on = run_warns(run, QPUCC_WARN_unused_varying, QPUCC_VERTEX);
    for (size_t i = 0; i < vs->d->variable_count && on; i++) {
        const struct variable *v = &vs->d->variables[i];
        bool read = v->storage != STORE_VARYING || !v->used || v->block || v->location >= 0 ||
                    !strncmp(v->name->text, "gl_", 3);
        for (size_t k = 0; k < fs->d->variable_count && !read; k++)
            read = fs->d->variables[k].name == v->name && fs->d->variables[k].used;
        if (!read)
            run_warn(run, QPUCC_WARN_unused_varying, QPUCC_VERTEX, place_of(vs, v),
                     "the fragment shader does not read varying '%s'", v->name->text);
    }
}

static const char *interpolation(const struct variable *v) {
    return v->flat ? "flat" : v->noperspective ? "noperspective" : "smooth";
}

static void link_varyings(struct run *run, const struct side *vs, const struct side *fs) {
    for (size_t i = 0; i < fs->d->variable_count; i++) {
        const struct variable *f = &fs->d->variables[i];
        if (f->storage != STORE_VARYING || !strncmp(f->name->text, "gl_", 3)) /* desktop: a redeclaration */
            continue;
        const struct variable *v = partner(vs, f);
        if (!v) {
            if (f->used && vs->unit->es) /* desktop GLSL: if code that is left reads it (compiler/link.c) */
                run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, f),
                           "varying '%s' is read here but the vertex shader does not declare it",
                           f->name->text);
            continue;
        }
        if (f->block && v->structure && f->structure) {
            const char *why = structure_difference(run, vs, v, fs, f, 0);
            if (why)
                run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, f),
                           "block '%s' is not the same in both shaders: %s", f->type->text, why);
        } else if (!same_type(v, f)) {
            run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, f),
                       "varying '%s' has type %s here and %s in the vertex shader", f->name->text,
                       type_text(run, fs, f), type_text(run, vs, v));
        }
        if (!f->block && v->flat != f->flat) /* ES 3.00 section 4.3.9, and desktop GLSL before 4.40 */
            run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, f),
                       "varying '%s' is %sflat here and %sflat in the vertex shader", f->name->text,
                       f->flat ? "" : "not ", v->flat ? "" : "not ");
        else if (!f->block && v->noperspective != f->noperspective)
            run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, f),
                       "varying '%s' is %s here and %s in the vertex shader", f->name->text, interpolation(f),
                       interpolation(v));
        /* ES 1.00 section 4.6.4, and desktop GLSL before 4.30. #pragma STDGL invariant(all) concerns outputs,
         * which varyings are in the vertex shader only. */
        bool v_invariant = v->invariant || vs->unit->invariant_all;
        if (v_invariant != f->invariant && (vs->unit->version == 100 || !vs->unit->es))
            run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, f),
                       "varying '%s' is %sinvariant here and %sinvariant in the vertex shader", f->name->text,
                       f->invariant ? "" : "not ", v_invariant ? "" : "not ");
    }
    static const char *const pairs[][2] = {{"gl_FragCoord", "gl_Position"},
                                           {"gl_PointCoord", "gl_PointSize"}};
    for (size_t p = 0; p < 2 && vs->unit->version == 100; p++) {
        if (declarations_invariant(fs->unit, fs->d, pairs[p][0]) &&
            !declarations_invariant(vs->unit, vs->d, pairs[p][1])) {
            for (size_t i = 0; i < fs->d->invariant_count; i++) {
                const struct token *t = &fs->unit->tokens.at[fs->d->invariants[i]];
                if (token_is(t, pairs[p][0]))
                    run_report(run, FE_ERROR, QPUCC_FRAGMENT, t->place,
                               "%s is invariant here, but %s is not in the vertex shader", pairs[p][0],
                               pairs[p][1]);
            }
        }
    }
}

static bool is_block(const struct side *s, const struct structure *block) {
    return block->name && block->open > 1 && s->d->meanings[block->open - 1].kind == MEANS_BLOCK;
}

/* GLSL 1.50, section 4.3.9: a member of a block has one interpolation. glslang compares the rest. */
static void link_blocks(struct run *run, const struct side *vs, const struct side *fs) {
    for (size_t i = 0; i < vs->d->structure_count; i++)
        if (is_block(vs, &vs->d->structures[i]))
            ((struct name *)vs->d->structures[i].name)->mark = (uint32_t)i + 1;
    for (size_t i = 0; i < fs->d->structure_count; i++) {
        const struct structure *f = &fs->d->structures[i];
        size_t mark = is_block(fs, f) ? f->name->mark : 0;
        const struct structure *v = mark ? &vs->d->structures[mark - 1] : NULL;
        for (size_t k = 0; v && k < f->member_count && k < v->member_count; k++) {
            const struct variable *mf = &fs->d->members[f->first_member + k],
                                  *mv = &vs->d->members[v->first_member + k];
            if (mf->name == mv->name && strcmp(interpolation(mf), interpolation(mv)) != 0)
                run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, mf),
                           "'%s' of block '%s' is %s here and %s in the vertex shader", mf->name->text,
                           f->name->text, interpolation(mf), interpolation(mv));
        }
    }
    for (size_t i = 0; i < vs->d->structure_count; i++)
        if (is_block(vs, &vs->d->structures[i]))
            ((struct name *)vs->d->structures[i].name)->mark = 0;
}

/* A block of uniforms without an instance's name, whose members are globals? */
static bool is_open(const struct side *s, const struct structure *block) {
    const struct token *at = s->unit->tokens.at;
    return is_block(s, block) && token_is(&at[block->open - 2], "uniform") &&
           block->close + 1 < s->unit->tokens.count && token_is(&at[block->close + 1], ";");
}

/* The marks are on members of the vertex shader's open blocks if `set`, and on nothing else. */
static void mark_members(const struct side *vs, bool set) {
    for (size_t i = 0; i < vs->d->structure_count; i++) {
        const struct structure *block = &vs->d->structures[i];
        for (size_t k = 0; is_open(vs, block) && k < block->member_count; k++)
            ((struct name *)vs->d->members[block->first_member + k].name)->mark = set ? (uint32_t)i + 1 : 0;
    }
}

/* `block`: whose member the global is; NULL: a variable. */
static void link_global(struct run *run, const struct side *vs, const struct side *fs,
                        const struct variable *global, const struct structure *block) {
    const struct structure *other = global->name->mark ? &vs->d->structures[global->name->mark - 1] : NULL;
    if (!other || (block && block->name == other->name))
        return;
    run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, global),
               "'%s' is %s%s%s here and a member of block '%s' in the vertex shader", global->name->text,
               block ? "a member of block '" : "a variable", block ? block->name->text : "", block ? "'" : "",
               other->name->text);
}

/* GLSL ES 3.00 section 4.3.7: a global uniform of both stages is a variable in both, or a member of the same
 * block. glslang asks only some of that. */
static void link_members(struct run *run, const struct side *vs, const struct side *fs) {
    mark_members(vs, true);
    for (size_t i = 0; i < fs->d->variable_count; i++)
        if (fs->d->variables[i].storage == STORE_UNIFORM && !fs->d->variables[i].block)
            link_global(run, vs, fs, &fs->d->variables[i], NULL);
    for (size_t i = 0; i < fs->d->structure_count; i++) {
        const struct structure *block = &fs->d->structures[i];
        for (size_t k = 0; is_open(fs, block) && k < block->member_count; k++)
            link_global(run, vs, fs, &fs->d->members[block->first_member + k], block);
    }
    mark_members(vs, false);
}

/* The other way round, by the marks of variables. */
static void link_variables(struct run *run, const struct side *vs, const struct side *fs) {
    for (size_t i = 0; i < fs->d->structure_count; i++) {
        const struct structure *block = &fs->d->structures[i];
        for (size_t k = 0; is_open(fs, block) && k < block->member_count; k++) {
            const struct variable *member = &fs->d->members[block->first_member + k],
                                  *v = find(vs, member->name, STORE_UNIFORM);
            if (v && !v->block)
                run_report(run, FE_ERROR, QPUCC_FRAGMENT, place_of(fs, member),
                           "'%s' is a member of block '%s' here and a variable in the vertex shader",
                           member->name->text, block->name->text);
        }
    }
}

/* GLSL 1.30, section 4.3.7: a colour of the fixed pipeline is flat in both stages or in none. */
static void link_colours(struct run *run, const struct side *vs, const struct side *fs) {
    static const char *const pairs[][2] = {{"gl_Color", "gl_FrontColor"},
                                           {"gl_Color", "gl_BackColor"},
                                           {"gl_SecondaryColor", "gl_FrontSecondaryColor"},
                                           {"gl_SecondaryColor", "gl_BackSecondaryColor"}};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs && !vs->unit->es; p++) {
        const struct variable *f = declarations_find(fs->d, run_name_z(run, pairs[p][0])),
                              *v = declarations_find(vs->d, run_name_z(run, pairs[p][1]));
        bool f_flat = f && f->flat, v_flat = v && v->flat;
        if (f_flat != v_flat && essl_uses(fs->unit, pairs[p][0]) && essl_uses(vs->unit, pairs[p][1]))
            run_report(run, FE_ERROR, f_flat ? QPUCC_FRAGMENT : QPUCC_VERTEX,
                       f_flat ? place_of(fs, f) : place_of(vs, v),
                       "%s of the fragment shader is %sflat and %s of the vertex shader is %sflat",
                       pairs[p][0], f_flat ? "" : "not ", pairs[p][1], v_flat ? "" : "not ");
    }
}

void essl_link(struct run *run, const struct unit *vertex, const struct declarations *vd,
               const struct unit *fragment, const struct declarations *fd, const struct fe_options *options) {
    enum qpucc_uniform_precision mode = options->uniform_precision;
    if (options->permissive && mode == QPUCC_UNIFORM_PRECISION_ERROR)
        mode = QPUCC_UNIFORM_PRECISION_WARN;
    const struct side vs = {vertex, vd}, fs = {fragment, fd};
    for (size_t i = vd->variable_count; i-- > 0;)
        ((struct name *)vd->variables[i].name)->mark = (uint32_t)i + 1;
    link_uniforms(run, &vs, &fs, mode);
    link_varyings(run, &vs, &fs);
    link_colours(run, &vs, &fs);
    link_variables(run, &vs, &fs);
    warn_varyings(run, &vs, &fs);
    for (size_t i = 0; i < vd->variable_count; i++)
        ((struct name *)vd->variables[i].name)->mark = 0;
    link_blocks(run, &vs, &fs);
    link_members(run, &vs, &fs);
}

/* --- what must fit -------------------------------------------------------------------------------------- */

#define MOST 512

static const struct variable *used_variable(struct run *run, const struct stage_module *m, const char *name,
                                            enum storage storage) {
    const struct variable *v = declarations_find(m->declarations, run_name_z(run, name));
    return v && v->storage == storage && v->used ? v : NULL;
}

static bool place_rows(bool grid[ESSL_MOST_VARYING_ROWS][4], uint32_t rows, uint32_t column,
                       uint32_t columns) {
    for (uint32_t top = 0; rows <= ESSL_MOST_VARYING_ROWS && top + rows <= ESSL_MOST_VARYING_ROWS; top++) {
        bool empty = true;
        for (uint32_t r = top; r < top + rows; r++) {
            for (uint32_t c = column; c < column + columns; c++)
                empty &= !grid[r][c];
        }
        if (!empty)
            continue;
        for (uint32_t r = top; r < top + rows; r++) {
            for (uint32_t c = column; c < column + columns; c++)
                grid[r][c] = true;
        }
        return true;
    }
    return false;
}

/* Appendix A, section 7: rows of four components, wide and long ones first; mat2 takes whole rows. */
static const struct interface_slot *pack(const struct interface_slot *slots, size_t count) {
    bool grid[ESSL_MOST_VARYING_ROWS][4] = {{false}};
    bool done[MOST] = {false};
    for (size_t placed_count = 0; placed_count < count; placed_count++) {
        const struct interface_slot *best = NULL;
        for (size_t i = 0; i < count; i++) {
            if (!done[i] && (!best || slots[i].columns > best->columns ||
                             (slots[i].columns == best->columns && slots[i].rows > best->rows)))
                best = &slots[i];
        }
        done[best - slots] = true;
        bool placed = false;
        uint32_t step = best->columns == 2 ? 2 : 1, last = best->columns > 2 ? 0 : 4 - best->columns;
        for (uint32_t column = 0; column <= last && !placed; column += step)
            placed = place_rows(grid, best->rows, column, best->columns);
        if (!placed)
            return best;
    }
    return NULL;
}

static void check_varyings(struct run *run, const struct stage_module *types, int storage,
                           const struct stage_module *reader) {
    struct interface_slot all[MOST], used[MOST];
    size_t count = module_interface(run, types->words, types->count, storage, all, MOST), used_count = 0;
    uint32_t components = 0;
    for (size_t i = 0; i < count; i++) {
        if (!used_variable(run, reader, all[i].name, STORE_VARYING))
            continue;
        components += all[i].rows * all[i].columns;
        used[used_count++] = all[i];
    }
    const struct interface_slot *over = pack(used, used_count);
    if (!over)
        return;
    const struct variable *v = used_variable(run, reader, over->name, STORE_VARYING);
    run_report(run, FE_ERROR, reader->unit->stage, reader->unit->tokens.at[v->token].place,
               "too many varyings: '%s' no longer fits into %d vectors of 4 (%u components are used); drop "
               "or pack some",
               over->name, ESSL_MOST_VARYING_ROWS, components);
}

void essl_capacity(struct run *run, const struct stage_module *vertex, const struct stage_module *fragment) {
    if (fragment->words)
        check_varyings(run, fragment, SpvStorageClassInput, fragment);
    else if (vertex->words)
        check_varyings(run, vertex, SpvStorageClassOutput, vertex);
}
