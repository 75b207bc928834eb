#include "picture.h"

#include <string.h>

static uint32_t number(struct file exif, size_t at, int bytes) {
    int is_little = exif.bytes[0] == 'I';
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint32_t)exif.bytes[at + i] << 8 * (is_little ? i : bytes - 1 - i);
    return value;
}

// TIFF 6.0, section 2: a header, the offset of a directory, and its entries of 12 bytes.
int exif_orientation(struct file exif) {
    if (exif.size < 8 || (memcmp(exif.bytes, "II*\0", 4) != 0 && memcmp(exif.bytes, "MM\0*", 4) != 0)) return 1;
    size_t directory = number(exif, 4, 4);
    if (directory > exif.size - 2) return 1;
    size_t count = number(exif, directory, 2);
    for (size_t i = 0; i < count; i++) {
        size_t entry = directory + 2 + 12 * i;
        if (entry + 12 > exif.size) return 1;
        if (number(exif, entry, 2) != 0x0112) continue;
        uint32_t orientation = number(exif, entry + 8, 2);
        return orientation >= 1 && orientation <= 8 ? (int)orientation : 1;
    }
    return 1;
}
