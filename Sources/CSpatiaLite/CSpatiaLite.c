#include "CSpatiaLite.h"

#include <geodesic.h>
#include <math.h>
#include <sqlite3.h>
#include <spatialite.h>
#include <time.h>

static const double EQUATORIAL_RADIUS = 6378137.0, FLATTENING = 1 / 298.257223563; // WGS 84
// Arc lengths on the ellipsoid lie between the angle on the sphere of geodetic latitudes times its least radius of
// curvature, a(1-e^2) along the meridian at the equator, and times its greatest, a/sqrt(1-e^2) at the poles.
static const double LEAST_CURVATURE_RADIUS = 6335439.3, GREATEST_CURVATURE_RADIUS = 6399593.7;
static const double RADIANS = M_PI / 180;

double geodesic_inverse(double lon1, double lat1, double lon2, double lat2) {
    struct geod_geodesic ellipsoid;
    geod_init(&ellipsoid, EQUATORIAL_RADIUS, FLATTENING);
    double metres;
    geod_inverse(&ellipsoid, lat1, lon1, lat2, lon2, &metres, 0, 0);
    return metres;
}

/// Vincenty, "Direct and inverse solutions of geodesics on the ellipsoid with application of nested equations", Survey
/// Review 23 (1975), 88-93: for points near each other, where it always converges, and to less than a micrometre.
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

/// The angle between two points by haversines: exact for small angles, where the cosine loses half its digits. Radians.
static double angle(double phi1, double phi2, double dlon) {
    double s = sin((phi2 - phi1) / 2), t = sin(dlon / 2);
    return 2 * asin(fmin(1, sqrt(s * s + cos(phi1) * cos(phi2) * t * t)));
}

double geodesic_lower_bound(double lon1, double lat1, double lon2, double lat2) {
    return angle(lat1 * RADIANS, lat2 * RADIANS, (lon2 - lon1) * RADIANS) * LEAST_CURVATURE_RADIUS;
}

/// (1 - cos x) / 2, the haversine, for |x| <= pi: Taylor's series of the cosine to x^20, of which the first term left out
/// is less than 1e-10 at pi. Several times faster than the library's, which the walk has no need of.
static double haversine(double x) {
    double y = x * x;
    if (y < 0.01) return y / 4 * (1 - y / 12 * (1 - y / 30 * (1 - y / 56))); // some 600 km: to 1e-13 of it
    double series = 1 - y / 380 * (1 - y / 462);
    series = 1 - y / 306 * series;
    series = 1 - y / 240 * series;
    series = 1 - y / 182 * series;
    series = 1 - y / 132 * series;
    series = 1 - y / 90 * series;
    series = 1 - y / 56 * series;
    series = 1 - y / 30 * series;
    series = 1 - y / 12 * series;
    return y / 4 * series;
}

static double cosine(double x) {
    return 1 - 2 * haversine(x);
}

/// What one walk needs to know of its question.
struct question {
    double lon, lat;               // degrees
    double cosine;                 // of the latitude
    double most;                   // haversine beyond which nothing is wanted
    double least;                  // haversine from the antipode beyond which everything was shown before; 2 for none
};

/// A lower bound of the haversine between a point and a box of longitudes and latitudes (degrees); exact, but for the
/// rounding of the box, where the box is a point, as the entries of the leaves are.
static double haversine_to_box(double lon, double lat, double cosine_of_lat, const double *box) {
    double west = box[0], east = box[1], south = box[2], north = box[3];
    double dlat = lat < south ? south - lat : lat > north ? lat - north : 0;
    double least = haversine(dlat * RADIANS);
    double eastward = lon - west; // how far the point lies east of the western edge, to be brought into 0..360
    if (eastward < 0) eastward += 360;
    if (eastward >= 360) eastward -= 360;
    if (eastward <= east - west) return least;
    // Nearest is one of the two meridian edges, the one fewer degrees away.
    double past_east = eastward - (east - west), before_west = 360 - eastward;
    double dlon = fmin(fmin(past_east, before_west), 180) * RADIANS;
    // The cosine is least at the end that is farther from the equator.
    double narrowest = fmax(0, cosine(fmax(fabs(south), fabs(north)) * RADIANS));
    return least + cosine_of_lat * narrowest * haversine(dlon);
}

double geodesic_lower_bound_to_box(double lon, double lat, double west, double south, double east, double north) {
    const double box[] = {west, east, south, north};
    // What is told of a haversine is right to 1e-9 of it.
    double least = haversine_to_box(lon, lat, fmax(0, cosine(lat * RADIANS)), box) * (1 - 1e-8);
    return 2 * asin(fmin(1, sqrt(least))) * LEAST_CURVATURE_RADIUS;
}

static double haversine_of_angle(double angle) {
    return angle >= M_PI ? 2 : haversine(angle);
}

static struct question *question_of(sqlite3_rtree_query_info *info) {
    if (info->pUser) return info->pUser;
    struct question *question = sqlite3_malloc(sizeof *question);
    if (!question) return 0;
    double inner = info->aParam[2], outer = info->aParam[3];
    question->lon = info->aParam[0];
    question->lat = info->aParam[1];
    question->cosine = fmax(0, cosine(question->lat * RADIANS));
    question->most = haversine_of_angle(outer / LEAST_CURVATURE_RADIUS);
    // The farthest point of a box is the nearest one to the antipode.
    double past = M_PI - inner / GREATEST_CURVATURE_RADIUS;
    question->least = inner > 0 && past > 0 ? haversine_of_angle(past) : 2;
    info->pUser = question;
    info->xDelUser = sqlite3_free;
    return question;
}

/// SpatiaLite's R*Trees have the columns xmin, xmax, ymin, ymax. The score is a haversine: it grows with the distance.
static int nearest(sqlite3_rtree_query_info *info) {
    if (info->nParam != 4 || info->nCoord != 4) return SQLITE_ERROR;
    struct question *question = question_of(info);
    if (!question) return SQLITE_NOMEM;
    double least = haversine_to_box(question->lon, question->lat, question->cosine, info->aCoord);
    info->eWithin = NOT_WITHIN;
    if (least > question->most) return SQLITE_OK;
    if (question->least < 2) {
        double opposite = question->lon > 0 ? question->lon - 180 : question->lon + 180;
        if (haversine_to_box(opposite, -question->lat, question->cosine, info->aCoord) > question->least)
            return SQLITE_OK;
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

/// When the statements of this thread have had their time, nanoseconds; 0 for never.
static _Thread_local int64_t deadline;

static int64_t monotonic_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void sqlite_give_up_after(int64_t nanoseconds) {
    deadline = nanoseconds == 0 ? 0 : monotonic_now() + nanoseconds;
}

static int is_over(void *unused) {
    (void)unused;
    return deadline != 0 && monotonic_now() > deadline;
}

int sqlite_configure(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int spatialite_install(sqlite3 *connection) {
    void *cache = spatialite_alloc_connection();
    spatialite_init_ex(connection, cache, 0);
    // SpatiaLite's cache must outlive the connection's statements; SQLite destroys functions last of all.
    int code = sqlite3_create_function_v2(connection, "spatialite_cache_guard", 0, SQLITE_UTF8, cache, no_function, 0, 0,
                                          free_cache);
    if (code == SQLITE_OK) code = sqlite3_rtree_query_callback(connection, "nearest", nearest, 0, 0);
    if (code == SQLITE_OK) code = sqlite3_rtree_query_callback(connection, "in_box", in_box, 0, 0);
    // Steps of SQLite's machine: well under a millisecond.
    sqlite3_progress_handler(connection, 10000, is_over, 0);
    return code;
}
