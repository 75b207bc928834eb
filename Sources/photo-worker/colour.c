#include "picture.h"

#include <math.h>
#include <stdlib.h>

#include <lcms2.h>

static cmsHPROFILE srgb;

void prepare_colours(void) {
    srgb = cmsCreate_sRGBProfile();
    if (!srgb) give_up(OUT_OF_MEMORY);
}

/// Light that is brighter than a white page, which pictures with a high dynamic range show, is compressed; 1 is the page.
static double compressed(double light) {
    return light <= 0.5 ? light : 1 - 0.5 * exp(1 - 2 * light);
}

/// In cd/m2, of a white page (ITU-R BT.2408).
static const double PAGE = 203;

/// SMPTE ST 2084, "PQ".
static double light_of_pq(double value) {
    double root = pow(value, 1 / 78.84375);
    double light = pow(fmax(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125);
    return compressed(light * 10000 / PAGE);
}

/// ITU-R BT.2100, "HLG", on a display of 1000 cd/m2.
static double light_of_hlg(double value) {
    double scene = value <= 0.5 ? value * value / 3 : (exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12;
    return compressed(pow(scene, 1.2) * 1000 / PAGE);
}

static cmsToneCurve *curve_of(double (*light)(double)) {
    cmsFloat32Number values[1024];
    for (int i = 0; i < 1024; i++) values[i] = (cmsFloat32Number)light(i / 1023.0);
    return cmsBuildTabulatedToneCurveFloat(0, 1024, values);
}

static cmsToneCurve *curve_of_transfer(int transfer) {
    static const cmsFloat64Number usual[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    switch (transfer) {
    case 4: return cmsBuildGamma(0, 2.2);
    case 5: return cmsBuildGamma(0, 2.8);
    case 8: return cmsBuildGamma(0, 1);
    case 16: return curve_of(light_of_pq);
    case 18: return curve_of(light_of_hlg);
    // Browsers show films' curves (1, 6, 14, 15) like that of sRGB (13).
    default: return cmsBuildParametricToneCurve(0, 4, usual);
    }
}

struct file profile_of_code_points(struct code_points points) {
    int transfer = points.transfer;
    int is_usual = transfer != 4 && transfer != 5 && transfer != 8 && transfer != 16 && transfer != 18;
    int is_unknown = points.white[1] <= 0;
    if (is_unknown || (points.primaries == 1 && is_usual)) return (struct file){0};
    cmsCIExyY white = {points.white[0], points.white[1], 1}, colours[3];
    for (int c = 0; c < 3; c++) colours[c] = (cmsCIExyY){points.colours[c][0], points.colours[c][1], 1};
    cmsToneCurve *curve = curve_of_transfer(transfer);
    cmsCIExyYTRIPLE primaries = {colours[0], colours[1], colours[2]};
    cmsHPROFILE profile = cmsCreateRGBProfile(&white, &primaries, (cmsToneCurve *[]){curve, curve, curve});
    cmsUInt32Number size = 0;
    if (!profile || !cmsSaveProfileToMem(profile, 0, &size)) return (struct file){0};
    uint8_t *bytes = take(size);
    if (!cmsSaveProfileToMem(profile, bytes, &size)) return (struct file){0};
    return (struct file){bytes, size};
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
