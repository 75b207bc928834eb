#include "picture.h"

#include <stdlib.h>

#include <lcms2.h>

static cmsHPROFILE srgb;

void prepare_colours(void) {
    srgb = cmsCreate_sRGBProfile();
    if (!srgb) give_up(OUT_OF_MEMORY);
}

/// Converts CMYK to RGB without a profile.
static void from_ink(const uint8_t *ink, uint8_t *light) {
    for (int c = 0; c < 3; c++) light[c] = (uint8_t)((255 - ink[c]) * (255 - ink[3]) / 255);
}

static struct picture from_plain(struct picture picture) {
    if (picture.channels == 3) return picture;
    size_t count = (size_t)picture.width * picture.height;
    for (size_t i = 0; i < count; i++) from_ink(picture.samples + 4 * i, picture.samples + 3 * i);
    picture.channels = 3;
    return picture;
}

/// Returns null if the profile is unusable for the picture.
static cmsHTRANSFORM transform_of(struct picture picture, struct file profile) {
    if (profile.size == 0) return 0;
    cmsHPROFILE from = cmsOpenProfileFromMem(profile.bytes, (cmsUInt32Number)profile.size);
    if (!from) return 0;
    int is_ink = picture.channels == 4;
    if (cmsGetColorSpace(from) != (is_ink ? cmsSigCmykData : cmsSigRgbData)) return 0;
    return cmsCreateTransform(from, is_ink ? TYPE_CMYK_8 : TYPE_RGB_8, srgb, TYPE_RGB_8, INTENT_PERCEPTUAL, 0);
}

struct picture make_srgb(struct picture picture, struct file profile) {
    cmsHTRANSFORM transform = transform_of(picture, profile);
    if (!transform) return from_plain(picture);
    struct picture converted = {picture.width, picture.height, 3, 0};
    converted.samples = take((size_t)picture.width * picture.height * 3);
    cmsDoTransform(transform, picture.samples, converted.samples, (cmsUInt32Number)(picture.width * picture.height));
    free(picture.samples);
    return converted;
}
