// A library in front of the C library in a server of the proofs (LD_PRELOAD), for the files below one folder, PROVE_FOLDER.
//
// PROVE_RECORD=FILE  writes down, in order, what is done to those files: the material of the proof `power-cut`.
// PROVE_FULL=FILE    is mapped; while its first byte is 1, nothing may grow, and while it is 2, nothing may be written: the
//                    full disk of the proof `disk-full` where a small file system cannot be mounted.
// PROVE_CLOCK=FILE   is mapped; its first 8 bytes are the nanoseconds by which the wall clock is wrong: the proof `clock`.
//
// A record is: time (CLOCK_MONOTONIC, ns), kind, file, offset, length, each 8 bytes, and for writes and names the bytes. A
// write is recorded after it was made and before its caller knows; a sync twice, when it begins and when it has succeeded, so
// that it is only said to cover writes that were over before it began.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { NAME = 1, WRITE, TRUNCATE, SYNC_BEGINS, SYNC_ENDS, CREATE, RENAME, UNLINK, LINK };

#define DESCRIPTORS 65536
// The file that a descriptor is, plus one; 0 is any other.
static uint64_t files[DESCRIPTORS];
static char *names[4096];
static uint64_t name_count;
static int record = -1;
static volatile char *full;
static volatile int64_t *skew;
static char folder[PATH_MAX];
static size_t folder_length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(result, name, ...)                                   \
    static result (*real_##name)(__VA_ARGS__);                    \
    __attribute__((constructor(101))) static void find_##name(void) { *(void **)&real_##name = dlsym(RTLD_NEXT, #name); }

REAL(ssize_t, write, int, const void *, size_t)
REAL(ssize_t, pwrite, int, const void *, size_t, off_t)
REAL(ssize_t, writev, int, const struct iovec *, int)
REAL(int, ftruncate, int, off_t)
REAL(int, fsync, int)
REAL(int, fdatasync, int)
REAL(int, open, const char *, int, ...)
REAL(int, openat, int, const char *, int, ...)
REAL(int, close, int)
REAL(int, rename, const char *, const char *)
REAL(int, unlink, const char *)
REAL(int, link, const char *, const char *)
REAL(int, posix_fallocate, int, off_t, off_t)
REAL(int, clock_gettime, clockid_t, struct timespec *)

static void *mapped(const char *name) {
    if (!name) return NULL;
    void *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, real_open(name, O_RDONLY | O_CLOEXEC), 0);
    if (map == MAP_FAILED) abort();
    return map;
}

__attribute__((constructor(102))) static void begin(void) {
    full = mapped(getenv("PROVE_FULL"));
    skew = mapped(getenv("PROVE_CLOCK"));
    const char *name = getenv("PROVE_FOLDER");
    if (!name || !realpath(name, folder)) return;
    folder_length = strlen(folder);
    if ((name = getenv("PROVE_RECORD"))) record = real_open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = real_clock_gettime(clock, time);
    if (result == 0 && skew && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t now = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + *skew;
        time->tv_sec = now / 1000000000;
        time->tv_nsec = now % 1000000000;
    }
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return result;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}

// With the lock held.
static void note(enum kind kind, uint64_t file, uint64_t offset, const void *bytes, uint64_t length, int has_bytes) {
    if (record < 0) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t head[] = {(uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, kind, file, offset, length};
    struct iovec parts[] = {{head, sizeof head}, {(void *)bytes, has_bytes ? length : 0}};
    if (real_writev(record, parts, 2) != (ssize_t)(sizeof head + (has_bytes ? length : 0))) abort();
}

// With the lock held: the number of the file with this name, new if need be.
static uint64_t number_of(const char *name) {
    for (uint64_t i = 0; i < name_count; i++)
        if (strcmp(names[i], name) == 0) return i;
    if (name_count == sizeof names / sizeof *names) abort();
    names[name_count] = strdup(name);
    note(NAME, name_count, 0, name, strlen(name), 1);
    return name_count++;
}

// The path within the folder, or NULL.
static const char *within(int at, const char *path, char *buffer) {
    if (!folder_length) return NULL;
    if (path[0] != '/') {
        if (at != AT_FDCWD) return NULL;
        char here[PATH_MAX];
        if (!getcwd(here, sizeof here) || snprintf(buffer, PATH_MAX, "%s/%s", here, path) >= PATH_MAX) return NULL;
    } else if (snprintf(buffer, PATH_MAX, "%s", path) >= PATH_MAX) {
        return NULL;
    }
    if (strncmp(buffer, folder, folder_length) != 0) return NULL;
    if (buffer[folder_length] == 0) return "";
    return buffer[folder_length] == '/' ? buffer + folder_length + 1 : NULL;
}

static int opened(int descriptor, int at, const char *path, int flags, int existed) {
    char buffer[PATH_MAX];
    const char *name = descriptor >= 0 && descriptor < DESCRIPTORS ? within(at, path, buffer) : NULL;
    if (!name) return descriptor;
    pthread_mutex_lock(&lock);
    uint64_t file = number_of(name);
    files[descriptor] = file + 1;
    if (!existed) note(CREATE, file, 0, NULL, 0, 0);
    if (existed && (flags & O_TRUNC)) note(TRUNCATE, file, 0, NULL, 0, 0);
    pthread_mutex_unlock(&lock);
    return descriptor;
}

static int exists(int at, const char *path) {
    struct stat facts;
    return fstatat(at, path, &facts, 0) == 0;
}

#define MODE(flags)                                 \
    mode_t mode = 0;                                \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {        \
        va_list rest;                               \
        va_start(rest, flags);                      \
        mode = va_arg(rest, mode_t);                \
        va_end(rest);                               \
    }

static int open_it(int at, const char *path, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    int existed = exists(at, path);
    if (!existed && (flags & O_CREAT) && full && *full && within(at, path, buffer)) {
        errno = ENOSPC;
        return -1;
    }
    return opened(real_openat(at, path, flags, mode), at, path, flags, existed);
}

int open(const char *path, int flags, ...) { MODE(flags) return open_it(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_it(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) return open_it(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) return open_it(at, path, flags, mode); }

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) files[descriptor] = 0;
    return real_close(descriptor);
}

static uint64_t file_of(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS ? files[descriptor] : 0;
}

// Whether a write has no room; a full disk still accepts writes within a file.
static int has_no_room(int descriptor, off_t end) {
    struct stat facts;
    if (!full || !*full) return 0;
    if (*full == 1 && fstat(descriptor, &facts) == 0 && end <= facts.st_size) return 0;
    errno = ENOSPC;
    return 1;
}

static ssize_t write_at(int descriptor, const void *bytes, size_t length, off_t offset) {
    uint64_t file = file_of(descriptor);
    if (!file) return real_pwrite(descriptor, bytes, length, offset);
    if (has_no_room(descriptor, offset + (off_t)length)) return -1;
    pthread_mutex_lock(&lock);
    ssize_t written = real_pwrite(descriptor, bytes, length, offset);
    if (written > 0) note(WRITE, file - 1, (uint64_t)offset, bytes, (uint64_t)written, 1);
    pthread_mutex_unlock(&lock);
    return written;
}

ssize_t pwrite(int d, const void *bytes, size_t length, off_t offset) { return write_at(d, bytes, length, offset); }
ssize_t pwrite64(int d, const void *bytes, size_t length, off_t offset) { return write_at(d, bytes, length, offset); }

ssize_t write(int descriptor, const void *bytes, size_t length) {
    uint64_t file = file_of(descriptor);
    if (!file) return real_write(descriptor, bytes, length);
    off_t offset = lseek(descriptor, 0, fcntl(descriptor, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
    if (has_no_room(descriptor, offset + (off_t)length)) return -1;
    pthread_mutex_lock(&lock);
    ssize_t written = real_write(descriptor, bytes, length);
    if (written > 0) note(WRITE, file - 1, (uint64_t)offset, bytes, (uint64_t)written, 1);
    pthread_mutex_unlock(&lock);
    return written;
}

// The server does not write the files below the folder in these ways; if it starts to, the proof must report it.
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (file_of(descriptor)) abort();
    return real_writev(descriptor, parts, count);
}

static int truncate_it(int descriptor, off_t length) {
    uint64_t file = file_of(descriptor);
    if (!file) return real_ftruncate(descriptor, length);
    if (has_no_room(descriptor, length)) return -1;
    pthread_mutex_lock(&lock);
    int result = real_ftruncate(descriptor, length);
    if (result == 0) note(TRUNCATE, file - 1, (uint64_t)length, NULL, 0, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int ftruncate(int descriptor, off_t length) { return truncate_it(descriptor, length); }
int ftruncate64(int descriptor, off_t length) { return truncate_it(descriptor, length); }

static int allocate_it(int descriptor, off_t offset, off_t length) {
    if (file_of(descriptor) && has_no_room(descriptor, offset + length)) return ENOSPC;
    return real_posix_fallocate(descriptor, offset, length);
}

int posix_fallocate(int d, off_t offset, off_t length) { return allocate_it(d, offset, length); }
int posix_fallocate64(int d, off_t offset, off_t length) { return allocate_it(d, offset, length); }

static int sync_it(int descriptor, int (*real)(int)) {
    uint64_t file = file_of(descriptor);
    if (!file) return real(descriptor);
    pthread_mutex_lock(&lock);
    static uint64_t number;
    uint64_t mine = ++number;
    note(SYNC_BEGINS, file - 1, mine, NULL, 0, 0);
    pthread_mutex_unlock(&lock);
    int result = real(descriptor);
    if (result == 0) {
        pthread_mutex_lock(&lock);
        note(SYNC_ENDS, file - 1, mine, NULL, 0, 0);
        pthread_mutex_unlock(&lock);
    }
    return result;
}

int fsync(int descriptor) { return sync_it(descriptor, real_fsync); }
int fdatasync(int descriptor) { return sync_it(descriptor, real_fdatasync); }

static int name_anew(const char *from, const char *to, int (*real)(const char *, const char *), enum kind kind) {
    char first[PATH_MAX], second[PATH_MAX];
    const char *old = within(AT_FDCWD, from, first), *new = within(AT_FDCWD, to, second);
    pthread_mutex_lock(&lock);
    int result = real(from, to);
    if (result == 0 && old && new) note(kind, number_of(old), number_of(new), NULL, 0, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int rename(const char *from, const char *to) { return name_anew(from, to, real_rename, RENAME); }
int link(const char *from, const char *to) { return name_anew(from, to, real_link, LINK); }

int unlink(const char *path) {
    char buffer[PATH_MAX];
    const char *name = within(AT_FDCWD, path, buffer);
    pthread_mutex_lock(&lock);
    int result = real_unlink(path);
    if (result == 0 && name) note(UNLINK, number_of(name), 0, NULL, 0, 0);
    pthread_mutex_unlock(&lock);
    return result;
}
