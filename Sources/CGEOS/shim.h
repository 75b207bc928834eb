// Every call then names the context that it belongs to.
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>
