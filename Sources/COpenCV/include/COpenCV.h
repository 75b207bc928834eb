#ifndef COPENCV_H
#define COPENCV_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A neural network that serves one caller at a time, on the caller's thread.
typedef struct opencv_network opencv_network;

/// An error message in English, truncated to the size of the buffer.
typedef struct {
    char text[512];
} opencv_failure;

/// A picture, or a part of one: rows from the top, three bytes per pixel (red, green, blue).
typedef struct {
    const uint8_t *rgb;
    int width, height; // pixels, at least 1
    size_t stride;     // the bytes from the beginning of a row to that of the next one
} opencv_picture;

/// The input that a network expects.
typedef struct {
    int width, height;     // pixels, at least 1
    int covers;            // 0: the whole picture is stretched; otherwise its centre is cut out
    double crop;           // above 0, at most 1: the side of the cut relative to the covered area
    float mean[3], std[3]; // red, green, blue, for values from 0 to 1
} opencv_input;

/// Reads a network in ONNX format and runs it once in a separate process, because OpenCV crashes on some malformed
/// files and loops for a long time in others. Exceptions in that process are ignored.
///
/// - Parameters:
///   - width: The width of the input in pixels. All values of its planes are 0.
///   - seconds: The time limit in seconds.
/// - Returns: 0, or -1 with the failure if the process crashed or exceeded the time limit.
int opencv_network_try(
    const void *onnx, size_t count, int width, int height, unsigned seconds, opencv_failure *failure);

/// Reads a network in ONNX format. Returns NULL with the failure if that fails.
opencv_network *opencv_network_create(const void *onnx, size_t count, opencv_failure *failure);

void opencv_network_free(opencv_network *network);

/// Resizes, crops and normalizes a picture into planes of `width` x `height`: all red, all green, all blue. Pixels are
/// averaged if the picture shrinks (INTER_AREA) and interpolated if a side grows (INTER_LINEAR). A long strip is first
/// cropped to its centre, eight times as long as the covered area.
///
/// - Returns: 0, or -1 with the failure.
int opencv_picture_prepare(
    const opencv_picture *picture, const opencv_input *input, float *planes, opencv_failure *failure);

/// Numbers that a network returns.
typedef struct {
    float *values;
    size_t most;   // the capacity of `values`
    int64_t count; // the number that the network returned, of which at most `most` were written
    int columns;   // of a grid, whose numbers come row by row; otherwise 0
} opencv_numbers;

/// Runs the network on three planes of `width` x `height`.
///
/// - Parameters:
///   - node: The name of an ONNX node, or of the output of a node without a name. Its output is returned as features:
///     for maps, the mean of each channel. NULL for none. It should be the same each time, because OpenCV arranges its
///     memory anew for another one.
///   - features: Unused without a node.
///   - activity: For maps, the mean over the channels of each of their cells; otherwise no numbers. Unused without a node;
///     NULL if it is not wanted.
/// - Returns: 0, or -1 with the failure.
int opencv_network_run(
    opencv_network *network, const float *planes, int width, int height, const char *node, opencv_numbers *outputs,
    opencv_numbers *features, opencv_numbers *activity, opencv_failure *failure);

#ifdef __cplusplus
}
#endif

#endif
