// How the sanitizers behave in every program of a build that has them (HEADROOM_SANITIZE), whoever
// starts it: the first mistake ends the program, and what was found is kept in a file under
// HEADROOM_REPORTS, for half of the processes of the tests are children whose words nobody reads.
#include <cstdarg>
#include <cstdlib>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#define HEADROOM_HAS_FEATURE(NAME) __has_feature(NAME)
#else
#define HEADROOM_HAS_FEATURE(NAME) 0
#endif

extern "C" {

#if defined(__SANITIZE_ADDRESS__) || HEADROOM_HAS_FEATURE(address_sanitizer)

const char* __asan_default_options() {
    // Leaks are not looked for: Qt, fontconfig and Mesa keep what they have until the program ends.
    // Who asks for more than there is gets none, as everywhere: HDF5 does, of a damaged file.
    return "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:log_path='" HEADROOM_REPORTS
           "'";
}
const char* __ubsan_default_options() {
    return "print_stacktrace=1:log_path='" HEADROOM_REPORTS "'";
}

#endif

#if defined(__SANITIZE_THREAD__) || HEADROOM_HAS_FEATURE(thread_sanitizer)

const char* __tsan_default_options() {
    return "abort_on_error=1:halt_on_error=1:second_deadlock_stack=1:"
           "ignore_noninstrumented_modules=1:log_path='" HEADROOM_REPORTS "'";
}

/// Libraries of the system that were compiled without the sanitizer: it sees what they touch
/// through calls of the C library, and not what keeps their threads apart. None of ours stands
/// here.
const char* __tsan_default_suppressions() {
    return "";
}

/// Qt starts programs in children that share its memory until they begin, which ends LLVM 14's
/// thread sanitizer with a failed check of its own. Here they are children as fork() makes them.
int clone(int (*body)(void*), void*, int flags, void* argument, ...) {
    va_list more;
    va_start(more, argument);
    int* const descriptor = va_arg(more, int*);
    va_end(more);
    const pid_t pid = fork();
    if (pid == 0) _exit(body(argument));
    if (pid > 0 && (flags & CLONE_PIDFD) != 0)
        *descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    return pid;
}

/// LLVM's OpenMP says to this tool of its own which of its threads waits for which.
__attribute__((constructor)) static void explain_openmp() {
    setenv("OMP_TOOL_LIBRARIES", HEADROOM_ARCHER, 0);
    setenv("TSAN_OPTIONS", "ignore_noninstrumented_modules=1", 0);  // it looks for this word
}

#endif

}  // extern "C"
