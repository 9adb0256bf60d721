/* Does with a libhdf5 what lines of standard input say, and prints what came of each read: its result, the chunks that were
 * decoded, and a checksum of the values. Declares what it calls itself, so that it can be linked with any libhdf5 that is there.
 *
 *   F file path [slots bytes w0]               open a file, with a chunk cache for its datasets
 *   D dataset file path [slots bytes w0]       open a dataset, with a chunk cache of its own
 *   A dataset                                  read all of it
 *   H dataset start.. stride.. count.. block.. read a hyperslab
 *   U dataset start.. count.. start.. count..  read two blocks together
 *   P dataset number point..                   read elements
 *   B dataset element..                        read the chunk with an element as it is stored (with READ_CHUNK)
 *   R number dataset..                         read all of several datasets by one call (with MULTI)
 *   Y on                                       from now on, by H5Dread_async or not (with MULTI)
 *   M where type                               from now on, read to one of these places in memory: 0 without gaps, 1 where
 *                                              the elements are in the dataset, 2 every other element, 3 a block of a
 *                                              wider array, 4 where H5S_ALL says; and as one of these types: n that of this
 *                                              machine, f as it is stored, d, s, q, l, u a number (f8, f4, i8, i4, u8)
 *   T list                                     from now on, with this transfer list: 0 the default one, 1 a list like it, 2 one
 *                                              that doubles numbers, 3 with a conversion callback, 4 that ignores checksums,
 *                                              5 with a small buffer
 *   N on                                       from now on, read by one of two other threads in turn, or not
 *   K number                                   fork: the child does the next lines, and the process after it
 *   V offset byte path                         change a byte of a file
 *   C dataset, c file, x                       close a dataset, a file, the library; what was closed may be used again
 *
 * The filter 31999 leaves chunks as they are, and counts them.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef SHORT_IDS
typedef int hid_t;
#else
typedef int64_t hid_t;
#endif
typedef unsigned long long hsize_t;

extern int H5open(void);
extern int H5close(void);
extern hid_t H5Fopen(const char *, unsigned, hid_t);
extern int H5Fclose(hid_t);
extern hid_t H5Dopen2(hid_t, const char *, hid_t);
extern int H5Dclose(hid_t);
extern hid_t H5Dget_space(hid_t);
extern hid_t H5Dget_type(hid_t);
extern int H5Dread(hid_t, hid_t, hid_t, hid_t, hid_t, void *);
extern hid_t H5Tget_native_type(hid_t, int);
extern size_t H5Tget_size(hid_t);
extern int H5Tclose(hid_t);
extern hid_t H5Screate_simple(int, const hsize_t *, const hsize_t *);
extern int H5Sget_simple_extent_ndims(hid_t);
extern int64_t H5Sget_select_npoints(hid_t);
extern int H5Sselect_hyperslab(hid_t, int, const hsize_t *, const hsize_t *, const hsize_t *, const hsize_t *);
extern int H5Sselect_elements(hid_t, int, size_t, const hsize_t *);
extern int H5Sclose(hid_t);
extern hid_t H5Pcreate(hid_t);
extern int H5Pset_cache(hid_t, int, size_t, size_t, double);
extern int H5Pset_chunk_cache(hid_t, size_t, size_t, double);
extern int H5Pset_data_transform(hid_t, const char *);
extern int H5Pset_type_conv_cb(hid_t, int (*)(int, hid_t, hid_t, void *, void *, void *), void *);
extern int H5Pset_edc_check(hid_t, int);
extern int H5Pset_buffer(hid_t, size_t, void *, void *);
extern int H5Pclose(hid_t);
extern int H5Zregister(const void *);
extern hid_t H5T_NATIVE_DOUBLE_g, H5T_NATIVE_FLOAT_g, H5T_NATIVE_INT64_g, H5T_NATIVE_INT32_g, H5T_NATIVE_UINT64_g;
extern hid_t H5Tcopy(hid_t);
extern hid_t H5Scopy(hid_t);
extern int H5Sget_simple_extent_dims(hid_t, hsize_t *, hsize_t *);
extern int H5Eset_auto2(hid_t, void *, void *);
#ifdef OLD_NAMES
extern hid_t H5P_CLS_FILE_ACCESS_g, H5P_CLS_DATASET_ACCESS_g, H5P_CLS_DATASET_XFER_g;
#define TRANSFER H5P_CLS_DATASET_XFER_g
#define FILE_ACCESS H5P_CLS_FILE_ACCESS_g
#define DATASET_ACCESS H5P_CLS_DATASET_ACCESS_g
#else
extern hid_t H5P_CLS_FILE_ACCESS_ID_g, H5P_CLS_DATASET_ACCESS_ID_g, H5P_CLS_DATASET_XFER_ID_g;
#define TRANSFER H5P_CLS_DATASET_XFER_ID_g
#define FILE_ACCESS H5P_CLS_FILE_ACCESS_ID_g
#define DATASET_ACCESS H5P_CLS_DATASET_ACCESS_ID_g
#endif

static unsigned long decodes;

static size_t count(unsigned flags, size_t n, const unsigned *values, size_t bytes, size_t *size, void **buffer) {
    (void)n, (void)values, (void)size, (void)buffer;
    decodes += (flags & 0x0100) != 0;
    return bytes;
}

static const struct {
    int version, id;
    unsigned encoder, decoder;
    const char *name;
    void *can_apply, *set_local;
    size_t (*filter)(unsigned, size_t, const unsigned *, size_t, size_t *, void **);
} counting = {1, 31999, 1, 1, "count", NULL, NULL, count};

static hid_t files[64], datasets[64];

static hsize_t next(char **line) {
    return strtoull(*line, line, 10);
}

static void numbers(char **line, hsize_t *to, int rank) {
    for (int axis = 0; axis < rank; axis++) to[axis] = next(line);
}

#ifdef MULTI
extern int H5Dread_multi(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, void **);
extern int H5Dread_async(const char *, const char *, unsigned, hid_t, hid_t, hid_t, hid_t, hid_t, void *, hid_t);
extern hid_t H5EScreate(void);
extern int H5ESget_count(hid_t, size_t *);
extern int H5ESclose(hid_t);
#endif

#ifdef READ_CHUNK
extern int H5Dget_chunk_storage_size(hid_t, const hsize_t *, hsize_t *);
#if READ_CHUNK == 2
extern int H5Dread_chunk1(hid_t, hid_t, const hsize_t *, uint32_t *, void *);
extern int H5Dread_chunk2(hid_t, hid_t, const hsize_t *, uint32_t *, void *, size_t *);
#else
extern int H5Dread_chunk(hid_t, hid_t, const hsize_t *, uint32_t *, void *);
#endif
#endif

static int is_async = 0, where = 0, transfer_kind = 0;
static char as = 'n';

/* Leaves every conversion that fails to the library. */
static int unhandled(int kind, hid_t from, hid_t to, void *one, void *other, void *data) {
    (void)kind, (void)from, (void)to, (void)one, (void)other, (void)data;
    return 0;
}

static hid_t transfer_list(void) {
    if (!transfer_kind) return 0;
    hid_t list = H5Pcreate(TRANSFER);
    if (transfer_kind == 2) H5Pset_data_transform(list, "2*x");
    if (transfer_kind == 3) H5Pset_type_conv_cb(list, unhandled, NULL);
    if (transfer_kind == 4) H5Pset_edc_check(list, 0);
    if (transfer_kind == 5) H5Pset_buffer(list, 64, NULL, NULL);
    return list;
}

static hid_t memory_type(hid_t file_type) {
    switch (as) {
    case 'f': return H5Tcopy(file_type);
    case 'd': return H5Tcopy(H5T_NATIVE_DOUBLE_g);
    case 's': return H5Tcopy(H5T_NATIVE_FLOAT_g);
    case 'q': return H5Tcopy(H5T_NATIVE_INT64_g);
    case 'l': return H5Tcopy(H5T_NATIVE_INT32_g);
    case 'u': return H5Tcopy(H5T_NATIVE_UINT64_g);
    default: return H5Tget_native_type(file_type, 0);
    }
}

/* A dataspace for so many elements in memory, whose extent is returned in *size. */
static hid_t memory_space(hid_t space, hsize_t elements, hsize_t *size) {
    hsize_t start[2] = {1, 2}, stride[2] = {1, 2}, count[2] = {elements, 1}, dims[32];
    hid_t memory;
    *size = elements;
    if (where == 2) {
        *size = elements * 2 + 3;
        memory = H5Screate_simple(1, size, NULL);
        H5Sselect_hyperslab(memory, 0, start + 1, stride + 1, count, NULL);
        return memory;
    }
    if (where == 3) {
        dims[0] = elements + 1, dims[1] = 5, *size = dims[0] * dims[1];
        memory = H5Screate_simple(2, dims, NULL);
        H5Sselect_hyperslab(memory, 0, start, NULL, count, NULL);
        return memory;
    }
    if (where == 1 || where == 4) {
        int rank = H5Sget_simple_extent_dims(space, dims, NULL);
        *size = 1;
        for (int axis = 0; axis < rank; axis++) *size *= dims[axis];
        return where == 1 ? H5Scopy(space) : 0;
    }
    return H5Screate_simple(1, size, NULL);
}

static void print(int result, unsigned long before, const unsigned char *values, size_t bytes) {
    uint64_t sum = 14695981039346656037u;
    for (size_t byte = 0; result >= 0 && byte < bytes; byte++) sum = (sum ^ values[byte]) * 1099511628211u;
    printf("%d %lu %016llx\n", result, decodes - before, (unsigned long long)sum);
}

#ifdef READ_CHUNK
static void read_chunk(hid_t dataset, const hsize_t *element) {
    hsize_t size = 0;
    uint32_t filters = 0;
    H5Dget_chunk_storage_size(dataset, element, &size);
    unsigned char *values = calloc(size + 1, 1);
    unsigned long before = decodes;
#if READ_CHUNK == 2
    size_t room = size;
    int result = element[0] % 2 ? H5Dread_chunk1(dataset, 0, element, &filters, values)
                                : H5Dread_chunk2(dataset, 0, element, &filters, values, &room);
#else
    int result = H5Dread_chunk(dataset, 0, element, &filters, values);
#endif
    if (result < 0) printf("missing 0 0\n");
    else print(result, before, values, size);
    free(values);
}
#endif

#ifdef MULTI
static void read_several(size_t number, char *line) {
    hid_t of[64], types[64], spaces[64] = {0};
    void *values[64];
    size_t bytes[64];
    for (size_t at = 0; at < number; at++) {
        of[at] = datasets[next(&line)];
        hid_t file_type = H5Dget_type(of[at]), space = H5Dget_space(of[at]);
        types[at] = memory_type(file_type);
        bytes[at] = H5Tget_size(types[at]) * (size_t)H5Sget_select_npoints(space);
        values[at] = calloc(bytes[at] + 1, 1);
        H5Tclose(file_type);
        H5Sclose(space);
    }
    unsigned long before = decodes;
    int result = H5Dread_multi(number, of, types, spaces, spaces, 0, values);
    for (size_t at = 0; at < number; at++) {
        print(result, at ? decodes : before, values[at], bytes[at]);
        free(values[at]);
        H5Tclose(types[at]);
    }
}
#endif

static void read_selected(hid_t dataset, hid_t space) {
    if (space < 0) {
        int64_t value = 0;
        print(H5Dread(dataset, H5T_NATIVE_INT32_g, 0, 0, 0, &value), decodes, (unsigned char *)&value, sizeof value);
        return;
    }
    int64_t elements = H5Sget_select_npoints(space);
    hid_t file_type = H5Dget_type(dataset), type = memory_type(file_type);
    hsize_t size;
    hid_t memory = memory_space(space, (hsize_t)elements, &size);
    size_t bytes = H5Tget_size(type) * (size_t)size;
    unsigned char *values = calloc(bytes + 1, 1);
    unsigned long before = decodes;
    hid_t transfer = transfer_list();
    int result;
#ifdef MULTI
    if (is_async) {
        hid_t events = H5EScreate();
        size_t waiting = 99;
        result = H5Dread_async(__FILE__, __func__, __LINE__, dataset, type, memory, space, transfer, values, events);
        H5ESget_count(events, &waiting);
        values[bytes] = (unsigned char)waiting;
        H5ESclose(events);
    } else
#endif
        result = H5Dread(dataset, type, memory, space, transfer, values);
    print(result, before, values, bytes + 1);
    if (transfer) H5Pclose(transfer);
    free(values);
    if (memory) H5Sclose(memory);
    H5Tclose(type);
    H5Tclose(file_type);
}

/* Two threads that read in turn, one at a time. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    int is_started, turn, waiting;
    hid_t dataset, space;
} readers = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};

static void *reader(void *number) {
    pthread_mutex_lock(&readers.lock);
    for (;;) {
        while (!readers.waiting || readers.turn != (int)(intptr_t)number) pthread_cond_wait(&readers.change, &readers.lock);
        read_selected(readers.dataset, readers.space);
        readers.waiting = 0;
        pthread_cond_broadcast(&readers.change);
    }
    return NULL;
}

static int by_threads = 0;

static void read_by_some_thread(hid_t dataset, hid_t space) {
    if (!by_threads) {
        read_selected(dataset, space);
        return;
    }
    if (!readers.is_started) {
        pthread_t thread;
        for (intptr_t number = 0; number < 2; number++) pthread_create(&thread, NULL, reader, (void *)number);
        readers.is_started = 1;
    }
    pthread_mutex_lock(&readers.lock);
    readers.dataset = dataset, readers.space = space, readers.turn ^= 1, readers.waiting = 1;
    pthread_cond_broadcast(&readers.change);
    while (readers.waiting) pthread_cond_wait(&readers.change, &readers.lock);
    pthread_mutex_unlock(&readers.lock);
}

static void change_byte(hsize_t offset, int byte, const char *path) {
    int file = open(path, O_WRONLY);
    unsigned char value = (unsigned char)byte;
    if (file < 0 || pwrite(file, &value, 1, (off_t)offset) != 1) abort();
    close(file);
}

static hid_t with_cache(char *line, int is_file) {
    if (strspn(line, " \n") == strlen(line)) return 0;
    size_t slots = next(&line), bytes = next(&line);
    double w0 = strtod(line, NULL);
    hid_t list = H5Pcreate(is_file ? FILE_ACCESS : DATASET_ACCESS);
    if (is_file) H5Pset_cache(list, 0, slots, bytes, w0);
    else H5Pset_chunk_cache(list, slots, bytes, w0);
    return list;
}

int main(void) {
    /* All of it at once: a child has its own place in it. */
    static char script[1 << 20];
    script[fread(script, 1, sizeof script - 1, stdin)] = 0;
    int of_child = -1;
    H5open();
    H5Eset_auto2(0, NULL, NULL);
    H5Zregister(&counting);
    for (char *text = script, *after; (after = strchr(text, '\n')); text = after + 1) {
        *after = 0;
        char *line = text + 1, path[4096];
        hsize_t one[32], two[32], three[32], four[32];
        int number = (int)next(&line), length = 0;
        if (of_child == 0) {
            fflush(stdout);
            _exit(0);
        }
        if (of_child > 0) of_child--;
        if (text[0] == 'F') {
            sscanf(line, " %4095s%n", path, &length);
            hid_t list = with_cache(line + length, 1);
            files[number] = H5Fopen(path, 0, list);
            if (list) H5Pclose(list);
        } else if (text[0] == 'D') {
            int file = (int)next(&line);
            sscanf(line, " %4095s%n", path, &length);
            hid_t list = with_cache(line + length, 0);
            datasets[number] = H5Dopen2(files[file], path, list);
            if (list) H5Pclose(list);
        } else if (text[0] == 'T') {
            transfer_kind = number;
        } else if (text[0] == 'N') {
            by_threads = number;
        } else if (text[0] == 'V') {
            hsize_t offset = (hsize_t)number;
            int byte = (int)next(&line);
            sscanf(line, " %4095s", path);
            change_byte(offset, byte, path);
        } else if (text[0] == 'K') {
            fflush(stdout);
            pid_t child = fork();
            if (child == 0) {
                /* The threads are the parent's. */
                pthread_mutex_init(&readers.lock, NULL);
                pthread_cond_init(&readers.change, NULL);
                readers.is_started = 0, of_child = number;
            } else {
                int status;
                waitpid(child, &status, 0);
                printf("child %d\n", status);
            }
        } else if (text[0] == 'Y') {
            is_async = number;
#ifdef MULTI
        } else if (text[0] == 'R') {
            read_several((size_t)number, line);
#endif
#ifdef READ_CHUNK
        } else if (text[0] == 'B') {
            hid_t space = H5Dget_space(datasets[number]);
            numbers(&line, one, H5Sget_simple_extent_ndims(space));
            H5Sclose(space);
            read_chunk(datasets[number], one);
#endif
        } else if (text[0] == 'M') {
            where = number;
            sscanf(line, " %c", &as);
        } else if (text[0] == 'C') {
            H5Dclose(datasets[number]);
        } else if (text[0] == 'c') {
            H5Fclose(files[number]);
        } else if (text[0] == 'x') {
            H5close();
            memset(datasets, -1, sizeof datasets);
            H5open();
            H5Eset_auto2(0, NULL, NULL);
            H5Zregister(&counting);
        } else {
            hid_t space = H5Dget_space(datasets[number]);
            int rank = H5Sget_simple_extent_ndims(space);
            if (space < 0) {
                /* It was closed. */
            } else if (text[0] == 'H') {
                numbers(&line, one, rank), numbers(&line, two, rank), numbers(&line, three, rank), numbers(&line, four, rank);
                H5Sselect_hyperslab(space, 0, one, two, three, four);
            } else if (text[0] == 'U') {
                numbers(&line, one, rank), numbers(&line, two, rank), numbers(&line, three, rank), numbers(&line, four, rank);
                H5Sselect_hyperslab(space, 0, one, NULL, two, NULL);
                H5Sselect_hyperslab(space, 1, three, NULL, four, NULL);
            } else if (text[0] == 'P') {
                size_t points = next(&line);
                hsize_t *list = calloc(points * rank, sizeof *list);
                numbers(&line, list, (int)points * rank);
                H5Sselect_elements(space, 0, points, list);
                free(list);
            }
            read_by_some_thread(datasets[number], space);
            if (space >= 0) H5Sclose(space);
        }
    }
    return 0;
}
