#include "picture.h"

#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

static struct file chunk(WebPDemuxer *demuxer, const char *name) {
    WebPChunkIterator found;
    if (!WebPDemuxGetChunk(demuxer, name, 1, &found)) return (struct file){0};
    return (struct file){found.chunk.bytes, found.chunk.size};
}

/// Removes the prefix of JPEG's EXIF segments, which some programs write.
static struct file without_prefix(struct file exif) {
    int has_prefix = exif.size > 6 && memcmp(exif.bytes, "Exif\0\0", 6) == 0;
    return has_prefix ? (struct file){exif.bytes + 6, exif.size - 6} : exif;
}

static void lay_on_white(struct picture picture, const uint8_t *rgba) {
    size_t count = (size_t)picture.width * picture.height;
    for (size_t i = 0; i < count; i++) {
        unsigned alpha = rgba[4 * i + 3];
        for (int c = 0; c < 3; c++)
            picture.samples[3 * i + c] = (uint8_t)((rgba[4 * i + c] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
}

struct decoded decode_webp(struct file file, int side) {
    WebPData data = {file.bytes, file.size};
    WebPDemuxState state;
    WebPDemuxer *demuxer = WebPDemuxPartial(&data, &state);
    if (!demuxer || state != WEBP_DEMUX_DONE) give_up(DAMAGED);
    check_size(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH), WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT));
    struct decoded decoded = {
        .orientation = exif_orientation(without_prefix(chunk(demuxer, "EXIF"))),
        .profile = chunk(demuxer, "ICCP"),
    };
    // Only the first frame of an animation is used.
    WebPIterator frame;
    if (!WebPDemuxGetFrame(demuxer, 1, &frame)) give_up(DAMAGED);
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)
        || WebPGetFeatures(frame.fragment.bytes, frame.fragment.size, &config.input) != VP8_STATUS_OK)
        give_up(DAMAGED);
    check_size((uint64_t)config.input.width, (uint64_t)config.input.height);
    struct picture picture = fitted(config.input.width, config.input.height, side);
    config.options.use_scaling = picture.width != config.input.width || picture.height != config.input.height;
    config.options.scaled_width = picture.width;
    config.options.scaled_height = picture.height;
    config.output.colorspace = MODE_RGBA;
    VP8StatusCode code = WebPDecode(frame.fragment.bytes, frame.fragment.size, &config);
    if (code != VP8_STATUS_OK) give_up(code == VP8_STATUS_OUT_OF_MEMORY ? OUT_OF_MEMORY : DAMAGED);
    picture.samples = take((size_t)picture.width * picture.height * 3);
    lay_on_white(picture, config.output.u.RGBA.rgba);
    WebPFreeDecBuffer(&config.output);
    decoded.picture = picture;
    return decoded;
}
