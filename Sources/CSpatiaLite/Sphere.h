#ifndef SPHERE_H
#define SPHERE_H

#include "CSpatiaLite.h"

#include <math.h>

// An arc on the ellipsoid is at least as long as the angle on the sphere of geodetic latitudes times the minimum radius
// of curvature, a(1-e^2) along the meridian at the equator, and at most as long as that angle times the maximum radius,
// a/sqrt(1-e^2) at the poles. Both are in metres.
static const double LEAST_CURVATURE_RADIUS = 6335439.3, GREATEST_CURVATURE_RADIUS = 6399593.7;
static const double RADIANS = M_PI / 180;

/// Returns the haversine (1 - cos x) / 2 for |x| <= pi, by the Taylor series of the cosine up to x^20; the first
/// omitted term is less than 1e-10 at pi. This is several times faster than the library function, whose precision the
/// walk of the tree does not need.
static inline double haversine(double x) {
    // Constants are multiplied because a division takes several times as long.
    double y = x * x;
    double near = 1 - y * (1.0 / 12) * (1 - y * (1.0 / 30) * (1 - y * (1.0 / 56)));
    if (y < 0.01) return y * 0.25 * near; // up to about 600 km: relative error 1e-13
    double series = 1 - y * (1.0 / 380) * (1 - y * (1.0 / 462));
    series = 1 - y * (1.0 / 306) * series;
    series = 1 - y * (1.0 / 240) * series;
    series = 1 - y * (1.0 / 182) * series;
    series = 1 - y * (1.0 / 132) * series;
    series = 1 - y * (1.0 / 90) * series;
    series = 1 - y * (1.0 / 56) * series;
    series = 1 - y * (1.0 / 30) * series;
    series = 1 - y * (1.0 / 12) * series;
    return y * 0.25 * series;
}

static inline struct place place_at(double lon, double lat) {
    double cosine = fmax(0, 1 - 2 * haversine(lat * RADIANS));
    return (struct place){lon, lat, cosine, sqrt(1 - cosine * cosine)};
}

/// Returns the cosine of another latitude (degrees, 0 to 90) with an error of 1e-9. A near latitude is computed from
/// that of the point.
static inline double cosine_near(const struct place *place, double lat) {
    double apart = (lat - fabs(place->lat)) * RADIANS, y = apart * apart;
    if (y > 0.01) return fmax(0, 1 - 2 * haversine(lat * RADIANS));
    double sine = apart * (1 - y * (1.0 / 6) * (1 - y * (1.0 / 20)));
    return fmax(0, place->cosine * (1 - 2 * haversine(apart)) - place->sine * sine);
}

/// Returns a lower bound of the haversine between a point and a box in degrees. If the box is a point, as for leaf
/// entries, the result is exact except for the rounding of the box.
static inline double haversine_to_box(const struct place *place, double west, double east, double south,
                                      double north) {
    double dlat = fmax(0, fmax(south - place->lat, place->lat - north));
    double least = haversine(dlat * RADIANS);
    double eastward = place->lon - west; // degrees from the western edge eastward to the point, normalized to 0..360
    if (eastward < 0) eastward += 360;
    if (eastward >= 360) eastward -= 360;
    if (eastward <= east - west) return least;
    // The nearest point is on the meridian edge that is fewer degrees away.
    double past_east = eastward - (east - west), before_west = 360 - eastward;
    double dlon = fmin(fmin(past_east, before_west), 180) * RADIANS;
    // The cosine has its minimum at the end that is farther from the equator.
    return least + place->cosine * cosine_near(place, fmax(fabs(south), fabs(north))) * haversine(dlon);
}

#endif
