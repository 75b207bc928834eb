#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct picture fitted(int width, int height, int side) {
    struct picture picture = {width, height, 3, 0};
    int longer = width > height ? width : height;
    if (longer <= side) return picture;
    picture.width = (int)fmax(1, round((double)width * side / longer));
    picture.height = (int)fmax(1, round((double)height * side / longer));
    return picture;
}

struct shrinking shrink_to(struct picture from, struct picture to) {
    to.channels = from.channels;
    size_t row = (size_t)to.width * to.channels;
    to.samples = take(row * to.height);
    struct shrinking shrinking = {from, to, take(row * sizeof(float)), take(row * sizeof(float)), 0, 0};
    memset(shrinking.sums, 0, row * sizeof(float));
    return shrinking;
}

/// Computes the means over the columns that each output column covers; columns at the edges count in part.
static void shrink_across(struct shrinking *s, const uint8_t *row) {
    double step = (double)s->from.width / s->to.width;
    int channels = s->from.channels;
    for (int x = 0; x < s->to.width; x++) {
        double start = x * step, end = fmin((x + 1) * step, s->from.width);
        float sums[4] = {0};
        for (int column = (int)start; column < end; column++) {
            float weight = (float)(fmin(column + 1, end) - fmax(column, start));
            for (int c = 0; c < channels; c++) sums[c] += weight * row[column * channels + c];
        }
        for (int c = 0; c < channels; c++) s->across[x * channels + c] = sums[c] / (float)(end - start);
    }
}

static void finish_row(struct shrinking *s, double height) {
    size_t count = (size_t)s->to.width * s->to.channels;
    uint8_t *row = s->to.samples + count * s->done;
    for (size_t i = 0; i < count; i++) {
        row[i] = (uint8_t)fminf(255, s->sums[i] / (float)height + 0.5f);
        s->sums[i] = 0;
    }
    s->done++;
}

void shrink_row(struct shrinking *s, const uint8_t *row) {
    size_t count = (size_t)s->to.width * s->to.channels;
    double step = (double)s->from.height / s->to.height;
    shrink_across(s, row);
    double top = s->row, bottom = ++s->row;
    while (s->done < s->to.height && top < bottom) {
        double end = s->done == s->to.height - 1 ? s->from.height : (s->done + 1) * step;
        float weight = (float)(fmin(bottom, end) - top);
        for (size_t i = 0; i < count; i++) s->sums[i] += weight * s->across[i];
        if (end > bottom) return;
        finish_row(s, end - s->done * step);
        top = end;
    }
}

struct picture shrink(struct picture from, int side) {
    struct picture to = fitted(from.width, from.height, side);
    if (to.width == from.width && to.height == from.height) return from;
    struct shrinking shrinking = shrink_to(from, to);
    for (int y = 0; y < from.height; y++)
        shrink_row(&shrinking, from.samples + (size_t)y * from.width * from.channels);
    free(shrinking.sums);
    free(shrinking.across);
    return shrinking.to;
}

struct picture make_upright(struct picture from, int orientation) {
    if (orientation < 2 || orientation > 8) return from;
    int is_lying = orientation >= 5;
    struct picture to = {is_lying ? from.height : from.width, is_lying ? from.width : from.height, from.channels, 0};
    to.samples = take((size_t)to.width * to.height * to.channels);
    // EXIF 2.32, 4.6.4.A: the position of row 0 and column 0 of the stored picture.
    int from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    int from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    for (int y = 0; y < to.height; y++)
        for (int x = 0; x < to.width; x++) {
            int column = is_lying ? y : x, row = is_lying ? x : y;
            if (from_right) column = from.width - 1 - column;
            if (from_bottom) row = from.height - 1 - row;
            memcpy(to.samples + ((size_t)y * to.width + x) * to.channels,
                   from.samples + ((size_t)row * from.width + column) * from.channels, to.channels);
        }
    free(from.samples);
    return to;
}
