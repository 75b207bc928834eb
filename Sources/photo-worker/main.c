// Converts one untrusted photo to JPEGs that are safe to serve: upright, in sRGB, without metadata.
//
//     photo-worker LARGEST_FILE PIXELS SIDE... <photo >frames
//
// The program reads the photo, enters a sandbox, decodes the photo once, and writes one frame for each SIDE, from the
// largest to the smallest. A frame is four 32-bit numbers (kind 0, width, height, size; little-endian) and a JPEG whose
// longer side is at most SIDE. If PIXELS is not 0, it also writes one frame of kind 1 with the raw red, green and blue
// samples of a picture whose longer side is at most PIXELS. The exit status is an `outcome`.

#include "heif.h"
#include "picture.h"
#include "sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void give_up(enum outcome outcome) {
    _exit(outcome);
}

void *take(size_t bytes) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory) give_up(OUT_OF_MEMORY);
    return memory;
}

void check_size(uint64_t width, uint64_t height) {
    if (width == 0 || height == 0) give_up(DAMAGED);
    // The first two checks prevent an overflow of the product.
    if (width > MOST_PIXELS || height > MOST_PIXELS || width * height > MOST_PIXELS) give_up(TOO_LARGE);
}

static struct file read_input(size_t most) {
    size_t size = 0, room = 1 << 20;
    uint8_t *bytes = take(room);
    while (1) {
        if (size == room) {
            if (room > most) give_up(TOO_LARGE);
            bytes = realloc(bytes, room *= 2);
            if (!bytes) give_up(OUT_OF_MEMORY);
        }
        ssize_t count = read(STDIN_FILENO, bytes + size, room - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) give_up(DAMAGED);
        if (count == 0) break;
        size += (size_t)count;
    }
    if (size > most) give_up(TOO_LARGE);
    return (struct file){bytes, size};
}

static struct decoded decode(struct file file, int side) {
    const uint8_t *b = file.bytes;
    if (file.size >= 3 && memcmp(b, "\xFF\xD8\xFF", 3) == 0) return decode_jpeg(file, side);
    if (file.size >= 8 && memcmp(b, "\x89PNG\r\n\x1A\n", 8) == 0) return decode_png(file, side);
    if (file.size >= 12 && memcmp(b, "RIFF", 4) == 0 && memcmp(b + 8, "WEBP", 4) == 0) return decode_webp(file, side);
    if (is_heif(file)) return decode_heif(file, side);
    give_up(UNKNOWN_TYPE);
}

static void write_all(const void *bytes, size_t size) {
    const uint8_t *rest = bytes;
    while (size > 0) {
        ssize_t count = write(STDOUT_FILENO, rest, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) give_up(WRONG_USE);
        rest += count;
        size -= (size_t)count;
    }
}

static void write_frame(uint32_t kind, struct picture picture, struct file content) {
    uint32_t header[] = {kind, (uint32_t)picture.width, (uint32_t)picture.height, (uint32_t)content.size};
    write_all(header, sizeof header);
    write_all(content.bytes, content.size);
}

static int number(const char *text) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < 0 || value > 1 << 30) give_up(WRONG_USE);
    return (int)value;
}

int main(int count, char **arguments) {
    if (count < 4) give_up(WRONG_USE);
    struct file file = read_input((size_t)number(arguments[1]));
    int pixels = number(arguments[2]), largest = number(arguments[3]);
    prepare_colours();
    if (is_heif(file)) prepare_heif();
    // HEIC of 48 megapixels and 14 MB takes 4 seconds.
    enter_sandbox(is_heif(file) ? 8 : 4);
    struct decoded decoded = decode(file, largest);
    // In this order, each step processes the fewest pixels.
    struct picture picture = shrink(decoded.picture, largest);
    picture = make_upright(make_srgb(picture, decoded.profile), decoded.orientation);
    for (int i = 3; i < count; i++) {
        picture = shrink(picture, number(arguments[i]));
        write_frame(0, picture, encode_jpeg(picture));
        if (pixels > 0 && (i + 1 == count || number(arguments[i + 1]) < pixels)) {
            struct picture small = shrink(picture, pixels);
            write_frame(1, small, (struct file){small.samples, (size_t)small.width * small.height * 3});
            pixels = 0;
        }
    }
    return DONE;
}
