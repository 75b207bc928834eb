#include <linux/fs.h>
#include <stdbool.h>
#include <sys/timex.h>

// glibc shows these only under _GNU_SOURCE, which Swift's module of glibc is built without.
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags);
int syncfs(int file);
int malloc_trim(unsigned long pad);

// Whether the kernel knows that a time service keeps the clock right.
static inline bool clock_is_synchronized(void) {
    struct timex state = {0};
    int result = adjtimex(&state);
    return result >= 0 && result != TIME_ERROR;
}
