/* The qpucc command: which sub-command it is. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char intro[] =
    "qpucc compiles GLSL and SPIR-V shaders for the VideoCore IV QPU (Raspberry Pi 1 to 3).\n"
    "\n"
    "  qpucc [options] a.vert b.frag          compile; assembly to standard output\n"
    "  qpucc run a.vert b.frag -o out.png     draw on the simulated machine\n"
    "  qpucc fixed state.json                 compile a fixed-function state; with -o out.png draw with it\n"
    "  qpucc explain a.vert b.frag            what the code does and costs, and why\n"
    "  qpucc debug a.vert b.frag --pixel X,Y  step through what the code does to a pixel\n"
    "  qpucc dis code.bin                     disassemble\n"
    "  qpucc as text.asm -o code.bin          assemble\n"
    "  qpucc check code.bin                   hardware rules, and the Linux kernel's\n"
    "  qpucc cl list.bin                      a control list, readably\n"
    "  qpucc opt --passes=a,b shader.ir       run passes on the intermediate form's text\n"
    "  qpucc serve --port 8080                the playground: a page and an API in Compiler Explorer's "
    "shape\n"
    "  qpucc report --pairs FILE.jsonl        compile a whole corpus, print a table\n"
    "  qpucc report --presets FOLDER          the same of RetroArch's presets\n"
    "  qpucc selftest                         on a Pi: compare its chip with the machine\n"
    "\n";
static const char compile_heading[] = "Compile options (- is standard input):\n";
static const char output_options[] =
    "  -o FILE                output\n"
    "  -S, -c, -E             assembly; containers (a.frag: a.frag.qpu); preprocessed text\n"
    "  --emit=asm|raw|qpu|c|spirv|ir|json\n"
    "                         raw: FILE.fragment.bin, FILE.vertex.bin, FILE.coordinate.bin, little-endian "
    "64-bit words\n"
    "                         (-o -: all of it to standard output)\n"
    "  --listing=annotated|wide|plain\n"
    "                         of -S: 100 columns with footnotes; a line an instruction; no comments\n"
    "  --stats[=json]         instructions, uniforms, registers, cycles and lower bound of each stage;\n"
    "                         with loops, the cycles of one iteration of each\n"
    "  -M, -MD, -MF, -MT      dependencies for make\n";
static const char compile_options[] =
    "  -O0 -O1 -O2 -O3        optimisation; -O2 is the default\n"
    "  -D NAME[=VALUE]        define a macro; -U NAME takes that back\n"
    "  -I DIR                 where #include looks\n"
    "  -fshader-stage=STAGE   vertex or fragment, for the files that follow\n"
    "  -x glsl|spirv|none     what the files that follow are\n"
    "  -std=VERSION           of GLSL: 100, 300es, 330core ...\n"
    "  -w, -Werror, -g0, -v   no warnings, warnings are errors, no source lines, say what is done\n"
    "  -fmax-errors=N         show N errors; --diagnostics=json|sarif: messages as a document\n"
    "  -ffast-math, -fprecise  how exact arithmetic is: special functions refined only where positions,\n"
    "                         texture coordinates and whole numbers need it; or everywhere, nothing in "
    "bytes\n"
    "                         or rearranged\n"
    "  -mchip=shipped|guide|FILE\n"
    "                         what code relies on of the chip: what is measured or shipped, what the guide\n"
    "                         says, or what a profile of a chip's self-test says (docs/assumptions.md)\n"
    "  -fdefault-precision=mediump|highp\n"
    "                         for fragment shaders without a precision statement\n"
    "  -fpermissive           what other drivers accept; -funiform-precision=highp|warn: uniforms of two "
    "precisions\n"
    "  -Wall, -Wportability, -Wperformance, -Wno-NAME\n"
    "                         more warnings, or one less\n"
    "  -fno-uniform-expressions\n"
    "                         keep arithmetic on uniforms in the shader\n"
    "  -fno-unroll            loops stay loops\n"
    "  -funroll=N             loops become copies of up to N instructions (default 1200)\n"
    "  -fno-uniform-branches  no branches on uniforms where selections can do: all draws take the same time\n"
    "  --set=NAME=VALUE[,...] code for this value of a uniform: what it decides is decided\n"
    "  --spec=[STAGE:]ID=VALUE\n"
    "                         a value for the specialisation constants of SPIR-V with that SpecId\n"
    "  --primitive=triangles|lines|points, --depth, --flip-y\n"
    "                         the GL state that the code is for\n"
    "  --state=STATE.json     a whole state key, with the names of struct qpucc_state\n"
    "  --fixed=STATE.json     a fixed-function state instead of shaders (docs/fixed-function.md)\n"
    "  --print-after=PASS|all the intermediate form after a pass, to standard error\n"
    "  --time-passes          where the time goes, to standard error\n"
    "  --version, --help\n"
    "\n";
static const char explain_options[] =
    "Explain options:\n"
    "  --stage=fragment|vertex|coordinate\n"
    "                         only this one\n"
    "  --compare=OLD          what became better or worse: OLD is what --json wrote, a container or a "
    "source\n"
    "  --code, --passes       also the instructions; the intermediate form after each pass\n"
    "  --json, --html=FILE    all of it as a document; as a page\n"
    "  -o FILE                where the text or document goes\n"
    "\n";

/* What run and debug draw. */
static const char scene_options[] =
    "Run options:\n"
    "  --clear R,G,B[,A]  --instances N\n"
    "  --size WxH  --mesh quad|cube|sphere|torus|points|file.obj  --uniform name=v,...  --texture "
    "name=file.png\n"
    "                         names as GL has them: lights[1].color, weights[2]\n"
    "  scene.json             all of this from a file, instead of shaders (see examples/)\n"
    "  --lenient              go on where the strict machine would stop\n";
static const char run_options[] =
    "  --trace[=N]            every instruction of the first N batches of each stage\n"
    "  --cycles               what the machine counted\n"
    "  --timeline FILE        when each batch would run on which QPU, for Chrome's about:tracing\n"
    "  --stats                the table of --stats, and the iterations that each loop took\n"
    "  --undefined[=json]     each place that computes what GLSL leaves undefined, and how often\n"
    "  --alpha                the picture keeps its alpha channel\n"
    "  --ideal                floats rounded to nearest, exact special functions: no chip does this\n"
    "  --device PATH          draw with a vc4 device instead of the machine\n"
    "  qpucc run preset.glslp --texture source=picture.png  [--frames N]  [--keep DIR]\n"
    "                         RetroArch's preset; a scene of each pass goes to the folder\n";
static const struct {
    const char *command, *text;
} own_options[] = {
    {"debug", "Debug options:\n"
              "  --pixel X,Y            from the upper left corner; without it the middle\n"
              "  --vertex N             a vertex; with --coordinate in the coordinate shader\n"
              "  -x FILE, --batch       commands to execute first; end after them\n"
              "  --json                 all steps as a document\n"},
    {"dis", "  --words                the address and both words before each instruction\n"
            "  -o FILE                output\n"},
    {"as", "  --hex                  sixteen digits an instruction, as text\n"
           "  -o FILE                output\n"},
    {"check", "  --stage=fragment|vertex|coordinate, --threaded\n"
              "                         what the code is, where it is no container\n"
              "  --profile=hw|linux|both\n"
              "                         whose rules; both is the default\n"
              "  --chip=shipped|guide|FILE\n"
              "                         also what code may rely on of the chip (-mchip)\n"},
    {"cl", "  --bcl, --rcl           it is for binning; for rendering\n"
           "  --at ADDRESS           where it lies\n"
           "  --memory FOLDER        what else lies in memory: files with their address as name\n"
           "  --json                 as a document\n"
           "  -o FILE                output\n"},
    {"opt", "  --passes=A,B           in this order\n"
            "  --list                 the passes, and what each does\n"
            "  -o FILE                output\n"},
    {"serve", "  --port, --listen, --workers, --worker-jobs, --cpu-seconds, --wall-seconds, --memory,\n"
              "  --output, --budget, --body, --bodies, --rate, --queue, --client-cpu, --connections,\n"
              "  --client-connections, --slow-seconds, --cache, --cache-size, --link-size, --client-links,\n"
              "  --memory-cache, --store, --store-password-file, --public-url, --embed, --proxy\n"
              "                         qpucc(1) says what they mean, and what they are without\n"},
    {"report", "Report options:\n"
               "  --filter TEXT          only pairs and presets whose names contain it\n"
               "  --json, --code         a line of JSON for each; with code and streams\n"
               "  --compare OLD.json     what changed since that --json was written\n"
               "  -j N                   threads\n"},
};

static const char ending[] =
    "Exit codes: 0 done, 1 usage or file trouble, 2 errors in the source, 3 does not fit the hardware, 4 "
    "internal error.\n"
    "More in qpucc(1).\n";

/* The lines of the introduction that show the command, then the options that it takes. */
static int show_help(const char *command) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool runs = !command || !strcmp(command, "run") || !strcmp(command, "fixed");
    bool draws = runs || !strcmp(command, "debug");
    bool writes = !command || !strcmp(command, "compile") || !strcmp(command, "fixed");
    bool compiles = draws || writes || !strcmp(command, "explain") || !strcmp(command, "report");
    if (!out)
        return complain("out of memory");
    for (const char *line = intro, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        bool shows = !command || (!strcmp(command, "compile") && !strncmp(line, "  qpucc [", 9)) ||
                     (!strncmp(line, "  qpucc ", 8) && !strncmp(line + 8, command, strlen(command)) &&
                      line[8 + strlen(command)] == ' ');
        if (shows)
            fprintf(out, "%.*s\n", (int)(end - line), line);
    }
    if (command)
        fputc('\n', out);
    for (size_t i = 0; command && i < sizeof own_options / sizeof *own_options; i++)
        if (!strcmp(own_options[i].command, command))
            fprintf(out, "%s\n", own_options[i].text);
    if (draws && command)
        fprintf(out, "%s%s\n", scene_options, runs ? run_options : "");
    if (compiles)
        fprintf(out, "%s%s%s", compile_heading, writes ? output_options : "", compile_options);
    if (!command)
        fprintf(out, "%s%s\n", scene_options, run_options);
    if (!command || !strcmp(command, "explain"))
        fputs(explain_options, out);
    fputs(ending, out);
    int code = fclose(out) == 0 ? cli_write(NULL, text, size) : complain("out of memory");
    free(text);
    return code;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"run", command_run},
                {"dis", command_dis},
                {"as", command_as},
                {"check", command_check},
                {"opt", command_opt},
                {"report", command_report},
                {"fixed", command_fixed},
                {"serve", command_serve},
                {"explain", command_explain},
                {"cl", command_cl},
                {"debug", command_debug},
                {"compile", command_compile},
                {"selftest", command_selftest}};

static const char *command_of(const char *word) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(word, commands[i].name))
            return commands[i].name;
    return NULL;
}

/* A command that is done, and whose output is not, is not done: the disk may be full. */
static int finish(int code) {
    if (code == EXIT_DONE && (fflush(stdout) || ferror(stdout)))
        return complain("standard output can't be written");
    return code;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "%s%s%s%s%s%s\n%s", intro, compile_heading, output_options, compile_options,
                scene_options, run_options, ending);
        return EXIT_USAGE;
    }
    bool own_help = !strcmp(argv[1], "selftest"); /* what people with a Pi need is short */
    for (int i = 1; i < argc; i++) {
        if (own_help || !strcmp(argv[i], "--"))
            break;
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return show_help(command_of(argv[1]));
        if (!strcmp(argv[i], "--version")) {
            char text[64];
            int length = snprintf(text, sizeof text, "qpucc %s\n", qpucc_version());
            return cli_write(NULL, text, (size_t)length);
        }
    }
    static char name[] = "qpucc"; /* what getopt's messages begin with */
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name)) {
            argv[1] = name;
            return finish(commands[i].run(argc - 1, argv + 1));
        }
    argv[0] = name;
    return finish(command_compile(argc, argv));
}
