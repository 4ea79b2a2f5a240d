/* Structs of bytes from JSON, by a table of their members. */
#include "members.h"
#include "file.h"

#include <stdio.h>
#include <string.h>

/* An entry of an enumeration, a number or a truth value; -1: none of them. Out of range is the library's to
 * say, as long as it fits into the byte. */
static int value_of(const struct qpucc_member *m, const json_t *value) {
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

static const struct qpucc_member *find(members_at *at, const char *array, const char *name) {
    const struct qpucc_member *m;
    for (size_t k = 0; (m = at(k)); k++)
        if (array ? m->array && !strcmp(m->array, array) && !strcmp(m->name, name)
                  : !m->array && !strcmp(m->name, name))
            return m;
    return NULL;
}

/* How many structs the array of that name has; 0: there is none. */
static unsigned structs_of(members_at *at, const char *array) {
    const struct qpucc_member *m;
    for (size_t k = 0; (m = at(k)); k++)
        if (m->array && !strcmp(m->array, array))
            return m->structs;
    return 0;
}

static bool set_member(void *out, const struct qpucc_member *m, unsigned number, const json_t *value,
                       char *error, size_t size) {
    uint8_t *bytes = (uint8_t *)out + m->offset + number * m->stride;
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

static bool set_struct(void *out, members_at *at, const char *array, unsigned number, const json_t *object,
                       char *error, size_t size) {
    const char *name;
    json_t *value;
    if (!json_is_object(object)) {
        snprintf(error, size, "member '%s' is not an object", array);
        return false;
    }
    json_object_foreach((json_t *)object, name, value) {
        const struct qpucc_member *m = find(at, array, name);
        if (!m) {
            snprintf(error, size, "'%s.%s' is no member", array, name);
            return false;
        }
        if (!set_member(out, m, number, value, error, size))
            return false;
    }
    return true;
}

/* A list of objects, or, of a struct that is no array, the object. */
static bool set_structs(void *out, members_at *at, const char *array, const json_t *value, char *error,
                        size_t size) {
    unsigned most = structs_of(at, array);
    if (most == 1)
        return set_struct(out, at, array, 0, value, error, size);
    if (!json_is_array(value) || json_array_size(value) > most) {
        snprintf(error, size, "member '%s' is a list of at most %u objects", array, most);
        return false;
    }
    for (size_t k = 0; k < json_array_size(value); k++)
        if (!set_struct(out, at, array, (unsigned)k, json_array_get(value, k), error, size))
            return false;
    return true;
}

bool members_parse(void *out, members_at *at, const json_t *object, char *error, size_t size) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        const struct qpucc_member *m = find(at, NULL, name);
        if (!m && !structs_of(at, name)) {
            snprintf(error, size, "'%s' is no member", name);
            return false;
        }
        if (m ? !set_member(out, m, 0, value, error, size) : !set_structs(out, at, name, value, error, size))
            return false;
    }
    return true;
}

json_t *members_load(const char *path, char *error, size_t size) {
    struct file_data file;
    json_error_t where;
    if (!file_read(path, &file, error, size))
        return NULL;
    json_t *root = json_loadb(file.data, file.size, JSON_REJECT_DUPLICATES, &where);
    file_free(&file);
    if (json_is_object(root))
        return root;
    if (!root)
        snprintf(error, size, "%s:%d:%d: error: %s", path, where.line, where.column, where.text);
    else
        snprintf(error, size, "%s: not a JSON object", path);
    json_decref(root);
    return NULL;
}
