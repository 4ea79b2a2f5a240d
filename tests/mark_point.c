/* Check writes down each assertion that holds, in a file, so that it can say after which one a test crashed:
 * two system calls, more than most assertions take by themselves. Of many in a row one in a hundred says it
 * as well. The linker gives Check's function another name (tests/CMakeLists.txt). */
void __real__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line);

void __wrap__mark_point(const char *file, int line) {
    enum { ALL = 1000, EACH = 100 };
    static unsigned count; /* of a process, whose threads may be several */
    unsigned now = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    if (now < ALL || now % EACH == 0)
        __real__mark_point(file, line);
}
