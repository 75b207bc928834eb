// HEIC and AVIF, decoded by libheif. The library is optional, and loaded only for such a photo: with its encoders, that
// takes longer than everything else that the worker does for a small photo.

#include "heif.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <dav1d/dav1d.h>
#include <libde265/de265.h>
#include <libheif/heif.h>

/// The maximum number of pixels of a picture with more than 8 bits per channel, which takes twice the memory.
static const uint64_t MOST_DEEP_PIXELS = 25000000;

#define FUNCTIONS(F) \
    F(heif_init) F(heif_context_alloc) F(heif_context_set_max_decoding_threads) \
    F(heif_context_read_from_memory_without_copy) F(heif_context_get_primary_image_handle) \
    F(heif_image_handle_get_width) F(heif_image_handle_get_height) F(heif_image_handle_get_ispe_width) \
    F(heif_image_handle_get_ispe_height) F(heif_image_handle_get_luma_bits_per_pixel) \
    F(heif_image_handle_is_premultiplied_alpha) F(heif_image_handle_get_raw_color_profile_size) \
    F(heif_image_handle_get_raw_color_profile) F(heif_image_handle_get_nclx_color_profile) F(heif_decode_image) \
    F(heif_image_get_width) F(heif_image_get_height) F(heif_image_get_bits_per_pixel_range) \
    F(heif_image_get_plane_readonly) F(heif_image_release) F(heif_image_handle_release) F(heif_context_free) \
    F(de265_set_parameter_bool) F(dav1d_open)

#define POINTER(name) __typeof__(&name) name;
static struct {
    FUNCTIONS(POINTER)
} library;

int is_heif(struct file file) {
    static const char *const brands[] = {"heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1", "avif", "avis"};
    // The brand is the second word of the first box.
    if (file.size < 12 || memcmp(file.bytes + 4, "ftyp", 4) != 0) return 0;
    for (unsigned i = 0; i < sizeof brands / sizeof *brands; i++)
        if (memcmp(file.bytes + 8, brands[i], 4) == 0) return 1;
    return 0;
}

static void *function(void *handle, const char *name) {
    void *found = dlsym(handle, name);
    if (!found) give_up(HEIC);
    return found;
}

void prepare_heif(void) {
    void *handle = dlopen("libheif.so.1", RTLD_NOW);
    if (!handle) give_up(HEIC);
#define LOAD(name) library.name = function(handle, #name);
    FUNCTIONS(LOAD)
    library.heif_init(0);
}

// libheif cannot set the options of its decoders, which start threads, and the sandbox forbids threads. But it calls the
// following two functions of this program instead of those in the libraries.

/// Does not start the thread of libde265, which then decodes in the thread of the caller. Damaged pictures are not
/// returned, as the default would be.
__attribute__((visibility("default")))
de265_error de265_start_worker_threads(de265_decoder_context *decoder, int count) {
    (void)count;
    library.de265_set_parameter_bool(decoder, DE265_DECODER_PARAM_SUPPRESS_FAULTY_PICTURES, 1);
    return DE265_OK;
}

__attribute__((visibility("default")))
int dav1d_open(Dav1dContext **context, const Dav1dSettings *settings) {
    Dav1dSettings own = *settings;
    own.n_threads = 1;
    own.frame_size_limit = MOST_PIXELS;
    return library.dav1d_open(context, &own);
}

static uint32_t number(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// Returns the size of the first box, and 0 if there is no whole one.
static size_t box_size(struct file boxes) {
    if (boxes.size < 8) return 0;
    uint32_t size = number(boxes.bytes);
    return size >= 8 && size <= boxes.size ? size : 0;
}

/// Returns the content of the first box of a type after its version and flags.
static struct file find_box(struct file boxes, const char *type) {
    for (size_t size; (size = box_size(boxes)) > 0; boxes.bytes += size, boxes.size -= size)
        if (memcmp(boxes.bytes + 4, type, 4) == 0 && size >= 12) return (struct file){boxes.bytes + 12, size - 12};
    return (struct file){0};
}

/// Returns a copy without the references of auxiliary pictures, thumbnails and metadata.
static struct file without_references(struct file file) {
    uint8_t *copy = take(file.size);
    memcpy(copy, file.bytes, file.size);
    struct file references = find_box(find_box((struct file){copy, file.size}, "meta"), "iref");
    for (size_t size; (size = box_size(references)) > 0; references.bytes += size, references.size -= size) {
        uint8_t *type = copy + (references.bytes - copy) + 4;
        if (memcmp(type, "auxl", 4) == 0 || memcmp(type, "thmb", 4) == 0 || memcmp(type, "cdsc", 4) == 0)
            memcpy(type, "skip", 4);
    }
    return (struct file){copy, file.size};
}

static void check(struct heif_error error) {
    switch (error.code) {
    case heif_error_Ok: return;
    case heif_error_Memory_allocation_error:
        give_up(error.subcode == heif_suberror_Security_limit_exceeded ? TOO_LARGE : OUT_OF_MEMORY);
    case heif_error_Unsupported_filetype:
    case heif_error_Unsupported_feature: give_up(HEIC);
    default: give_up(DAMAGED);
    }
}

/// The sizes that the file declares. Those of its coded pictures may differ: the decoders refuse large ones, or
/// the limit of the memory ends the process.
static void check_declared_size(const struct heif_image_handle *handle) {
    uint64_t width = (uint64_t)library.heif_image_handle_get_ispe_width(handle);
    uint64_t height = (uint64_t)library.heif_image_handle_get_ispe_height(handle);
    check_size(width, height);
    check_size((uint64_t)library.heif_image_handle_get_width(handle), (uint64_t)library.heif_image_handle_get_height(handle));
    if (library.heif_image_handle_get_luma_bits_per_pixel(handle) > 8 && width * height > MOST_DEEP_PIXELS)
        give_up(TOO_LARGE);
}

static struct file profile_of(const struct heif_image_handle *handle) {
    size_t size = library.heif_image_handle_get_raw_color_profile_size(handle);
    if (size > 0) {
        uint8_t *bytes = take(size);
        check(library.heif_image_handle_get_raw_color_profile(handle, bytes));
        return (struct file){bytes, size};
    }
    struct heif_color_profile_nclx *nclx;
    if (library.heif_image_handle_get_nclx_color_profile(handle, &nclx).code != heif_error_Ok) return (struct file){0};
    return profile_of_code_points((struct code_points){
        (int)nclx->color_primaries, (int)nclx->transfer_characteristics,
        {nclx->color_primary_white_x, nclx->color_primary_white_y},
        {{nclx->color_primary_red_x, nclx->color_primary_red_y},
         {nclx->color_primary_green_x, nclx->color_primary_green_y},
         {nclx->color_primary_blue_x, nclx->color_primary_blue_y}},
    });
}

/// The samples of a channel.
struct plane {
    const uint8_t *samples;
    int stride, bits;
};

static struct plane plane_of(const struct heif_image *image, enum heif_channel channel, struct picture size) {
    struct plane plane = {.samples = 0};
    plane.samples = library.heif_image_get_plane_readonly(image, channel, &plane.stride);
    if (!plane.samples) return plane;
    plane.bits = library.heif_image_get_bits_per_pixel_range(image, channel);
    // The picture of the alpha channel has a size of its own.
    if (library.heif_image_get_width(image, channel) < size.width
        || library.heif_image_get_height(image, channel) < size.height || plane.bits < 8 || plane.bits > 16)
        give_up(DAMAGED);
    return plane;
}

/// Writes the eight highest bits of each sample of a row.
static void copy_row(struct plane plane, int y, int width, uint8_t *to) {
    const uint8_t *row = plane.samples + (size_t)y * plane.stride;
    if (plane.bits == 8) {
        for (int x = 0; x < width; x++) to[3 * x] = row[x];
        return;
    }
    for (int x = 0; x < width; x++) {
        uint16_t sample;
        memcpy(&sample, row + 2 * (size_t)x, 2);
        to[3 * x] = (uint8_t)(sample >> (plane.bits - 8));
    }
}

static void lay_on_white(uint8_t *row, const uint8_t *alphas, int width, int is_premultiplied) {
    for (int x = 0; x < width; x++) {
        unsigned alpha = alphas[3 * x];
        for (int c = 0; c < 3; c++) {
            unsigned own = is_premultiplied ? row[3 * x + c] * 255u : row[3 * x + c] * alpha;
            unsigned sum = (own + 255 * (255 - alpha) + 127) / 255;
            row[3 * x + c] = (uint8_t)(sum < 255 ? sum : 255);
        }
    }
}

static struct picture shrunk(const struct heif_image *image, int side, int is_premultiplied) {
    struct picture whole = {.channels = 3};
    whole.width = library.heif_image_get_width(image, heif_channel_R);
    whole.height = library.heif_image_get_height(image, heif_channel_R);
    check_size((uint64_t)whole.width, (uint64_t)whole.height);
    struct plane planes[] = {plane_of(image, heif_channel_R, whole), plane_of(image, heif_channel_G, whole),
                             plane_of(image, heif_channel_B, whole)};
    struct plane alpha = plane_of(image, heif_channel_Alpha, whole);
    if (!planes[0].samples || !planes[1].samples || !planes[2].samples) give_up(DAMAGED);
    struct shrinking shrinking = shrink_to(whole, fitted(whole.width, whole.height, side));
    uint8_t *row = take((size_t)whole.width * 3), *alphas = take((size_t)whole.width * 3);
    for (int y = 0; y < whole.height; y++) {
        for (int c = 0; c < 3; c++) copy_row(planes[c], y, whole.width, row + c);
        if (alpha.samples) {
            copy_row(alpha, y, whole.width, alphas);
            lay_on_white(row, alphas, whole.width, is_premultiplied);
        }
        shrink_row(&shrinking, row);
    }
    free(row);
    free(alphas);
    return shrinking.to;
}

/// - Parameter error: Is set if the file is refused.
static struct heif_context *open_file(struct file file, struct heif_error *error) {
    struct heif_context *context = library.heif_context_alloc();
    if (!context) give_up(OUT_OF_MEMORY);
    library.heif_context_set_max_decoding_threads(context, 0);
    *error = library.heif_context_read_from_memory_without_copy(context, file.bytes, file.size, 0);
    return context;
}

struct decoded decode_heif(struct file file, int side) {
    struct heif_error error;
    struct heif_context *context = open_file(file, &error);
    if (error.code == heif_error_Invalid_input) {
        // In the files of iOS 18, metadata and auxiliary pictures belong to two pictures, of which the second one is a
        // "tmap" for displays with a high dynamic range. libheif before 1.18 refuses that.
        library.heif_context_free(context);
        context = open_file(without_references(file), &error);
    }
    check(error);
    struct heif_image_handle *handle;
    check(library.heif_context_get_primary_image_handle(context, &handle));
    check_declared_size(handle);
    struct heif_image *image;
    check(library.heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_444, 0));
    struct decoded decoded = {
        shrunk(image, side, library.heif_image_handle_is_premultiplied_alpha(handle)),
        // libheif turns the picture as the container says. EXIF must not turn it once more (ISO/IEC 23008-12).
        .orientation = 1,
        .profile = profile_of(handle),
    };
    library.heif_image_release(image);
    library.heif_image_handle_release(handle);
    library.heif_context_free(context);
    return decoded;
}
