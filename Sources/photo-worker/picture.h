#ifndef PICTURE_H
#define PICTURE_H

#include <stddef.h>
#include <stdint.h>

/// How the worker ends; the program that started it knows these numbers.
enum outcome {
    DONE = 0,
    WRONG_USE = 64,
    DAMAGED = 65,
    UNKNOWN_TYPE = 66,
    TOO_LARGE = 67,
    NO_SANDBOX = 69,
    OUT_OF_MEMORY = 70,
};

/// Ends the process: it serves one photo, and what it holds goes with it.
_Noreturn void give_up(enum outcome outcome);

/// Memory or nothing: ends the process where there is none.
void *take(size_t bytes);

/// The file as it came.
struct file {
    const uint8_t *bytes;
    size_t size;
};

/// A picture in rows from top to bottom, 8 bits a channel: red, green, blue; or cyan, magenta, yellow, black.
struct picture {
    int width, height, channels;
    uint8_t *samples;
};

/// What decoding a file gives: the picture, no larger than is of use, and what its file says of it.
struct decoded {
    struct picture picture;
    /// As in EXIF, 1 to 8; 1 for a picture that is upright.
    int orientation;
    struct file profile;
};

/// Of a photo, pixels in all.
#define MOST_PIXELS 50000000

/// Gives up where a picture has no size, or too much.
void check_size(uint64_t width, uint64_t height);

/// - Parameter side: what the longer side should have at least, where the file has it.
struct decoded decode_jpeg(struct file file, int side);
struct decoded decode_png(struct file file, int side);
struct decoded decode_webp(struct file file, int side);

/// The orientation that a TIFF structure, as EXIF holds it, tells; 1 where it tells none.
int exif_orientation(struct file exif);

/// The size of a picture whose longer side is cut to `side`; never larger than it was.
struct picture fitted(int width, int height, int side);

/// Rows come in from top to bottom, and each sample of the smaller picture is the mean of the area it stands for.
struct shrinking {
    struct picture from, to;
    float *sums; // of the row of `to` at work
    float *across; // of one row of `from`, shrunk in width
    int row, done;
};

struct shrinking shrink_to(struct picture from, struct picture to);
void shrink_row(struct shrinking *shrinking, const uint8_t *row);
struct picture shrink(struct picture from, int side);

struct picture make_upright(struct picture picture, int orientation);

/// Before the sandbox: a profile is dated, for which the library looks up the time zone in a file.
void prepare_colours(void);

/// To sRGB, from the colours that the profile describes or, without a useful one, from sRGB or plain CMYK.
struct picture make_srgb(struct picture picture, struct file profile);

struct file encode_jpeg(struct picture picture);

#endif
