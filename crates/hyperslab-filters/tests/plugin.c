/* An HDF5 filter plug-in for the tests: inverts every byte. Its client data selects what it does wrong.
 *
 * The declarations are those of H5PLextern.h and H5Zpublic.h, which need not be installed. ID, VERSION and MISSING are given
 * to the compiler.
 */
#include <stdlib.h>
#include <string.h>

typedef struct {
    int         version;
    int         id;
    unsigned    has_encoder;
    unsigned    has_decoder;
    const char *name;
    void       *can_apply;
    void       *set_local;
    size_t (*filter)(unsigned, size_t, const unsigned *, size_t, size_t *, void **);
} filter_class;

enum { WORK = 0, FAIL = 1, GROW = 2, LIE = 3, COUNT = 4 };

#ifdef MISSING
extern int H5E_CALLBACK_g;
#endif

/* How many calls are under way; more than one at a time would be wrong. */
static volatile int under_way = 0;

static size_t
invert(unsigned flags, size_t count, const unsigned *values, size_t bytes, size_t *allocated, void **buffer)
{
    unsigned char *data = *buffer;
    size_t         i;
    unsigned       mode = count > 0 ? values[0] : WORK;

#ifdef MISSING
    mode += H5E_CALLBACK_g;
#endif
    (void)flags;
    if (mode == FAIL)
        return 0;
    if (mode == COUNT && __sync_fetch_and_add(&under_way, 1) != 0)
        return 0;
    for (i = 0; i < bytes; i++)
        data[i] = (unsigned char)~data[i];
    if (mode == COUNT)
        __sync_fetch_and_sub(&under_way, 1);
    if (mode == GROW) {
        void *larger = calloc(2, bytes);
        memcpy(larger, data, bytes);
        free(*buffer);
        *buffer    = larger;
        *allocated = 2 * bytes;
        return 2 * bytes;
    }
    if (mode == LIE)
        return *allocated + 1;
    return bytes;
}

static const filter_class class = {VERSION, ID, 1, 1, "invert", NULL, NULL, invert};

int
H5PLget_plugin_type(void)
{
    return 0;
}

const void *
H5PLget_plugin_info(void)
{
    return &class;
}
