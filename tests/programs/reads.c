/* Reads a dataset of floats as programs do, and says how long its calls of H5Dread took.
 *
 *   reads rows FILE DATASET COUNT       rows along the last dimension, one after the other: the program of the paper of 2015
 *   reads whole FILE DATASET            all of it by one call
 *   reads elements FILE DATASET COUNT   single elements of the first row, one after the other, again and again
 *
 * Prints the sum of what it read, the seconds inside all calls but the first, and their number. Declares what it calls itself, so that
 * it can be linked with any libhdf5 from 1.10 on that is there.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int64_t hid_t;
typedef unsigned long long hsize_t;

extern int H5open(void);
extern hid_t H5Fopen(const char *, unsigned, hid_t);
extern hid_t H5Dopen2(hid_t, const char *, hid_t);
extern hid_t H5Dget_space(hid_t);
extern int H5Dread(hid_t, hid_t, hid_t, hid_t, hid_t, void *);
extern hid_t H5Screate_simple(int, const hsize_t *, const hsize_t *);
extern int H5Sget_simple_extent_dims(hid_t, hsize_t *, hsize_t *);
extern int H5Sselect_hyperslab(hid_t, int, const hsize_t *, const hsize_t *, const hsize_t *, const hsize_t *);
extern hid_t H5T_NATIVE_FLOAT_g;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    H5open();
    hid_t file = H5Fopen(argv[2], 0, 0), dataset = H5Dopen2(file, argv[3], 0);
    hid_t space = H5Dget_space(dataset);
    hsize_t dims[32], start[32] = {0}, count[32], elements = 1;
    int rank = H5Sget_simple_extent_dims(space, dims, NULL), is_whole = !strcmp(argv[1], "whole");
    if (rank < 1) return 1;
    for (int axis = 0; axis < rank; axis++) elements *= dims[axis], count[axis] = 1;
    long calls = is_whole ? 1 : atol(argv[4]);
    int is_rows = !strcmp(argv[1], "rows");
    hsize_t read = is_whole ? elements : is_rows ? dims[rank - 1] : 1;
    if (is_rows) count[rank - 1] = dims[rank - 1];
    float *values = malloc(read * sizeof *values);
    hid_t memory = H5Screate_simple(1, &read, NULL);
    double sum = 0, began = now(), first = began;
    for (long call = 0; call < calls; call++) {
        if (is_rows) {
            hsize_t row = (hsize_t)call;
            for (int axis = rank - 2; axis >= 0; axis--) start[axis] = row % dims[axis], row /= dims[axis];
        } else if (!is_whole) {
            start[rank - 1] = (hsize_t)call % dims[rank - 1];
        }
        if (!is_whole) H5Sselect_hyperslab(space, 0, start, NULL, count, NULL);
        if (H5Dread(dataset, H5T_NATIVE_FLOAT_g, memory, is_whole ? 0 : space, 0, values) < 0) return 1;
        if (call == 0) first = now();
        sum += values[0];
    }
    double ended = now();
    printf("%.6f %.9f %ld\n", sum, is_whole ? first - began : ended - first, is_whole ? 1 : calls - 1);
    return 0;
}
