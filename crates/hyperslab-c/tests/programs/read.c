/* Reads a file by every function of hyperslab.h, and says what it found.
 *
 *   cc read.c $(pkg-config --cflags --libs hyperslab) -o read && ./read FILE
 */
#include <hyperslab.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(hs_status status) {
    if (status == HS_OK) return;
    fprintf(stderr, "%s: %s\n", hs_status_name(status), hs_last_error());
    exit(1);
}

static void print_shape(const uint64_t *shape, size_t rank) {
    for (size_t axis = 0; axis < rank; axis++) printf("%s%" PRIu64, axis ? "x" : "", shape[axis]);
}

static void print_attributes(const hs_file *file, const char *path) {
    hs_strings *names, *texts;
    check(hs_attributes(file, path, &names));
    for (size_t at = 0; at < hs_strings_len(names); at++) {
        const char *name = hs_strings_get(names, at, NULL);
        hs_type type;
        size_t rank;
        uint64_t shape[32] = {0}, elements = 1;
        check(hs_attribute_type(file, path, name, &type, &rank));
        check(hs_attribute_shape(file, path, name, shape));
        for (size_t axis = 0; axis < rank; axis++) elements *= shape[axis];
        printf("  @%s =", name);
        if (type.class_ == HS_TEXT) {
            check(hs_attribute_text(file, path, name, &texts));
            for (size_t text = 0; text < hs_strings_len(texts); text++) printf(" \"%s\"", hs_strings_get(texts, text, NULL));
            hs_strings_free(texts);
        } else if (type.class_ == HS_FLOAT && type.bytes == 8) {
            double *values = malloc(elements * 8 + 1);
            check(hs_attribute_read(file, path, name, values, elements * 8));
            for (uint64_t value = 0; value < elements; value++) printf(" %g", values[value]);
            free(values);
        }
        printf("\n");
    }
    hs_strings_free(names);
}

static int count_chunk(const uint64_t *offset, const hs_chunk *chunk, void *data) {
    (void)offset;
    *(uint64_t *)data += chunk->stored_bytes;
    return 0;
}

static void print_dataset(const hs_file *file, const char *path) {
    hs_dataset *dataset;
    hs_type type;
    hs_strings *texts;
    size_t rank;
    uint64_t shape[32], chunk[32], elements = 1, chunks, stored = 0;
    char *filters, *text;
    check(hs_dataset_open(file, path, &dataset));
    check(hs_dataset_rank(dataset, &rank));
    check(hs_dataset_shape(dataset, shape));
    check(hs_dataset_type(dataset, &type));
    for (size_t axis = 0; axis < rank; axis++) elements *= shape[axis];
    printf("%s ", path);
    print_shape(shape, rank);
    printf(" class %d of %zu bytes", (int)type.class_, type.bytes);
    if (hs_dataset_chunk_shape(dataset, chunk) == HS_OK) {
        check(hs_dataset_filters(dataset, &filters));
        check(hs_chunk_count(dataset, &chunks));
        check(hs_chunks(dataset, count_chunk, &stored));
        printf(", %" PRIu64 " chunks of ", chunks);
        print_shape(chunk, rank);
        printf(" (%s), %" PRIu64 " bytes", filters, stored);
        hs_text_free(filters);
    }
    printf("\n");
    print_attributes(file, path);
    if (type.class_ == HS_TEXT) {
        check(hs_read_text(dataset, NULL, NULL, &texts));
        if (hs_strings_len(texts)) printf("  first: \"%s\"\n", hs_strings_get(texts, 0, NULL));
        hs_strings_free(texts);
    } else if (type.class_ == HS_FLOAT && type.bytes == 4) {
        double sum = 0;
        float *values = malloc(elements * 4 + 1);
        check(hs_read(dataset, NULL, NULL, values, elements * 4));
        for (uint64_t value = 0; value < elements; value++) sum += values[value];
        printf("  sum: %g\n", sum);
        if (rank == 2) {
            uint64_t start[2] = {0, 1}, stride[2] = {2, 1}, count[2] = {(shape[0] + 1) / 2, 1};
            check(hs_read_hyperslab(dataset, start, stride, count, NULL, values, count[0] * 4));
            for (sum = 0, elements = 0; elements < count[0]; elements++) sum += values[elements];
            printf("  sum of every other element of the second column: %g\n", sum);
        }
        free(values);
        check(hs_explain(dataset, NULL, NULL, &text));
        printf("  the plan has %s\n", strlen(text) > 0 ? "a text" : "nothing");
        hs_text_free(text);
    }
    hs_dataset_close(dataset);
}

static void walk(const hs_file *file, const char *group) {
    hs_strings *names;
    check(hs_list(file, group, &names));
    for (size_t at = 0; at < hs_strings_len(names); at++) {
        char path[4096];
        hs_kind_t kind;
        snprintf(path, sizeof path, "%s/%s", strcmp(group, "/") ? group : "", hs_strings_get(names, at, NULL));
        check(hs_kind(file, path, &kind));
        if (kind == HS_GROUP) walk(file, path);
        if (kind == HS_DATASET) print_dataset(file, path);
    }
    hs_strings_free(names);
}

int main(int argc, char **argv) {
    hs_file *file;
    char *json;
    if (argc != 2) return 2;
    check(hs_set_threads(2));
    hs_set_cache_bytes(64 << 20);
    check(hs_open(argv[1], &file));
    print_attributes(file, "/");
    walk(file, "/");
    check(hs_doctor(argv[1], NULL, &json));
    printf("the doctor: %.14s\n", json);
    hs_text_free(json);
    printf("%s", hs_dataset_open(file, "/missing", NULL) == HS_NOT_FOUND ? "/missing is not found\n" : "");
    hs_close(file);
    fprintf(stderr, "hyperslab %s\n", hs_version());
    return 0;
}
