/* Does with a libhdf5 what lines of standard input say, and prints what came of each read: its result, the chunks that were
 * decoded, and a checksum of the values. Declares what it calls itself, so that it can be linked with any libhdf5 that is there.
 *
 *   F file path [slots bytes w0]               open a file, with a chunk cache for its datasets
 *   D dataset file path [slots bytes w0]       open a dataset, with a chunk cache of its own
 *   A dataset                                  read all of it
 *   H dataset start.. stride.. count.. block.. read a hyperslab
 *   U dataset start.. count.. start.. count..  read two blocks together
 *   P dataset number point..                   read elements
 *   C dataset, c file, x                       close a dataset, a file, the library
 *
 * The filter 31999 leaves chunks as they are, and counts them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
extern int H5Pclose(hid_t);
extern int H5Zregister(const void *);
extern int H5Eset_auto2(hid_t, void *, void *);
#ifdef OLD_NAMES
extern hid_t H5P_CLS_FILE_ACCESS_g, H5P_CLS_DATASET_ACCESS_g;
#define FILE_ACCESS H5P_CLS_FILE_ACCESS_g
#define DATASET_ACCESS H5P_CLS_DATASET_ACCESS_g
#else
extern hid_t H5P_CLS_FILE_ACCESS_ID_g, H5P_CLS_DATASET_ACCESS_ID_g;
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

static void read_selected(hid_t dataset, hid_t space) {
    int64_t elements = H5Sget_select_npoints(space);
    hid_t file_type = H5Dget_type(dataset), type = H5Tget_native_type(file_type, 0);
    size_t bytes = H5Tget_size(type) * (size_t)elements;
    unsigned char *values = calloc(bytes + 1, 1);
    hsize_t size = (hsize_t)elements;
    hid_t memory = H5Screate_simple(1, &size, NULL);
    unsigned long before = decodes;
    int result = H5Dread(dataset, type, memory, space, 0, values);
    uint64_t sum = 14695981039346656037u;
    for (size_t byte = 0; result >= 0 && byte < bytes; byte++) sum = (sum ^ values[byte]) * 1099511628211u;
    printf("%d %lu %016llx\n", result, decodes - before, (unsigned long long)sum);
    free(values);
    H5Sclose(memory);
    H5Tclose(type);
    H5Tclose(file_type);
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
    static char text[1 << 20];
    H5open();
    H5Eset_auto2(0, NULL, NULL);
    H5Zregister(&counting);
    while (fgets(text, sizeof text, stdin)) {
        char *line = text + 1, path[4096];
        hsize_t one[32], two[32], three[32], four[32];
        int number = (int)next(&line), length = 0;
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
        } else if (text[0] == 'C') {
            H5Dclose(datasets[number]);
        } else if (text[0] == 'c') {
            H5Fclose(files[number]);
        } else if (text[0] == 'x') {
            H5close();
            H5open();
            H5Eset_auto2(0, NULL, NULL);
            H5Zregister(&counting);
        } else {
            hid_t space = H5Dget_space(datasets[number]);
            int rank = H5Sget_simple_extent_ndims(space);
            if (text[0] == 'H') {
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
            read_selected(datasets[number], space);
            H5Sclose(space);
        }
    }
    return 0;
}
