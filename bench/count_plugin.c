/* A plugin for qemu-user that counts the guest's instructions: time that is the same on every computer, and
 * that an emulated ARM has.
 *
 *     qemu-aarch64 -plugin ./libcount_plugin.so,counter=FILE ...
 *
 * The count stands in the first eight bytes of FILE from moment to moment, which the guest may map and read
 * (bench_times does if QPUCC_BENCH_COUNTER names it). Each block of translated code adds its length when it
 * is entered. Interface: QEMU's plugins, version 1 (QEMU 7.2 has it); Debian has no package with its header,
 * so what is used of it is declared here. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
enum { INLINE_ADD_U64 };
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
typedef void translated(uint64_t id, struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, translated *callback);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *counter, uint64_t add);

EXPORT extern const int qemu_plugin_version;
const int qemu_plugin_version = 1;

static uint64_t *counter;

static void count_block(uint64_t id, struct qemu_plugin_tb *tb) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(tb, INLINE_ADD_U64, counter, qemu_plugin_tb_n_insns(tb));
}

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);
int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv) {
    static const char key[] = "counter=";
    (void)info;
    if (argc != 1 || strncmp(argv[0], key, strlen(key)))
        return -1;
    int file = open(argv[0] + strlen(key), O_RDWR | O_CREAT, 0666);
    void *map = file < 0 || ftruncate(file, sizeof *counter)
                    ? MAP_FAILED
                    : mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (map == MAP_FAILED)
        return -1;
    counter = map;
    qemu_plugin_register_vcpu_tb_trans_cb(id, count_block);
    return 0;
}
