/* Counts what libhdf5 does: decodes, by a filter that passes its bytes through; driver reads, by standing in front
 * of pread (and read). Preloaded into the process, so that libhdf5 finds these before those of the C library.
 *
 * Only reads that begin inside one of the ranges set by count_ranges are counted: chunks and contiguous raw data, not
 * the chunk index and object headers that are read in between.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static uint64_t decodes, reads, bytes, encoded;
static const uint64_t *range_starts, *range_ends;
static size_t range_count;

void count_reset(void) { decodes = reads = bytes = encoded = 0; }

uint64_t count_encodes(void) { return encoded; }

void count_get(uint64_t out[3]) {
    out[0] = decodes;
    out[1] = reads;
    out[2] = bytes;
}

/* Sorted, disjoint; the arrays stay the caller's. */
void count_ranges(size_t count, const uint64_t *starts, const uint64_t *ends) {
    range_count = count;
    range_starts = starts;
    range_ends = ends;
}

static void note(size_t length, uint64_t offset) {
    size_t low = 0, high = range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (range_starts[middle] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && offset < range_ends[low - 1]) {
        reads += 1;
        bytes += length;
    }
}

typedef ssize_t (*pread_t)(int, void *, size_t, off_t);

ssize_t pread(int fd, void *buffer, size_t length, off_t offset) {
    static pread_t next;
    if (!next)
        next = (pread_t)dlsym(RTLD_NEXT, "pread");
    note(length, (uint64_t)offset);
    return next(fd, buffer, length, offset);
}

ssize_t pread64(int fd, void *buffer, size_t length, off64_t offset) {
    static ssize_t (*next)(int, void *, size_t, off64_t);
    if (!next)
        next = (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
    note(length, (uint64_t)offset);
    return next(fd, buffer, length, offset);
}

/* libhdf5 before 1.10.5 seeks and reads. */
ssize_t read(int fd, void *buffer, size_t length) {
    static ssize_t (*next)(int, void *, size_t);
    if (!next)
        next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    if (range_count) {
        off_t offset = lseek(fd, 0, SEEK_CUR);
        if (offset >= 0)
            note(length, (uint64_t)offset);
    }
    return next(fd, buffer, length);
}

/* H5Z_func_t. Encoding fails for every cd[0]-th chunk (0: never), which an optional filter may: the chunk is then
 * stored with the filter masked out. */
size_t count_filter(unsigned flags, size_t cd_nelmts, const unsigned cd[], size_t nbytes, size_t *buf_size, void **buf) {
    static unsigned encodes;
    (void)buf_size;
    (void)buf;
    if (flags & 0x0100) {
        decodes += 1;
        return nbytes;
    }
    encodes += 1;
    encoded += 1;
    if (cd_nelmts > 0 && cd[0] > 0 && encodes % cd[0] == 0)
        return 0;
    return nbytes;
}
