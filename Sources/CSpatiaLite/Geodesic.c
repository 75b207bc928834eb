#include "CSpatiaLite.h"
#include "Sphere.h"

#include <geodesic.h>

static const double EQUATORIAL_RADIUS = 6378137.0, FLATTENING = 1 / 298.257223563; // WGS 84

double geodesic_inverse(double lon1, double lat1, double lon2, double lat2) {
    struct geod_geodesic ellipsoid;
    geod_init(&ellipsoid, EQUATORIAL_RADIUS, FLATTENING);
    double metres;
    geod_inverse(&ellipsoid, lat1, lon1, lat2, lon2, &metres, 0, 0);
    return metres;
}

/// Vincenty, "Direct and inverse solutions of geodesics on the ellipsoid with application of nested equations", Survey
/// Review 23 (1975), 88-93. For points near each other the method always converges, with an error below a micrometre.
static double vincenty(double lon1, double lat1, double lon2, double lat2) {
    const double f = FLATTENING, polar_radius = EQUATORIAL_RADIUS * (1 - f);
    double tan1 = (1 - f) * tan(lat1 * RADIANS), cos1 = 1 / sqrt(1 + tan1 * tan1), sin1 = tan1 * cos1;
    double tan2 = (1 - f) * tan(lat2 * RADIANS), cos2 = 1 / sqrt(1 + tan2 * tan2), sin2 = tan2 * cos2;
    double difference = (lon2 - lon1) * RADIANS, lambda = difference, before;
    double sigma, sin_sigma, cos_sigma, cos2_alpha, middle;
    int rounds = 0;
    do {
        double sin_lambda = sin(lambda), cos_lambda = cos(lambda);
        double x = cos2 * sin_lambda, y = cos1 * sin2 - sin1 * cos2 * cos_lambda;
        sin_sigma = sqrt(x * x + y * y);
        if (sin_sigma == 0) return 0;
        cos_sigma = sin1 * sin2 + cos1 * cos2 * cos_lambda;
        sigma = atan2(sin_sigma, cos_sigma);
        double sin_alpha = cos1 * cos2 * sin_lambda / sin_sigma;
        cos2_alpha = 1 - sin_alpha * sin_alpha;
        middle = cos2_alpha > 0 ? cos_sigma - 2 * sin1 * sin2 / cos2_alpha : 0; // the equator has no vertex
        double c = f / 16 * cos2_alpha * (4 + f * (4 - 3 * cos2_alpha));
        before = lambda;
        lambda = difference
            + (1 - c) * f * sin_alpha
                * (sigma + c * sin_sigma * (middle + c * cos_sigma * (2 * middle * middle - 1)));
    } while (fabs(lambda - before) > 1e-13 && ++rounds < 20);
    double u2 = cos2_alpha * (EQUATORIAL_RADIUS * EQUATORIAL_RADIUS / (polar_radius * polar_radius) - 1);
    double a = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)));
    double b = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)));
    double correction = b * sin_sigma
        * (middle
           + b / 4
               * (cos_sigma * (2 * middle * middle - 1)
                  - b / 6 * middle * (4 * sin_sigma * sin_sigma - 3) * (4 * middle * middle - 3)));
    return polar_radius * a * (sigma - correction);
}

double geodesic_distance(double lon1, double lat1, double lon2, double lat2) {
    int is_near = fabs(lon1 - lon2) < 1 && fabs(lat1 - lat2) < 1 && fabs(lat1) < 85;
    return is_near ? vincenty(lon1, lat1, lon2, lat2) : geodesic_inverse(lon1, lat1, lon2, lat2);
}

/// Returns the angle between two points in radians. The haversine formula is exact for small angles, where the cosine
/// formula loses half of its digits.
static double angle(double phi1, double phi2, double dlon) {
    double s = sin((phi2 - phi1) / 2), t = sin(dlon / 2);
    return 2 * asin(fmin(1, sqrt(s * s + cos(phi1) * cos(phi2) * t * t)));
}

double geodesic_lower_bound(double lon1, double lat1, double lon2, double lat2) {
    return angle(lat1 * RADIANS, lat2 * RADIANS, (lon2 - lon1) * RADIANS) * LEAST_CURVATURE_RADIUS;
}

double geodesic_lower_bound_to_box(double lon, double lat, double west, double south, double east, double north) {
    // The haversine has a relative error of at most 1e-9.
    struct place place = place_at(lon, lat);
    double least = haversine_to_box(&place, west, east, south, north) * (1 - 1e-8);
    return 2 * asin(fmin(1, sqrt(least))) * LEAST_CURVATURE_RADIUS;
}
