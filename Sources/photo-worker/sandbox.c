#define _GNU_SOURCE
#include "sandbox.h"
#include "picture.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <seccomp.h>

/// In bytes. A progressive JPEG of 50 million pixels without subsampling needs 300 MB for its coefficients.
static const rlim_t MOST_MEMORY = 640 << 20;

static void limit(__rlimit_resource_t resource, rlim_t most) {
    struct rlimit limit = {most, most};
    if (setrlimit(resource, &limit) != 0) give_up(NO_SANDBOX);
}

void enter_sandbox(unsigned seconds) {
    // The call fails on kernels before 5.9. The descriptors then stay open, but the worker does not use
    // them.
    close_range(3, ~0U, 0);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, 9);
    limit(RLIMIT_AS, MOST_MEMORY);
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_CORE, 0);

    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!filter) give_up(NO_SANDBOX);
    const int allowed[] = {SCMP_SYS(write), SCMP_SYS(exit_group), SCMP_SYS(exit), SCMP_SYS(brk), SCMP_SYS(munmap),
                           SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(rt_sigreturn), SCMP_SYS(futex)};
    int code = 0;
    for (unsigned i = 0; i < sizeof allowed / sizeof *allowed; i++)
        code |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    // Memory may be mapped, but not as executable.
    code |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
                             SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (code != 0 || seccomp_load(filter) != 0) give_up(NO_SANDBOX);
}
