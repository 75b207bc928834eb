#ifndef HEIF_H
#define HEIF_H

#include "picture.h"

/// Whether the file is a container of HEIC or AVIF.
int is_heif(struct file file);

/// Loads libheif, if it is installed. Must be called before the sandbox is entered.
void prepare_heif(void);

struct decoded decode_heif(struct file file, int side);

#endif
