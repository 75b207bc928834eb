#ifndef COPENINGHOURS_H
#define COPENINGHOURS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    opening_hours_open,
    opening_hours_closed,
    opening_hours_unknown, // such as by appointment
} opening_hours_state;

/// A time on the clocks of the place: the seconds since the clocks showed 1970-01-01 00:00, as if they had never been changed.
typedef int64_t opening_hours_time;

/// A time in which the state is the same.
typedef struct {
    opening_hours_state state;
    opening_hours_time begin, end; // INT64_MIN and INT64_MAX if there is none
    char comment[256];             // UTF-8, truncated; empty if there is none
} opening_hours_interval;

/// Where the hours are valid.
typedef struct {
    const char *country; // ISO 3166-1 alpha-2, for public holidays; empty if it is not known
    float lat;
    float lon; // degrees east of the meridian whose noon is at 12 on the clocks of the place, for sunrise and sunset
} opening_hours_place;

/// Reads a value of OpenStreetMap's `opening_hours`, and finds the interval that contains a time and the next one.
///
/// One caller is served at a time.
///
/// - Returns: the number of the intervals found, up to 2; 0 if the value cannot be read, or if it needs the holidays of a country that are
///   not known.
int opening_hours_find(const char *value, size_t length, opening_hours_place place, opening_hours_time time, opening_hours_interval found[2]);

#ifdef __cplusplus
}
#endif

#endif
