#include "picture.h"

#include <stdlib.h>
#include <string.h>

#include <png.h>

/// The maximum number of pixels of a picture that is interlaced or has 16 bits per channel.
static const uint64_t MOST_SLOW_PIXELS = 16000000;

static void end(png_structp png, png_const_charp message) {
    (void)png;
    give_up(strstr(message, "memory") ? OUT_OF_MEMORY : DAMAGED);
}

static void be_quiet(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void read_bytes(png_structp png, png_bytep to, size_t count) {
    struct file *rest = png_get_io_ptr(png);
    if (count > rest->size) give_up(DAMAGED);
    memcpy(to, rest->bytes, count);
    rest->bytes += count;
    rest->size -= count;
}

static int orientation_of(png_structp png, png_infop info) {
    png_uint_32 size;
    png_bytep bytes;
    if (!png_get_eXIf_1(png, info, &size, &bytes)) return 1;
    return exif_orientation((struct file){bytes, size});
}

static struct file profile_of(png_structp png, png_infop info) {
    png_charp name;
    int method;
    png_bytep bytes;
    png_uint_32 size;
    if (!png_get_iCCP(png, info, &name, &method, &bytes, &size)) return (struct file){0};
    uint8_t *copy = take(size);
    memcpy(copy, bytes, size);
    return (struct file){copy, size};
}

/// Converts four channels to three by blending with a white background.
static void lay_on_white(uint8_t *row, int width) {
    for (int x = 0; x < width; x++) {
        unsigned alpha = row[4 * x + 3];
        for (int c = 0; c < 3; c++) row[3 * x + c] = (uint8_t)((row[4 * x + c] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
}

struct decoded decode_png(struct file file, int side) {
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, 0, end, be_quiet);
    png_infop info = png ? png_create_info_struct(png) : 0;
    if (!info) give_up(OUT_OF_MEMORY);
    // The limits are raised so that `check_size` reports a picture that is too large; otherwise libpng would report
    // damage.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png, 8 << 20);
    png_set_chunk_cache_max(png, 100);
    png_set_read_fn(png, &file, read_bytes);
    png_read_info(png, info);
    png_uint_32 width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    check_size(width, height);
    // Cameras write neither; both take several times as long per pixel.
    int is_slow = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE || png_get_bit_depth(png, info) == 16;
    if (is_slow && (uint64_t)width * height > MOST_SLOW_PIXELS) give_up(TOO_LARGE);
    struct decoded decoded = {.orientation = orientation_of(png, info), .profile = profile_of(png, info)};

    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    struct picture whole = {(int)width, (int)height, 3, 0};
    struct shrinking shrinking = shrink_to(whole, fitted(whole.width, whole.height, side));
    size_t stride = png_get_rowbytes(png, info);
    if (stride != 4 * (size_t)width) give_up(DAMAGED);
    // Interlaced rows are complete only after the last pass, so all of them are kept in memory.
    uint8_t *rows = take(passes > 1 ? stride * height : stride);
    for (int pass = 1; pass < passes; pass++)
        for (png_uint_32 y = 0; y < height; y++) png_read_row(png, rows + stride * y, 0);
    for (png_uint_32 y = 0; y < height; y++) {
        uint8_t *row = passes > 1 ? rows + stride * y : rows;
        png_read_row(png, row, 0);
        lay_on_white(row, whole.width);
        shrink_row(&shrinking, row);
    }
    png_read_end(png, 0);
    if (decoded.orientation == 1) decoded.orientation = orientation_of(png, info);
    free(rows);
    decoded.picture = shrinking.to;
    return decoded;
}
