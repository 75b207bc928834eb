#ifndef COPENCV_H
#define COPENCV_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A neural network, ready to answer one caller at a time on that caller's thread.
typedef struct opencv_network opencv_network;

/// Why something failed, in English, cut off where it is longer.
typedef struct {
    char text[512];
} opencv_failure;

/// A picture: rows from the top, three bytes a pixel, red, green, blue, without gaps.
typedef struct {
    const uint8_t *rgb;
    int width, height; // pixels, at least 1
} opencv_picture;

/// What a network wants to be shown.
typedef struct {
    int width, height;     // pixels, at least 1
    int covers;            // 0: the whole picture is squeezed; else its centre is cut out
    double crop;           // above 0, at most 1: the side of the cut relative to what is covered
    float mean[3], std[3]; // red, green, blue, of values from 0 to 1
} opencv_input;

/// Reads a network in ONNX format and runs it once, in a process of its own: OpenCV crashes on some malformed files, and
/// loops for long in others. What it throws there is no matter here.
///
/// - Parameters:
///   - width: of the input, in pixels; its planes are all 0.
///   - seconds: how long that may take.
/// - Returns: 0, or -1 with the failure where that process crashed or took longer.
int opencv_network_try(
    const void *onnx, size_t count, int width, int height, unsigned seconds, opencv_failure *failure);

/// Reads a network in ONNX format; NULL where that fails.
opencv_network *opencv_network_create(const void *onnx, size_t count, opencv_failure *failure);

void opencv_network_free(opencv_network *network);

/// Resizes, cuts and normalises a picture into planes of `width` x `height`: all red, all green, all blue. Pixels are
/// averaged where the picture shrinks (INTER_AREA), interpolated where a side of it grows (INTER_LINEAR). A strip is first
/// cut to the centre of it, eight times as long as what is covered.
///
/// - Returns: 0, or -1 with the failure.
int opencv_picture_prepare(
    const opencv_picture *picture, const opencv_input *input, float *planes, opencv_failure *failure);

/// Shows the network three planes of `width` x `height`.
///
/// - Parameter most: how many outputs there is room for.
/// - Returns: how many outputs the network has, of which no more than `most` are written; -1 with the failure.
int64_t opencv_network_run(
    opencv_network *network, const float *planes, int width, int height, float *outputs, size_t most,
    opencv_failure *failure);

#ifdef __cplusplus
}
#endif

#endif
