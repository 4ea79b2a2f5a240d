/* qpucc selftest: compares a Raspberry Pi with the machine, microprogram by microprogram. */
#include "run.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "qpucc selftest compares the graphics chip of a Raspberry Pi 1 to 3 with this project's machine.\n"
    "\n"
    "  qpucc selftest [--device FILE] [--json] [--profile FILE] [--only PREFIX] [--list]\n"
    "\n"
    "It draws some hundred tiny frames through the kernel's driver and compares every word with what the\n"
    "machine makes of the same frame. Nothing is shown, and nothing outside its own buffers is written.\n"
    "\n"
    "  --device FILE    /dev/dri/renderD128, unless told otherwise\n"
    "  --json           the whole report for programs, and for bug reports\n"
    "  --profile FILE   write what was found for -mchip=FILE\n"
    "  --only PREFIX    rows whose names begin so (alu, alu.fmul), or that test the assumption of that name\n"
    "  --list           the rows and what they test; needs no device\n"
    "\n"
    "Exit codes: 0 nothing differs, 1 usage, 5 there is no vc4 device, 6 something differs.\n"
    "docs/selftest.md has more.\n";

static int usage(const char *text) {
    fprintf(stderr, "qpucc: error: %s; see qpucc selftest --help\n", text);
    return SELFTEST_USAGE;
}

struct options {
    const char *device, *profile, *only;
    bool json, list, help;
};

/* False: said so, or getopt did. */
static bool read_options(int argc, char **argv, struct options *o) {
    enum { DEVICE = 256, JSON, PROFILE, ONLY, LIST, HELP };
    static const struct option options[] = {{"device", required_argument, NULL, DEVICE},
                                            {"json", no_argument, NULL, JSON},
                                            {"profile", required_argument, NULL, PROFILE},
                                            {"only", required_argument, NULL, ONLY},
                                            {"list", no_argument, NULL, LIST},
                                            {"help", no_argument, NULL, HELP},
                                            {0}};
    int option;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case DEVICE: o->device = optarg; break;
        case JSON: o->json = true; break;
        case PROFILE: o->profile = optarg; break;
        case ONLY: o->only = optarg; break;
        case LIST: o->list = true; break;
        case HELP:
        case 'h': o->help = true; break;
        default: usage("unknown option"); return false;
        }
    }
    if (optind < argc) {
        usage("selftest takes no files");
        return false;
    }
    return true;
}

static bool write_profile(const struct report *report, const char *path) {
    FILE *out = fopen(path, "w");
    if (out) {
        report_print_profile(report, out);
    }
    if (!out || fclose(out)) {
        fprintf(stderr, "qpucc: error: %s: %s\n", path, strerror(errno));
        return false;
    }
    return true;
}

static int run(struct device *device, struct device *machine, const struct options *o) {
    struct report report = {.device = o->device};
    FILE *progress = isatty(STDERR_FILENO) ? stderr : NULL;
    if (!run_rows(device, machine, o->only, progress, &report)) {
        fprintf(stderr, "qpucc: error: out of memory\n");
        return SELFTEST_USAGE;
    }
    int code = report.verdicts[DIFFERS] ? SELFTEST_DIFFERS : SELFTEST_AGREES;
    if (!report.count) {
        code = usage("no row has such a name");
    } else {
        (o->json ? report_print_json : report_print)(&report, stdout);
        if (o->profile && !write_profile(&report, o->profile)) {
            code = SELFTEST_USAGE;
        }
    }
    report_free(&report);
    return code;
}

int command_selftest(int argc, char **argv) {
    struct options o = {.device = "/dev/dri/renderD128"};
    if (!read_options(argc, argv, &o)) {
        return SELFTEST_USAGE;
    }
    if (o.help) {
        fputs(help, stdout);
        return 0;
    }
    if (o.list) {
        rows_print(o.only, stdout);
        return 0;
    }
    char error[FRAME_TEXT];
    struct device *device = device_open(o.device, error, sizeof error);
    if (!device) {
        fprintf(stderr,
                "qpucc: error: %s\n"
                "The self-test needs the vc4 driver of a Raspberry Pi 1 to 3; --device names another file.\n",
                error);
        return SELFTEST_NO_DEVICE;
    }
    struct device *machine = device_machine(0);
    int code = SELFTEST_USAGE;
    if (machine) {
        code = run(device, machine, &o);
    } else {
        fprintf(stderr, "qpucc: error: out of memory\n");
    }
    device_close(machine);
    device_close(device);
    return code;
}
