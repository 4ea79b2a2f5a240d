/* What programs see of the device in /dev and /sys, and its socket, in a temporary folder. */
#include "device.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char uevent[] = "OF_NAME=gpu\nOF_FULLNAME=/soc/gpu\nOF_COMPATIBLE_0=brcm,bcm2835-vc4\n"
                             "OF_COMPATIBLE_N=1\nDRIVER=vc4-drm\nMODALIAS=of:NgpuT(null)Cbrcm,bcm2835-vc4\n";

static const struct {
    const char *path, *text; /* a file; without text a folder; a text that begins with "->" is a link */
} entries[] = {
    {"/dev", NULL},
    {"/dev/dri", NULL},
    {"/dev/dri/card0", ""},
    {"/dev/dri/renderD128", ""},
    {"/sys", NULL},
    {"/sys/bus", NULL},
    {"/sys/bus/platform", NULL},
    {"/sys/bus/platform/devices", NULL},
    {"/sys/bus/platform/devices/gpu", NULL},
    {"/sys/bus/platform/devices/gpu/uevent", uevent},
    {"/sys/bus/platform/devices/gpu/subsystem", "->/sys/bus/platform"},
    {"/sys/bus/platform/devices/gpu/drm", NULL},
    {"/sys/bus/platform/devices/gpu/drm/card0", NULL},
    {"/sys/bus/platform/devices/gpu/drm/card0/dev", "226:0\n"},
    {"/sys/bus/platform/devices/gpu/drm/card0/uevent",
     "MAJOR=226\nMINOR=0\nDEVNAME=dri/card0\nDEVTYPE=drm_minor\n"},
    {"/sys/bus/platform/devices/gpu/drm/renderD128", NULL},
    {"/sys/bus/platform/devices/gpu/drm/renderD128/dev", "226:128\n"},
    {"/sys/bus/platform/devices/gpu/drm/renderD128/uevent",
     "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n"},
    {"/sys/dev", NULL},
    {"/sys/dev/char", NULL},
    {"/sys/dev/char/226:0", NULL},
    {"/sys/dev/char/226:0/device", "=>/sys/bus/platform/devices/gpu"},
    {"/sys/dev/char/226:0/uevent", "MAJOR=226\nMINOR=0\nDEVNAME=dri/card0\nDEVTYPE=drm_minor\n"},
    {"/sys/dev/char/226:128", NULL},
    {"/sys/dev/char/226:128/device", "=>/sys/bus/platform/devices/gpu"},
    {"/sys/dev/char/226:128/uevent", "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n"},
    {"/sys/class", NULL},
    {"/sys/class/drm", NULL},
    {"/sys/class/drm/version", "drm 1.1.0 20060810\n"},
};

static bool write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    bool fine = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && fine;
}

static bool make_entry(const char *root, const char *path, const char *text) {
    char where[PATH_MAX], to[PATH_MAX];
    if (snprintf(where, sizeof where, "%s%s", root, path) >= PATH_MAX) {
        return false;
    }
    if (!text) {
        return mkdir(where, 0755) == 0;
    }
    if (!strncmp(text, "->", 2)) { /* only read */
        return symlink(text + 2, where) == 0;
    }
    if (!strncmp(text, "=>", 2)) { /* followed, so it stays in the folder */
        return snprintf(to, sizeof to, "%s%s", root, text + 2) < PATH_MAX && symlink(to, where) == 0;
    }
    return write_text(where, text);
}

bool folder_make(char path[PATH_MAX], char *error, size_t size) {
    const char *base = getenv("TMPDIR");
    snprintf(path, PATH_MAX, "%s/qpusim-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(path)) {
        snprintf(error, size, "%s: %s", path, strerror(errno));
        return false;
    }
    for (size_t n = 0; n < sizeof entries / sizeof *entries; n++) {
        if (!make_entry(path, entries[n].path, entries[n].text)) {
            snprintf(error, size, "%s%s: %s", path, entries[n].path, strerror(errno));
            folder_remove(path);
            return false;
        }
    }
    return true;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *state) {
    (void)info;
    (void)type;
    (void)state;
    return remove(path);
}

void folder_remove(const char *path) {
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
