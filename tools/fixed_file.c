/* Fixed-function states from JSON, by the library's own table of the members. */
#include "fixed_file.h"
#include "file.h"

#include <stdio.h>
#include <string.h>

/* An entry of an enumeration, a number or a truth value; -1: none of them. Out of range is the library's to
 * say, as long as it fits into the byte. */
static int value_of(const struct qpucc_fixed_member *m, const json_t *value) {
    const char *word = json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value);
    if (json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= UINT8_MAX)
        return (int)json_integer_value(value);
    for (unsigned k = 0; word && m->values && k <= m->limit; k++)
        if (!strcmp(m->values[k], word))
            return (int)k;
    return -1;
}

static const struct qpucc_fixed_member *find(const char *array, const char *name) {
    const struct qpucc_fixed_member *m;
    for (size_t k = 0; (m = qpucc_fixed_member_at(k)); k++)
        if (array ? m->array && !strcmp(m->array, array) && !strcmp(m->name, name)
                  : !m->array && !strcmp(m->name, name))
            return m;
    return NULL;
}

/* How many structs the array of that name has; 0: there is none. */
static unsigned structs_of(const char *array) {
    const struct qpucc_fixed_member *m;
    for (size_t k = 0; (m = qpucc_fixed_member_at(k)); k++)
        if (m->array && !strcmp(m->array, array))
            return m->structs;
    return 0;
}

static bool set_member(struct qpucc_fixed *fixed, const struct qpucc_fixed_member *m, unsigned at,
                       const json_t *value, char *error, size_t size) {
    uint8_t *bytes = (uint8_t *)fixed + m->offset + at * m->stride;
    bool list = json_is_array(value) && m->count > 1;
    size_t count = list ? json_array_size(value) : 1;
    bool ok = count <= m->count && (list || m->count == 1);
    for (size_t k = 0; ok && k < count; k++) {
        int number = value_of(m, list ? json_array_get(value, k) : value);
        ok = number >= 0;
        bytes[k] = ok ? (uint8_t)number : 0;
    }
    if (ok)
        return true;
    if (m->values)
        snprintf(error, size, "member '%s' is not what it can hold: %s'%s' to '%s'", m->name,
                 m->count > 1 ? "a list of " : "", m->values[0], m->values[m->limit]);
    else
        snprintf(error, size, "member '%s' is not what it can hold: a number up to %u", m->name, m->limit);
    return false;
}

static bool set_structs(struct qpucc_fixed *fixed, const char *array, const json_t *list, char *error,
                        size_t size) {
    const char *name;
    json_t *value;
    if (!json_is_array(list) || json_array_size(list) > structs_of(array)) {
        snprintf(error, size, "member '%s' is a list of at most %u objects", array, structs_of(array));
        return false;
    }
    for (size_t k = 0; k < json_array_size(list); k++) {
        json_t *object = json_array_get(list, k);
        if (!json_is_object(object)) {
            snprintf(error, size, "member '%s' is a list of objects", array);
            return false;
        }
        json_object_foreach(object, name, value) {
            const struct qpucc_fixed_member *m = find(array, name);
            if (!m) {
                snprintf(error, size, "'%s[%zu].%s' is no member", array, k, name);
                return false;
            }
            if (!set_member(fixed, m, (unsigned)k, value, error, size))
                return false;
        }
    }
    return true;
}

bool fixed_file_parse(struct qpucc_fixed *fixed, const json_t *object, char *error, size_t size) {
    const char *name;
    json_t *value;
    memset(fixed, 0, sizeof *fixed);
    json_object_foreach((json_t *)object, name, value) {
        const struct qpucc_fixed_member *m = find(NULL, name);
        if (!m && !structs_of(name)) {
            snprintf(error, size, "'%s' is no member", name);
            return false;
        }
        if (m ? !set_member(fixed, m, 0, value, error, size) : !set_structs(fixed, name, value, error, size))
            return false;
    }
    return true;
}

bool fixed_file_read(struct qpucc_fixed *fixed, const char *path, char *error, size_t size) {
    struct file_data file;
    json_error_t where;
    char reason[300];
    if (!file_read(path, &file, error, size))
        return false;
    json_t *root = json_loadb(file.data, file.size, JSON_REJECT_DUPLICATES, &where);
    file_free(&file);
    bool ok = json_is_object(root);
    if (!root)
        snprintf(error, size, "%s:%d:%d: error: %s", path, where.line, where.column, where.text);
    else if (!ok)
        snprintf(error, size, "%s: not a JSON object", path);
    else if (!fixed_file_parse(fixed, root, reason, sizeof reason)) {
        snprintf(error, size, "%s: %s", path, reason);
        ok = false;
    }
    json_decref(root);
    return ok;
}
