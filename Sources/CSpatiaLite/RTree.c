#include "CSpatiaLite.h"
#include "Sphere.h"

#include <string.h>

/// The haversine has a relative error of at most 1e-9. Limits are widened by a larger factor.
static const double LENIENCY = 1 + 1e-8;

static double haversine_of_angle(double angle) {
    return angle >= M_PI ? 2 : haversine(angle) * LENIENCY;
}

struct rtree_question rtree_ask(double lon, double lat, double inner, double outer) {
    struct rtree_question question = {.west = -180, .south = -90, .east = 180, .north = 90};
    question.centre = place_at(lon, lat);
    question.antipode = place_at(lon > 0 ? lon - 180 : lon + 180, -lat);
    question.most = haversine_of_angle(outer / LEAST_CURVATURE_RADIUS);
    // The farthest point of a box is the point nearest to the antipode.
    double past = M_PI - inner / GREATEST_CURVATURE_RADIUS;
    question.least = inner > 0 && past > 0 ? haversine_of_angle(past) : 2;
    return question;
}

void rtree_narrow(struct rtree_question *question, double outer) {
    question->most = fmin(question->most, haversine_of_angle(outer / LEAST_CURVATURE_RADIUS));
}

static double number(const unsigned char *bytes) {
    uint32_t bits;
    float value;
    memcpy(&bits, bytes, sizeof bits);
    bits = __builtin_bswap32(bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int is_in_box(const struct rtree_question *question, double west, double east, double south, double north) {
    int overlaps_lat = south <= question->north && north >= question->south;
    int starts_before_end = west <= question->east, ends_after_start = east >= question->west;
    int is_across = question->west > question->east;
    return overlaps_lat && (is_across ? starts_before_end || ends_after_start : starts_before_end && ends_after_start);
}

double rtree_score(const struct rtree_question *question, const void *entry) {
    const unsigned char *bytes = entry;
    double west = number(bytes + 8), east = number(bytes + 12), south = number(bytes + 16), north = number(bytes + 20);
    if (!is_in_box(question, west, east, south, north)) return INFINITY;
    double least = haversine_to_box(&question->centre, west, east, south, north);
    if (least > question->most) return INFINITY;
    int was_shown = question->least < 2
        && haversine_to_box(&question->antipode, west, east, south, north) > question->least;
    return was_shown ? INFINITY : least;
}
