#ifndef SPHERE_H
#define SPHERE_H

#include "CSpatiaLite.h"

#include <math.h>

// Arc lengths on the ellipsoid lie between the angle on the sphere of geodetic latitudes times its least radius of
// curvature, a(1-e^2) along the meridian at the equator, and times its greatest, a/sqrt(1-e^2) at the poles.
static const double LEAST_CURVATURE_RADIUS = 6335439.3, GREATEST_CURVATURE_RADIUS = 6399593.7;
static const double RADIANS = M_PI / 180;

/// (1 - cos x) / 2, the haversine, for |x| <= pi: Taylor's series of the cosine to x^20, of which the first term left out
/// is less than 1e-10 at pi. Several times faster than the library's, which the walk has no need of.
static inline double haversine(double x) {
    // Products with constants, since a division takes several times as long.
    double y = x * x;
    double near = 1 - y * (1.0 / 12) * (1 - y * (1.0 / 30) * (1 - y * (1.0 / 56)));
    if (y < 0.01) return y * 0.25 * near; // some 600 km: to 1e-13 of it
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

/// The cosine of another latitude (degrees, 0 to 90), to 1e-9: near by from that of the point.
static inline double cosine_near(const struct place *place, double lat) {
    double apart = (lat - fabs(place->lat)) * RADIANS, y = apart * apart;
    if (y > 0.01) return fmax(0, 1 - 2 * haversine(lat * RADIANS));
    double sine = apart * (1 - y * (1.0 / 6) * (1 - y * (1.0 / 20)));
    return fmax(0, place->cosine * (1 - 2 * haversine(apart)) - place->sine * sine);
}

/// A lower bound of the haversine between a point and a box of longitudes and latitudes (degrees); exact, but for the
/// rounding of the box, where the box is a point, as the entries of the leaves are.
static inline double haversine_to_box(const struct place *place, double west, double east, double south,
                                      double north) {
    double dlat = fmax(0, fmax(south - place->lat, place->lat - north));
    double least = haversine(dlat * RADIANS);
    double eastward = place->lon - west; // how far the point lies east of the western edge, to be brought into 0..360
    if (eastward < 0) eastward += 360;
    if (eastward >= 360) eastward -= 360;
    if (eastward <= east - west) return least;
    // Nearest is one of the two meridian edges, the one fewer degrees away.
    double past_east = eastward - (east - west), before_west = 360 - eastward;
    double dlon = fmin(fmin(past_east, before_west), 180) * RADIANS;
    // The cosine is least at the end that is farther from the equator.
    return least + place->cosine * cosine_near(place, fmax(fabs(south), fabs(north))) * haversine(dlon);
}

#endif
