/* qpucc cl: a control list, readably: each record with its fields, the shader state records that it names
 * with their attributes and programs, and the primitives of compressed lists. */
#include "cli.h"

#include <qpucc/lists.h>
#include <qpucc/qpucc.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_RCL = CLI_OWN, OPT_BCL, OPT_MEMORY, OPT_AT, OPT_JSON };

#define GEM_HANDLES 254 /* what Linux drivers put into a list for the kernel, which takes it out */
#define MAX_SEEN 4096
#define MAX_ITEMS 500000 /* records and primitives: lists may go on in themselves */

struct reader {
    struct qpusim_memory *memory;
    json_t *records;        /* what is read; text is made of it */
    bool rendering, follow; /* follow: what records point at is in memory */
    unsigned depth, items;
    struct qpusim_cl_primitive_list_format format;
    uint32_t seen[MAX_SEEN]; /* programs and sub-lists that are shown already */
    unsigned seen_count;
    char error[300];
};

static bool stop(struct reader *r, uint32_t address, const char *what) {
    snprintf(r->error, sizeof r->error, "0x%08x: %s", (unsigned)address, what);
    return false;
}

static bool take_item(struct reader *r, uint32_t address) {
    return r->items++ < MAX_ITEMS || stop(r, address, "the list is too long, or goes on in itself");
}

static bool first_time(struct reader *r, uint32_t address) {
    for (unsigned i = 0; i < r->seen_count; i++)
        if (r->seen[i] == address)
            return false;
    if (r->seen_count < MAX_SEEN)
        r->seen[r->seen_count++] = address;
    return true;
}

/* Bytes from `address` on, as many as there are; NULL: none. */
static const uint8_t *bytes_at(const struct reader *r, uint32_t address, size_t *size) {
    uint32_t start;
    size_t length;
    *size = 0;
    if (!qpusim_memory_owner(r->memory, address, &start, &length))
        return NULL;
    *size = length - (address - start);
    return qpusim_memory_map(r->memory, address, *size);
}

static json_t *record_json(const struct qpusim_record *record, uint32_t address) {
    char members[1200], text[1300];
    qpusim_record_text(record, true, members, sizeof members);
    snprintf(text, sizeof text, "{\"at\": %u, %s}", (unsigned)address, members);
    return json_loads(text, 0, NULL);
}

/* --- what records point at ------------------------------------------------------------------------------ */

/* The program up to its thread end; NULL when it is not in memory or was shown before. */
static json_t *code_json(struct reader *r, uint32_t address) {
    size_t size;
    const uint8_t *bytes = bytes_at(r, address, &size);
    if (!bytes || !first_time(r, address))
        return NULL;
    json_t *lines = json_array();
    unsigned left = UINT32_MAX;
    for (size_t i = 0; 8 * i + 8 <= size && i < QPUSIM_MAX_INSTRUCTIONS && left; i++, left--) {
        uint64_t word;
        char line[300];
        memcpy(&word, bytes + 8 * i, 8);
        qpucc_disassemble(word, (unsigned)i, line, sizeof line);
        json_array_append_new(lines, json_string(line));
        if (left > 3 && (word >> 60 == 3 || word >> 60 == 9))
            left = 3;
    }
    return lines;
}

static void add_code(struct reader *r, json_t *to, const char *key, uint32_t address) {
    json_t *code = code_json(r, address);
    if (code)
        json_object_set_new(to, key, code);
}

/* A data record at `address`; NULL when it is not in memory. */
static json_t *data_json(const struct reader *r, enum qpusim_code code, uint32_t address,
                         struct qpusim_record *data) {
    size_t size;
    const uint8_t *bytes = bytes_at(r, address, &size);
    if (!bytes || !qpusim_read_data(code, bytes, size, data))
        return NULL;
    return record_json(data, address);
}

static void add_gl_shader(struct reader *r, json_t *to, const struct qpusim_cl_gl_shader_state *state) {
    struct qpusim_record data, item;
    json_t *shader = data_json(r, QPUSIM_CL_GL_SHADER_RECORD, state->address, &data),
           *attributes = json_array();
    if (!shader) {
        json_decref(attributes);
        return;
    }
    for (unsigned n = 0; n < state->attribute_count; n++) {
        json_t *attribute = data_json(r, QPUSIM_CL_ATTRIBUTE_RECORD, state->address + 36 + 8 * n, &item);
        if (attribute && state->extended) {
            json_t *stride = data_json(r, QPUSIM_CL_STRIDE_RECORD, state->address + 100 + 4 * n, &item);
            if (stride)
                json_object_set(attribute, "stride", json_object_get(stride, "stride"));
            json_decref(stride);
        }
        if (attribute)
            json_array_append_new(attributes, attribute);
    }
    json_object_set_new(shader, "attributes", attributes);
    const struct qpusim_cl_gl_shader_record *g = &data.u.gl_shader_record;
    add_code(r, shader, "fragment", g->fragment_code);
    add_code(r, shader, "vertex", g->vertex_code);
    add_code(r, shader, "coordinate", g->coordinate_code);
    json_object_set_new(to, "shader", shader);
}

static void add_nv_shader(struct reader *r, json_t *to, uint32_t address) {
    struct qpusim_record data;
    json_t *shader = data_json(r, QPUSIM_CL_NV_SHADER_RECORD, address, &data);
    if (!shader)
        return;
    add_code(r, shader, "fragment", data.u.nv_shader_record.fragment_code);
    json_object_set_new(to, "shader", shader);
}

static void add_clipped(struct reader *r, json_t *to, const struct qpusim_cl_clipped_primitive *c) {
    struct qpusim_record data;
    json_t *vertices = json_array();
    for (unsigned i = 0, at = 0; i < 3; i++) {
        if (!(c->clipped >> i & 1))
            continue;
        json_t *vertex = data_json(r, QPUSIM_CL_CLIPPED_VERTEX, c->address + 32 * at++, &data);
        if (vertex)
            json_array_append_new(vertices, vertex);
    }
    json_object_set_new(to, "vertices", vertices);
}

/* A compressed list from *address on, which moves to the byte after its escape code. */
static bool add_primitives(struct reader *r, json_t *to, uint32_t *address) {
    struct qpusim_primitive_coder coder = {.primitive = r->format.primitive, .data = r->format.data};
    json_t *primitives = json_array();
    json_object_set_new(to, "primitives", primitives);
    while (take_item(r, *address)) {
        uint32_t index[3];
        int32_t branch;
        unsigned used;
        size_t size;
        const uint8_t *bytes = bytes_at(r, *address, &size);
        switch (qpusim_read_primitive(&coder, bytes, size, index, &branch, &used)) {
        case QPUSIM_ITEM_PRIMITIVE: {
            json_t *vertices = json_array();
            for (unsigned i = 0; i < qpusim_primitive_vertices(&coder); i++)
                json_array_append_new(vertices, json_integer(index[i]));
            json_array_append_new(primitives, vertices);
            *address += used;
            break;
        }
        case QPUSIM_ITEM_BRANCH: *address = (*address & ~31u) + (uint32_t)branch; break;
        case QPUSIM_ITEM_END: *address += used; return true;
        default:
            return stop(r, *address,
                        "a code of a compressed list that is reserved, cut off or relative to no primitive");
        }
    }
    return false;
}

/* --- lists ---------------------------------------------------------------------------------------------- */

static bool read_list(struct reader *r, uint32_t address, uint32_t end, json_t *records);

/* A list that another one calls, once. */
static bool add_sub_list(struct reader *r, json_t *to, uint32_t address) {
    size_t size;
    if (!bytes_at(r, address, &size) || r->depth == 2 || !first_time(r, address))
        return true;
    json_t *records = json_array();
    json_object_set_new(to, "list", records);
    r->depth++;
    bool ok = read_list(r, address, 0, records);
    r->depth--;
    return ok;
}

static bool add_record(struct reader *r, const struct qpusim_record *record, json_t *to, uint32_t *address) {
    switch (record->code) {
    case QPUSIM_CL_GL_SHADER_STATE:
        if (r->follow)
            add_gl_shader(r, to, &record->u.gl_shader_state);
        return true;
    case QPUSIM_CL_NV_SHADER_STATE:
        if (r->follow)
            add_nv_shader(r, to, record->u.nv_shader_state.address);
        return true;
    case QPUSIM_CL_PRIMITIVE_LIST_FORMAT: r->format = record->u.primitive_list_format; return true;
    case QPUSIM_CL_CLIPPED_PRIMITIVE:
        if (r->follow)
            add_clipped(r, to, &record->u.clipped_primitive);
        return add_primitives(r, to, address);
    case QPUSIM_CL_COMPRESSED_PRIMITIVES: return add_primitives(r, to, address);
    case QPUSIM_CL_BRANCH_TO_SUB_LIST:
        return !r->follow || add_sub_list(r, to, record->u.branch_to_sub_list.address);
    default: return true;
    }
}

/* From `address` to `end`; a sub-list (end 0) to its return. */
static bool read_list(struct reader *r, uint32_t address, uint32_t end, json_t *records) {
    while (address != end) {
        struct qpusim_record record;
        size_t size;
        const uint8_t *bytes = bytes_at(r, address, &size);
        if (!take_item(r, address))
            return false;
        if (!bytes)
            return stop(r, address, "the list goes on where there is no memory");
        uint32_t here = address;
        if (bytes[0] == GEM_HANDLES && size >= 9 && !r->rendering) {
            uint32_t handle[2];
            memcpy(handle, bytes + 1, sizeof handle);
            json_array_append_new(records, json_pack("{s:I, s:s, s:[I, I]}", "at", (json_int_t)address,
                                                     "record", "gem_handles", "handles",
                                                     (json_int_t)handle[0], (json_int_t)handle[1]));
            address += 9;
            continue;
        }
        if (!qpusim_read_record(bytes, size, &record)) {
            char what[80];
            const char *name = qpusim_code_name(bytes[0]);
            snprintf(what, sizeof what, name ? "%s is cut off" : "%.0sno record has code %u",
                     name ? name : "", bytes[0]);
            return stop(r, address, what);
        }
        enum qpusim_where where = qpusim_code_where(record.code);
        if (where == QPUSIM_WHERE_VG || where == (r->rendering ? QPUSIM_WHERE_BIN : QPUSIM_WHERE_RENDER)) {
            char what[120];
            snprintf(what, sizeof what, "%s does not belong in a %s list", qpusim_code_name(record.code),
                     r->rendering ? "rendering" : "binning");
            return stop(r, address, what);
        }
        json_t *to = record_json(&record, address);
        json_array_append_new(records, to);
        address += record.size;
        if (!add_record(r, &record, to, &address))
            return false;
        if (record.code == QPUSIM_CL_RETURN && r->depth)
            return true;
        if (record.code == QPUSIM_CL_BRANCH) {
            address = record.u.branch.address;
            if (!first_time(r, here))
                return true;
        }
        if (record.code == QPUSIM_CL_HALT)
            return true;
        if (end && here < end && address > end && address - here < 16)
            return stop(r, here, "the list ends within this record");
    }
    return true;
}

/* The first record that only one kind of list has says which it is; a list without any is for binning. */
static bool is_rendering(const struct reader *r, uint32_t address, uint32_t end) {
    while (address < end) {
        struct qpusim_record record;
        size_t size;
        const uint8_t *bytes = bytes_at(r, address, &size);
        if (!bytes || bytes[0] == GEM_HANDLES || !qpusim_read_record(bytes, size, &record))
            return false;
        enum qpusim_where where = qpusim_code_where(record.code);
        if (where == QPUSIM_WHERE_BIN || where == QPUSIM_WHERE_RENDER)
            return where == QPUSIM_WHERE_RENDER;
        address += record.size;
    }
    return false;
}

/* --- text ----------------------------------------------------------------------------------------------- */

static void print_value(FILE *out, const json_t *value) {
    if (json_is_string(value))
        fputs(json_string_value(value), out);
    else if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.9g", json_real_value(value));
    else
        fputs(json_is_true(value) ? "true" : "null", out);
}

static bool is_address(const char *key) {
    static const char *const names[] = {"address",  "allocation", "tile_state",
                                        "vertices", "code",       "uniforms"};
    size_t length = strlen(key);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(key, names[i]))
            return true;
    return (length > 5 && !strcmp(key + length - 5, "_code")) ||
           (length > 9 && !strcmp(key + length - 9, "_uniforms"));
}

static void print_records(FILE *out, json_t *records, unsigned indent);

static void print_record(FILE *out, json_t *record, unsigned indent) {
    const char *key;
    json_t *value;
    fprintf(out, "%*s%08x  %s", (int)indent, "", (unsigned)json_integer_value(json_object_get(record, "at")),
            json_string_value(json_object_get(record, "record")));
    bool first = true;
    json_object_foreach(record, key, value) {
        bool place = first; /* the record's own address comes first */
        first = false;
        if (place || !strcmp(key, "record") || json_is_object(value) || json_is_array(value) ||
            json_is_false(value))
            continue;
        fprintf(out, " %s", key);
        if (json_is_true(value))
            continue;
        fputc('=', out);
        if (is_address(key) && json_is_integer(value))
            fprintf(out, "0x%08x", (unsigned)json_integer_value(value));
        else
            print_value(out, value);
    }
    json_object_foreach(record, key, value) if (!strcmp(key, "handles"))
        fprintf(out, " %lld %lld", (long long)json_integer_value(json_array_get(value, 0)),
                (long long)json_integer_value(json_array_get(value, 1)));
    fputc('\n', out);
    json_object_foreach(record, key, value) {
        if (json_is_object(value)) {
            print_record(out, value, indent + 4);
        } else if (json_is_array(value) && json_is_string(json_array_get(value, 0))) {
            fprintf(out, "%*s%s:\n", (int)indent + 4, "", key);
            for (size_t i = 0; i < json_array_size(value); i++)
                fprintf(out, "%*s%s\n", (int)indent + 8, "", json_string_value(json_array_get(value, i)));
        } else if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
            print_records(out, value, indent + 4);
        } else if (json_is_array(value) && json_is_array(json_array_get(value, 0))) {
            for (size_t i = 0; i < json_array_size(value); i++) {
                const json_t *p = json_array_get(value, i);
                fprintf(out, "%*s", (int)indent + 4, "");
                for (size_t k = 0; k < json_array_size(p); k++)
                    fprintf(out, "%s%lld", k ? " " : "", (long long)json_integer_value(json_array_get(p, k)));
                fputc('\n', out);
            }
        }
    }
}

static void print_records(FILE *out, json_t *records, unsigned indent) {
    for (size_t i = 0; i < json_array_size(records); i++)
        print_record(out, json_array_get(records, i), indent);
}

/* --- the command ---------------------------------------------------------------------------------------- */

static bool add_file(struct reader *r, uint32_t address, const char *path, const char *name, size_t *size) {
    struct file_data file;
    if (!file_read(path, &file, r->error, sizeof r->error))
        return false;
    enum qpusim_status status =
        file.size ? qpusim_memory_add(r->memory, address, file.size, NULL, name) : QPUSIM_BAD_ARGUMENT;
    if (status == QPUSIM_OK)
        memcpy(qpusim_memory_map(r->memory, address, file.size), file.data, file.size);
    else
        snprintf(r->error, sizeof r->error, "%s: empty, or it overlaps another file", path);
    *size = file.size;
    file_free(&file);
    return status == QPUSIM_OK;
}

/* Each file whose name begins with eight hexadecimal digits lies at that address. */
static bool add_folder(struct reader *r, const char *folder) {
    DIR *dir = opendir(folder);
    bool ok = dir;
    if (!dir)
        snprintf(r->error, sizeof r->error, "%s: not a folder that can be read", folder);
    for (struct dirent *entry; ok && (entry = readdir(dir));) {
        char *end, path[4096];
        size_t size;
        unsigned long address = strtoul(entry->d_name, &end, 16);
        if (end - entry->d_name != 8 || (*end && *end != '.'))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        ok = add_file(r, (uint32_t)address, path, entry->d_name, &size);
    }
    if (dir)
        closedir(dir);
    return ok;
}

int command_cl(int argc, char **argv) {
    static const struct option longs[] = {{"rcl", no_argument, NULL, OPT_RCL},
                                          {"bcl", no_argument, NULL, OPT_BCL},
                                          {"memory", required_argument, NULL, OPT_MEMORY},
                                          {"at", required_argument, NULL, OPT_AT},
                                          {"json", no_argument, NULL, OPT_JSON},
                                          {NULL, 0, NULL, 0}};
    const char *output = NULL, *folder = NULL;
    bool json = false, guess = true;
    unsigned long at = 0;
    struct reader r = {0};
    for (int c; (c = getopt_long(argc, argv, "o:", longs, NULL)) != -1;) {
        char *end = "";
        switch (c) {
        case 'o': output = optarg; break;
        case OPT_RCL:
        case OPT_BCL:
            r.rendering = c == OPT_RCL;
            guess = false;
            break;
        case OPT_MEMORY:
            folder = optarg;
            r.follow = true;
            break;
        case OPT_AT: at = strtoul(optarg, &end, 0); break;
        case OPT_JSON: json = true; break;
        default: return EXIT_USAGE;
        }
        if (*end || at > UINT32_MAX)
            return complain("%s is no address", optarg);
    }
    if (optind + 1 != argc)
        return complain("cl takes one file (- is standard input)");
    size_t size = 0;
    int result = EXIT_INTERNAL;
    r.memory = qpusim_memory_new(0);
    r.records = json_array();
    if (!r.memory || !r.records) {
        complain("out of memory");
    } else if ((folder && !add_folder(&r, folder)) ||
               !add_file(&r, (uint32_t)at, argv[optind], "list", &size)) {
        result = complain("%s", r.error);
    } else {
        if (guess)
            r.rendering = is_rendering(&r, (uint32_t)at, (uint32_t)(at + size));
        bool ok = read_list(&r, (uint32_t)at, (uint32_t)(at + size), r.records);
        json_t *document = json_pack("{s:s, s:s, s:O}", "schema", "qpucc-list-1", "list",
                                     r.rendering ? "rendering" : "binning", "records", r.records);
        char *text = NULL;
        size_t length = 0;
        FILE *out = json ? NULL : open_memstream(&text, &length);
        if (out) {
            print_records(out, r.records, 0);
            fclose(out);
        }
        result = json ? cli_write_json(output, document, JSON_INDENT(1)) : cli_write(output, text, length);
        free(text);
        json_decref(document);
        if (!ok) {
            complain("%s", r.error);
            result = EXIT_SOURCE;
        }
    }
    json_decref(r.records);
    qpusim_memory_free(r.memory);
    return result;
}
