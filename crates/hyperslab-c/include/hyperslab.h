// hyperslab: HDF5 without performance cliffs. The interface for C.
//
// Link with -lhyperslab (pkg-config --cflags --libs hyperslab). Each function that can fail returns a status; HS_OK is 0, and
// hs_last_error() says what went wrong in this thread. Names and paths are UTF-8. What a function returns through a pointer to a
// pointer is the caller's, and given back by the function that its comment names. Files and datasets may be used by several threads at
// once; they may be closed in any order.

#ifndef HYPERSLAB_H
#define HYPERSLAB_H

#include <stddef.h>
#include <stdint.h>

// What came of a call.
typedef enum {
  // It succeeded.
  HS_OK = 0,
  // No such file, object or attribute.
  HS_NOT_FOUND = 1,
  // The file is no HDF5 file.
  HS_NOT_HDF5 = 2,
  // The file may be valid, but uses what this version does not read.
  HS_UNSUPPORTED = 3,
  // The file breaks the specification.
  HS_DAMAGED = 4,
  // A wrong argument: a selection out of range, a dataset at the path of a group, a buffer of another size, a null pointer.
  HS_INVALID = 5,
  // A limit that protects from hostile files was reached.
  HS_LIMIT = 6,
  // There was not enough memory.
  HS_OUT_OF_MEMORY = 7,
  // An error of the operating system or the network.
  HS_IO = 8,
  // The file changed while it was read.
  HS_CHANGED = 9,
  // The call was cancelled.
  HS_CANCELLED = 10,
  // A mistake in this library.
  HS_INTERNAL = 11,
} hs_status;

// A class of types.
typedef enum {
  // int8_t to int64_t; also enumerations of these, such as h5py's bool.
  HS_SIGNED = 0,
  // uint8_t to uint64_t; also enumerations of these.
  HS_UNSIGNED = 1,
  // float, double, and the half precision of two bytes.
  HS_FLOAT = 2,
  // Text, which hs_read_text() and hs_attribute_text() return.
  HS_TEXT = 3,
  // Anything else: its elements are read as the bytes of the file.
  HS_OTHER = 4,
} hs_class;

// A kind of objects.
typedef enum {
  // A group.
  HS_GROUP = 0,
  // A dataset.
  HS_DATASET = 1,
  // A committed datatype.
  HS_DATATYPE = 2,
} hs_kind_t;

// A dataset. Given back by hs_dataset_close().
typedef struct hs_dataset hs_dataset;

// A file. Given back by hs_close().
typedef struct hs_file hs_file;

// A list of texts. Given back by hs_strings_free().
typedef struct hs_strings hs_strings;

// The type of elements.
typedef struct {
  // Its class.
  hs_class class_;
  // The bytes of an element in memory.
  size_t bytes;
} hs_type;

// A chunk that is stored.
typedef struct {
  // The offset of its first byte in the file.
  uint64_t address;
  // Its bytes in the file.
  uint64_t stored_bytes;
  // Bit i is set if filter i was skipped.
  uint32_t filter_mask;
} hs_chunk;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The names of the attributes of the object at a path, sorted by their bytes. Given back by hs_strings_free().
hs_status hs_attributes(const hs_file *file,
                        const char *path,
                        hs_strings **names);

// The type and the number of dimensions of an attribute.
hs_status hs_attribute_type(const hs_file *file,
                            const char *path,
                            const char *name,
                            hs_type *type_,
                            size_t *rank);

// The extent of each dimension of an attribute.
hs_status hs_attribute_shape(const hs_file *file, const char *path, const char *name, uint64_t *shape);

// Reads an attribute. Numbers are in the byte order of this machine. The buffer must have the size of what is read.
hs_status hs_attribute_read(const hs_file *file,
                            const char *path,
                            const char *name,
                            void *buffer,
                            size_t bytes);

// Reads an attribute that is text. Given back by hs_strings_free().
hs_status hs_attribute_text(const hs_file *file, const char *path, const char *name, hs_strings **strings);

// The number of chunks that are stored.
hs_status hs_chunk_count(const hs_dataset *dataset, uint64_t *count);

// Calls `each` with every chunk that is stored, in row-major order: `offset` is the element at its corner, a number for each dimension;
// `data` is handed on. Ends where `each` returns something else than 0.
hs_status hs_chunks(const hs_dataset *dataset,
                    int32_t (*each)(const uint64_t *offset, const hs_chunk *chunk, void *data),
                    void *data);

// What a read of a block would do: its chunks, requests and filters; of all elements where both are null. Given back by hs_text_free().
hs_status hs_explain(const hs_dataset *dataset,
                     const uint64_t *start,
                     const uint64_t *count,
                     char **text);

// Opens a dataset.
hs_status hs_dataset_open(const hs_file *file, const char *path, hs_dataset **dataset);

// Closes a dataset. A null pointer is nothing.
//
void hs_dataset_close(hs_dataset *dataset);

// The number of dimensions; 0 for a single element.
hs_status hs_dataset_rank(const hs_dataset *dataset, size_t *rank);

// The extent of each dimension.
hs_status hs_dataset_shape(const hs_dataset *dataset, uint64_t *shape);

// The type of the elements, as they are read.
hs_status hs_dataset_type(const hs_dataset *dataset, hs_type *type_);

// The extent of a chunk. HS_INVALID if the dataset is not stored in chunks.
hs_status hs_dataset_chunk_shape(const hs_dataset *dataset, uint64_t *shape);

// The filters, in the words of `hyperslab repack --filter`, such as "shuffle+gzip=4"; empty where there are none. Given back by
// hs_text_free().
hs_status hs_dataset_filters(const hs_dataset *dataset,
                             char **filters);

// What the doctor finds in a file, or in one of its datasets where that is not null: the document of `hyperslab doctor --json`. Given
// back by hs_text_free().
hs_status hs_doctor(const char *path,
                    const char *dataset,
                    char **json);

// Opens a file: a path, or a URL (https://, s3://, gs://, az://).
hs_status hs_open(const char *path, hs_file **file);

// Closes a file. Datasets that were opened remain open. A null pointer is nothing.
//
void hs_close(hs_file *file);

// The names in a group ("/" is the root), sorted by their bytes.
hs_status hs_list(const hs_file *file, const char *group, hs_strings **names);

// What is at a path.
hs_status hs_kind(const hs_file *file, const char *path, hs_kind_t *kind);

// Reads a block of `count` elements along each dimension, the first at `start`; all elements where both are null. Numbers are in the
// byte order of this machine. The buffer must have the size of what is read.
hs_status hs_read(const hs_dataset *dataset,
                  const uint64_t *start,
                  const uint64_t *count,
                  void *buffer,
                  size_t bytes);

// Reads a hyperslab: `count` blocks of the extent `block` along each dimension, at distances of `stride`, the first at `start`, as
// H5Sselect_hyperslab() selects them. A null `stride` or `block` means 1 along each dimension.
hs_status hs_read_hyperslab(const hs_dataset *dataset,
                            const uint64_t *start,
                            const uint64_t *stride,
                            const uint64_t *count,
                            const uint64_t *block,
                            void *buffer,
                            size_t bytes);

// Reads a block of texts, of fixed or variable length; all where both are null. Given back by hs_strings_free().
hs_status hs_read_text(const hs_dataset *dataset,
                       const uint64_t *start,
                       const uint64_t *count,
                       hs_strings **strings);

// The version, such as "0.1.0".
const char *hs_version(void);

// The number of threads that decode, for all files of the process; as many as there are cores unless it is set before the first read.
hs_status hs_set_threads(size_t threads);

// The bytes of decoded chunks that are kept for later reads, for all files of the process together.
void hs_set_cache_bytes(size_t bytes);

// What went wrong in the last call of this thread that failed: one line, with the names of the file and the object. It is valid until
// the next call that fails.
const char *hs_last_error(void);

// A word for a status, such as "not-found".
const char *hs_status_name(int32_t status);

// The number of texts in a list; 0 for a null pointer.
//
size_t hs_strings_len(const hs_strings *strings);

// A text of a list, which ends with NUL and is valid until the list is given back; a null pointer beyond the end. Its length without
// that NUL is written to `len`, unless that is a null pointer: a text may contain NULs.
//
const char *hs_strings_get(const hs_strings *strings,
                           size_t index,
                           size_t *len);

// Gives a list back. A null pointer is nothing.
//
void hs_strings_free(hs_strings *strings);

// Gives a text back. A null pointer is nothing.
//
void hs_text_free(char *text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HYPERSLAB_H */
