#include "CSpatiaLite.h"

#include <geodesic.h>
#include <math.h>
#include <sqlite3.h>
#include <spatialite.h>

static const double EQUATORIAL_RADIUS = 6378137.0, FLATTENING = 1 / 298.257223563; // WGS 84
// Arc lengths on the ellipsoid lie between the angle on the sphere of geodetic latitudes times its least radius of
// curvature, a(1-e^2) along the meridian at the equator, and times its greatest, a/sqrt(1-e^2) at the poles.
static const double LEAST_CURVATURE_RADIUS = 6335439.3, GREATEST_CURVATURE_RADIUS = 6399593.7;
static const double RADIANS = M_PI / 180;

double geodesic_distance(double lon1, double lat1, double lon2, double lat2) {
    struct geod_geodesic ellipsoid;
    geod_init(&ellipsoid, EQUATORIAL_RADIUS, FLATTENING);
    double metres;
    geod_inverse(&ellipsoid, lat1, lon1, lat2, lon2, &metres, 0, 0);
    return metres;
}

/// The angle between two points by haversines: exact for small angles, where the cosine loses half its digits. Radians.
static double angle(double phi1, double phi2, double dlon) {
    double s = sin((phi2 - phi1) / 2), t = sin(dlon / 2);
    return 2 * asin(fmin(1, sqrt(s * s + cos(phi1) * cos(phi2) * t * t)));
}

double geodesic_lower_bound(double lon1, double lat1, double lon2, double lat2) {
    return angle(lat1 * RADIANS, lat2 * RADIANS, (lon2 - lon1) * RADIANS) * LEAST_CURVATURE_RADIUS;
}

/// The angle in radians between a point and the nearest point of a box of longitudes and latitudes (degrees).
static double angle_to_box(double lon, double lat, double west, double east, double south, double north) {
    double wanted = lat < south ? south : lat > north ? north : lat;
    double eastward = fmod(lon - west + 720, 360); // 0..360, how far the point lies east of the western edge
    if (eastward <= east - west) return fabs(wanted - lat) * RADIANS;
    // Nearest is one of the two meridian edges, the one fewer degrees away.
    double past_east = eastward - (east - west), before_west = 360 - eastward;
    double dlon = fmin(past_east, before_west) * RADIANS;
    double phi = lat * RADIANS, low = south * RADIANS, high = north * RADIANS;
    // Along the meridian the cosine of the angle is a sinusoid with its peak at this latitude. Where the box does not
    // reach it, as always beyond 90 degrees of longitude, an end of the edge is nearest: which one, both must tell.
    double peak = atan2(sin(phi), cos(phi) * cos(dlon));
    if (peak >= low && peak <= high) return angle(phi, peak, dlon);
    return fmin(angle(phi, low, dlon), angle(phi, high, dlon));
}

/// SpatiaLite's R*Trees have the columns xmin, xmax, ymin, ymax.
static int nearest(sqlite3_rtree_query_info *info) {
    if (info->nParam != 4 || info->nCoord != 4) return SQLITE_ERROR;
    double lon = info->aParam[0], lat = info->aParam[1], inner = info->aParam[2], outer = info->aParam[3];
    const double *box = info->aCoord;
    double least = angle_to_box(lon, lat, box[0], box[1], box[2], box[3]) * LEAST_CURVATURE_RADIUS;
    info->eWithin = NOT_WITHIN;
    if (least > outer) return SQLITE_OK;
    if (inner > 0) {
        // The farthest point of the box is the nearest one to the antipode.
        double to_antipode = angle_to_box(lon + 180, -lat, box[0], box[1], box[2], box[3]);
        if ((M_PI - to_antipode) * GREATEST_CURVATURE_RADIUS < inner) return SQLITE_OK;
    }
    info->eWithin = PARTLY_WITHIN;
    info->rScore = least;
    return SQLITE_OK;
}

static int in_box(sqlite3_rtree_query_info *info) {
    if (info->nParam != 4 || info->nCoord != 4) return SQLITE_ERROR;
    double west = info->aParam[0], south = info->aParam[1], east = info->aParam[2], north = info->aParam[3];
    const double *box = info->aCoord;
    int overlaps_lat = box[2] <= north && box[3] >= south;
    int overlaps_lon = west <= east ? box[0] <= east && box[1] >= west : box[0] <= east || box[1] >= west;
    info->eWithin = overlaps_lat && overlaps_lon ? PARTLY_WITHIN : NOT_WITHIN;
    // SQLite takes the least score of all conditions: this one leaves the order to `nearest`.
    info->rScore = 1e300;
    return SQLITE_OK;
}

static void no_function(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    (void)values;
    sqlite3_result_null(context);
}

static void free_cache(void *cache) {
    spatialite_cleanup_ex(cache);
}

int spatialite_install(sqlite3 *connection) {
    void *cache = spatialite_alloc_connection();
    spatialite_init_ex(connection, cache, 0);
    // SpatiaLite's cache must outlive the connection's statements; SQLite destroys functions last of all.
    int code = sqlite3_create_function_v2(connection, "spatialite_cache_guard", 0, SQLITE_UTF8, cache, no_function, 0, 0,
                                          free_cache);
    if (code == SQLITE_OK) code = sqlite3_rtree_query_callback(connection, "nearest", nearest, 0, 0);
    if (code == SQLITE_OK) code = sqlite3_rtree_query_callback(connection, "in_box", in_box, 0, 0);
    return code;
}
