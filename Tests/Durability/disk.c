// Simulates a failing disk and records all changes. The library is preloaded into a program (LD_PRELOAD) and intercepts
// its calls on files below DISK_ROOT.
//
// DISK_CONTROL names a file that holds a struct control; the test maps the file and changes it while the program runs.
// DISK_LOG names a file to which every change is appended before it is made, and every fsync after it succeeded. From
// this log, the test can reconstruct the possible states after a power cut.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, TRUNCATE = 4, RENAME = 8, CREATE = 16, READ = 32, UNLINK = 64 };

struct control {
    // The calls that fail, as a bit mask, and their errno.
    int32_t calls;
    int32_t error;
    // The number of calls that succeed first, and the number that then fail (-1: all).
    int64_t spared;
    int64_t times;
    // The number of matching calls so far, and how many of them failed.
    int64_t seen;
    int64_t failed;
    // Whether a failing write stores half of its bytes.
    int32_t torn;
    int32_t padding;
};

static struct control nothing, *control = &nothing;
static char root[4096];
static size_t root_length;
static int log_file = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
// Whether each file descriptor refers to a file below the root.
static unsigned char ours[1 << 16];

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("DISK_ROOT");
    if (!name) return;
    root_length = strlen(name);
    memcpy(root, name, root_length + 1);
    if ((name = getenv("DISK_CONTROL"))) {
        int file = REAL(open)(name, O_RDWR | O_CLOEXEC);
        void *memory = mmap(0, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory != MAP_FAILED) control = memory;
    }
    if ((name = getenv("DISK_LOG"))) log_file = REAL(open)(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_below(const char *path) {
    return root_length && path && !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

static int is_ours(int file) { return file >= 0 && file < (int)sizeof ours && ours[file]; }

static int fails(int call) {
    if (!(control->calls & call)) return 0;
    int64_t number = __atomic_fetch_add(&control->seen, 1, __ATOMIC_SEQ_CST);
    if (number < control->spared) return 0;
    if (control->times >= 0 && number >= control->spared + control->times) return 0;
    __atomic_fetch_add(&control->failed, 1, __ATOMIC_SEQ_CST);
    errno = control->error;
    return 1;
}

struct record {
    char kind;
    char padding[7];
    int64_t time;
    uint64_t inode;
    int64_t offset;
    uint32_t name_size;
    uint32_t size;
};

static void note(char kind, uint64_t inode, int64_t offset, const char *name, const void *bytes, size_t size) {
    if (log_file < 0) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct record head = {kind, "", (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, inode, offset,
                          name ? strlen(name) : 0, size};
    int saved = errno;
    (void)!REAL(write)(log_file, &head, sizeof head);
    if (name) (void)!REAL(write)(log_file, name, head.name_size);
    if (size) (void)!REAL(write)(log_file, bytes, size);
    errno = saved;
}

static uint64_t inode_of(int file) {
    struct stat about;
    return fstat(file, &about) ? 0 : about.st_ino;
}

static int opened(int file, const char *path, int flags) {
    if (file < 0 || file >= (int)sizeof ours) return file;
    ours[file] = is_below(path);
    if (!ours[file]) return file;
    // The file has no name, but its inode number may be that of a deleted file.
    if (flags & __O_TMPFILE) note('C', inode_of(file), 0, "", 0, 0);
    if (flags & O_DIRECTORY) return file;
    if (flags & (O_CREAT | O_TRUNC)) note('C', inode_of(file), 0, path, 0, 0);
    if (flags & O_TRUNC) note('T', inode_of(file), 0, 0, 0, 0);
    return file;
}

#define OPEN(name)                                                                                                          \
    int name(const char *path, int flags, ...) {                                                                            \
        va_list rest;                                                                                                       \
        va_start(rest, flags);                                                                                              \
        int mode = va_arg(rest, int);                                                                                       \
        va_end(rest);                                                                                                       \
        if (is_below(path) && (flags & (O_CREAT | __O_TMPFILE)) && fails(CREATE)) return -1;                                \
        pthread_mutex_lock(&turn);                                                                                          \
        int file = opened(REAL(name)(path, flags, mode), path, flags);                                                      \
        pthread_mutex_unlock(&turn);                                                                                        \
        return file;                                                                                                        \
    }

OPEN(open)
OPEN(open64)

int close(int file) {
    if (file >= 0 && file < (int)sizeof ours) ours[file] = 0;
    return REAL(close)(file);
}

static ssize_t put(int file, const void *bytes, size_t size, off_t offset, int has_offset) {
    if (is_ours(file) && fails(WRITE)) {
        if (control->torn && size > 1) {
            if (has_offset) REAL(pwrite64)(file, bytes, size / 2, offset);
            else return REAL(write)(file, bytes, size / 2);
        }
        errno = control->error;
        return -1;
    }
    if (!is_ours(file) || log_file < 0) {
        return has_offset ? REAL(pwrite64)(file, bytes, size, offset) : REAL(write)(file, bytes, size);
    }
    pthread_mutex_lock(&turn);
    if (!has_offset) offset = lseek(file, 0, SEEK_CUR);
    note('W', inode_of(file), offset, 0, bytes, size);
    ssize_t written = has_offset ? REAL(pwrite64)(file, bytes, size, offset) : REAL(write)(file, bytes, size);
    pthread_mutex_unlock(&turn);
    return written;
}

ssize_t write(int file, const void *bytes, size_t size) { return put(file, bytes, size, 0, 0); }
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) { return put(file, bytes, size, offset, 1); }
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) { return put(file, bytes, size, offset, 1); }

#define GET(name, type)                                                                                                     \
    ssize_t name(int file, void *bytes, size_t size, type offset) {                                                         \
        return is_ours(file) && fails(READ) ? -1 : REAL(name)(file, bytes, size, offset);                                   \
    }

GET(pread, off_t)
GET(pread64, off64_t)

#define SYNCHRONIZE(name)                                                                                                   \
    int name(int file) {                                                                                                    \
        if (!is_ours(file)) return REAL(name)(file);                                                                        \
        if (fails(SYNC)) return -1;                                                                                         \
        pthread_mutex_lock(&turn);                                                                                          \
        char link[64], path[4096] = "";                                                                                     \
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);                                                              \
        (void)!readlink(link, path, sizeof path - 1);                                                                       \
        int code = REAL(name)(file);                                                                                        \
        if (code == 0) note('S', inode_of(file), 0, path, 0, 0);                                                            \
        pthread_mutex_unlock(&turn);                                                                                        \
        return code;                                                                                                        \
    }

SYNCHRONIZE(fsync)
SYNCHRONIZE(fdatasync)

#define CUT(name, type)                                                                                                     \
    int name(int file, type size) {                                                                                         \
        if (!is_ours(file)) return REAL(name)(file, size);                                                                  \
        if (fails(TRUNCATE)) return -1;                                                                                     \
        pthread_mutex_lock(&turn);                                                                                          \
        note('T', inode_of(file), size, 0, 0, 0);                                                                           \
        int code = REAL(name)(file, size);                                                                                  \
        pthread_mutex_unlock(&turn);                                                                                        \
        return code;                                                                                                        \
    }

CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)

int unlink(const char *path) {
    if (!is_below(path)) return REAL(unlink)(path);
    if (fails(UNLINK)) return -1;
    pthread_mutex_lock(&turn);
    int code = REAL(unlink)(path);
    if (code == 0) note('U', 0, 0, path, 0, 0);
    pthread_mutex_unlock(&turn);
    return code;
}

int rename(const char *from, const char *to) {
    if (!is_below(from) && !is_below(to)) return REAL(rename)(from, to);
    if (fails(RENAME)) return -1;
    pthread_mutex_lock(&turn);
    int code = REAL(rename)(from, to);
    // The new name is stored in place of data.
    if (code == 0) note('R', 0, 0, from, to, strlen(to));
    pthread_mutex_unlock(&turn);
    return code;
}

int mkdir(const char *path, mode_t mode) {
    if (!is_below(path)) return REAL(mkdir)(path, mode);
    if (fails(CREATE)) return -1;
    pthread_mutex_lock(&turn);
    int code = REAL(mkdir)(path, mode);
    if (code == 0) note('M', 0, 0, path, 0, 0);
    pthread_mutex_unlock(&turn);
    return code;
}
