#include "COpeningHours.h"

#include <QtCore/QByteArray>
#include <QtCore/QDateTime>
#include <QtCore/QString>
#include <QtCore/QTimeZone>
#include <kopeninghours/interval.h>
#include <kopeninghours/openinghours.h>

#include <cstdio>
#include <mutex>
#include <string>

using KOpeningHours::Interval;
using KOpeningHours::OpeningHours;

namespace {

// The clocks of the place are read as if they were those of Greenwich, because version 22.12 confuses times in other zones.
QDateTime moment(opening_hours_time time) { return QDateTime::fromSecsSinceEpoch(time, QTimeZone::utc()); }

opening_hours_time seconds(const QDateTime &time) {
    QDateTime utc = time;
    utc.setTimeZone(QTimeZone::utc());
    return utc.toSecsSinceEpoch();
}

bool copy(const Interval &from, opening_hours_interval *to) {
    switch (from.state()) {
    case Interval::Open: to->state = opening_hours_open; break;
    case Interval::Closed: to->state = opening_hours_closed; break;
    case Interval::Unknown: to->state = opening_hours_unknown; break;
    default: return false;
    }
    to->begin = from.hasOpenBegin() ? INT64_MIN : seconds(from.begin());
    to->end = from.hasOpenEnd() ? INT64_MAX : seconds(from.hasOpenEndTime() ? from.estimatedEnd() : from.end());
    std::snprintf(to->comment, sizeof to->comment, "%s", from.comment().toUtf8().constData());
    return true;
}

// After "24/7" the library does not look for times that other rules close, such as those of "24/7; PH off".
std::string withoutAlways(const char *value, size_t length) {
    std::string text(value, length);
    const std::string always = "24/7", day = "00:00-24:00";
    if (text == always) return text;
    bool isComment = false;
    for (size_t place = 0; place < text.size(); place++) {
        if (text[place] == '"') isComment = !isComment;
        if (!isComment && text.compare(place, always.size(), always) == 0) text.replace(place, always.size(), day);
    }
    return text;
}

// After midnight, the library forgets a time that began on the evening before if another rule, or another time of the same rule, has
// this day. Asked about the evening, it knows when that time ends.
Interval containing(const OpeningHours &hours, opening_hours_time time) {
    constexpr opening_hours_time day = 86400;
    const Interval interval = hours.interval(moment(time));
    if (!interval.isValid() || interval.state() == Interval::Open) return interval;
    const opening_hours_time midnight = time - (time % day + day) % day;
    const Interval evening = hours.interval(moment(midnight - 60));
    const bool goesOn = evening.isValid() && evening.state() == Interval::Open && !evening.hasOpenEnd() && seconds(evening.end()) > time;
    return goesOn ? evening : interval;
}

// The number of intervals after which a state is taken to last.
constexpr int maxIntervals = 40;

} // namespace

int opening_hours_find(const char *value, size_t length, opening_hours_place place, opening_hours_time time, opening_hours_interval found[2]) {
    // The tables of holidays are not documented as safe for several threads.
    static std::mutex turn;
    const std::lock_guard<std::mutex> lock(turn);
    try {
        const std::string text = withoutAlways(value, length);
        OpeningHours hours(text.data(), text.size());
        hours.setTimeZone(QTimeZone::utc());
        hours.setLocation(place.lat, place.lon);
        if (*place.country) hours.setRegion(QString::fromLatin1(place.country));
        if (hours.error() != OpeningHours::NoError) return 0;
        Interval interval = containing(hours, time);
        if (!interval.isValid() || !copy(interval, &found[0])) return 0;
        // Intervals end with rules and at midnight, also if the state stays.
        for (int count = 0; count < maxIntervals; count++) {
            interval = hours.nextInterval(interval);
            if (!interval.isValid() || !copy(interval, &found[1])) return 1;
            if (found[1].state != found[0].state) return 2;
            found[0].end = found[1].end;
        }
        found[0].end = INT64_MAX;
        return 1;
    } catch (...) {
        return 0;
    }
}
