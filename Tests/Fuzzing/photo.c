// A libFuzzer target for the photo decoders, which runs the code of `photo-worker` without its process.

// The command line defines free as `give_back`, so that the worker's sources call that function.
#undef free
#include "../../Sources/photo-worker/heif.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf refusal;
static void *taken[64];
static int count;

// The worker ends its process here, which frees its memory. The fuzz target returns to `setjmp` instead.
_Noreturn void give_up(enum outcome outcome) {
    longjmp(refusal, (int)outcome);
}

void *take(size_t bytes) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory) give_up(OUT_OF_MEMORY);
    if (count < 64) taken[count++] = memory;
    return memory;
}

void give_back(void *memory) {
    for (int i = 0; i < count; i++) {
        if (taken[i] == memory) taken[i] = taken[--count];
    }
    free(memory);
}

void check_size(uint64_t width, uint64_t height) {
    if (width == 0 || height == 0) give_up(DAMAGED);
    // The limits are lower than the worker's: large pictures take more time and execute the same code.
    if (width > 4000 || height > 4000 || width * height > 1000000) give_up(TOO_LARGE);
}

int LLVMFuzzerInitialize(int *arguments, char ***values) {
    (void)arguments, (void)values;
    prepare_colours();
    if (setjmp(refusal) != 0) __builtin_trap();
    prepare_heif();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static int side = 160;
    struct file file = {bytes, size};
    count = 0;
    if (setjmp(refusal) == 0) {
        struct decoded decoded;
        if (size >= 3 && memcmp(bytes, "\xFF\xD8\xFF", 3) == 0) decoded = decode_jpeg(file, side);
        else if (size >= 8 && memcmp(bytes, "\x89PNG\r\n\x1A\n", 8) == 0) decoded = decode_png(file, side);
        else if (size >= 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0) decoded = decode_webp(file, side);
        else if (is_heif(file)) decoded = decode_heif(file, side);
        else return -1;
        struct picture picture = make_upright(make_srgb(shrink(decoded.picture, side), decoded.profile), decoded.orientation);
        struct file jpeg = encode_jpeg(picture);
        // The output must be a JPEG file.
        if (jpeg.size < 4 || memcmp(jpeg.bytes, "\xFF\xD8\xFF", 3) != 0) __builtin_trap();
    }
    while (count > 0) free(taken[--count]);
    return 0;
}
