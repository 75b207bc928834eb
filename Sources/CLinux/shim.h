#include <linux/fs.h>

// glibc shows these only under _GNU_SOURCE, which Swift's module of glibc is built without.
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags);
int syncfs(int file);
int malloc_trim(unsigned long pad);
