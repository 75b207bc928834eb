// The functions of libpq that the program calls, without linking it: `libpq_load` loads the library, so that a service
// that stores its data in SpatiaLite neither needs nor starts it.

#pragma once

#include <stdio.h>

// Hidden, so that these functions do not take the place of the ones of the library within it.
#pragma GCC visibility push(hidden)
#include <postgresql/libpq-fe.h>
#pragma GCC visibility pop

/// Loads libpq once. Returns null, or why it cannot be loaded. No other function may be called before.
const char *_Nullable libpq_load(void);
