#ifndef PICTURE_H
#define PICTURE_H

#include <stddef.h>
#include <stdint.h>

/// The exit status of the worker; the program that starts it uses the same numbers.
enum outcome {
    DONE = 0,
    WRONG_USE = 64,
    DAMAGED = 65,
    UNKNOWN_TYPE = 66,
    TOO_LARGE = 67,
    NO_SANDBOX = 69,
    OUT_OF_MEMORY = 70,
    HEIC = 71,
};

/// Ends the process without freeing memory, because it processes only one photo.
_Noreturn void give_up(enum outcome outcome);

/// Allocates memory, or ends the process if there is none.
void *take(size_t bytes);

/// The encoded file.
struct file {
    const uint8_t *bytes;
    size_t size;
};

/// A picture in rows from top to bottom, with 8 bits per channel: red, green, blue; or cyan, magenta, yellow, black.
struct picture {
    int width, height, channels;
    uint8_t *samples;
};

/// The result of decoding: the picture, not much larger than needed, and its metadata.
struct decoded {
    struct picture picture;
    /// The EXIF orientation, 1 to 8; 1 is upright.
    int orientation;
    struct file profile;
};

/// The maximum number of pixels of a photo.
#define MOST_PIXELS 50000000

/// Ends the process if a picture is empty or too large.
void check_size(uint64_t width, uint64_t height);

/// - Parameter side: The minimum length of the longer side in pixels, if the file has that many.
struct decoded decode_jpeg(struct file file, int side);
struct decoded decode_png(struct file file, int side);
struct decoded decode_webp(struct file file, int side);

/// Returns the orientation in a TIFF structure such as EXIF, or 1 if there is none.
int exif_orientation(struct file exif);

/// Returns the size of a picture scaled down so that the longer side is at most `side`; it is never enlarged.
struct picture fitted(int width, int height, int side);

/// Scales a picture down. Rows are added from top to bottom, and each output sample is the mean of the area that it
/// covers.
struct shrinking {
    struct picture from, to;
    float *sums; // of the current row of `to`
    float *across; // of one row of `from`, scaled in width
    int row, done;
};

struct shrinking shrink_to(struct picture from, struct picture to);
void shrink_row(struct shrinking *shrinking, const uint8_t *row);
struct picture shrink(struct picture from, int side);

struct picture make_upright(struct picture picture, int orientation);

/// The colours of a picture without a profile, as ITU-T H.273 numbers them.
struct code_points {
    int primaries, transfer;
    /// Chromaticities (x, y); 0 if the primaries are unknown.
    float white[2], colours[3][2];
};

/// Returns no profile for the colours of sRGB and for unknown ones.
struct file profile_of_code_points(struct code_points points);

/// Must be called before the sandbox is entered: profiles have dates, for which the library reads a time zone file.
void prepare_colours(void);

/// Converts to sRGB from the colours of the profile. Without a usable profile, the picture is taken as sRGB or plain
/// CMYK.
struct picture make_srgb(struct picture picture, struct file profile);

struct file encode_jpeg(struct picture picture);

#endif
