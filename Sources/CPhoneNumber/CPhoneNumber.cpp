#include "CPhoneNumber.h"

#include <cstdio>
#include <phonenumbers/phonenumberutil.h>
#include <phonenumbers/shortnumberinfo.h>
#include <string>

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;
using i18n::phonenumbers::ShortNumberInfo;

namespace {

// The first call reads the tables of all countries, which takes milliseconds.
const PhoneNumberUtil &util() { return *PhoneNumberUtil::GetInstance(); }

std::string region(const char *country) { return *country ? country : "ZZ"; }

bool parse(const char *number, const char *country, PhoneNumber *parsed) {
    return util().Parse(number, region(country), parsed) == PhoneNumberUtil::NO_PARSING_ERROR;
}

void copy(const std::string &from, phone_number_text *to) {
    std::snprintf(to->text, sizeof to->text, "%s", from.c_str());
}

void copy(const PhoneNumber &number, PhoneNumberUtil::PhoneNumberFormat format, phone_number_text *to) {
    std::string text;
    util().Format(number, format, &text);
    copy(text, to);
}

phone_number_status status(const PhoneNumber &number, const char *country) {
    switch (util().IsPossibleNumberWithReason(number)) {
    case PhoneNumberUtil::IS_POSSIBLE: return phone_number_possible;
    case PhoneNumberUtil::IS_POSSIBLE_LOCAL_ONLY: return phone_number_local;
    case PhoneNumberUtil::TOO_LONG: return phone_number_too_long;
    case PhoneNumberUtil::INVALID_COUNTRY_CODE: return phone_number_unreadable;
    case PhoneNumberUtil::TOO_SHORT:
    case PhoneNumberUtil::INVALID_LENGTH: break;
    }
    static const ShortNumberInfo shorts;
    return shorts.IsValidShortNumberForRegion(number, region(country)) ? phone_number_short : phone_number_too_short;
}

} // namespace

phone_number_status phone_number_read(const char *number, const char *country, phone_number_text *e164) {
    e164->text[0] = 0;
    try {
        PhoneNumber parsed;
        switch (util().Parse(number, region(country), &parsed)) {
        case PhoneNumberUtil::NO_PARSING_ERROR: break;
        case PhoneNumberUtil::TOO_SHORT_AFTER_IDD:
        case PhoneNumberUtil::TOO_SHORT_NSN: return phone_number_too_short;
        case PhoneNumberUtil::TOO_LONG_NSN: return phone_number_too_long;
        default: return phone_number_unreadable;
        }
        const phone_number_status found = status(parsed, country);
        // A national number of a range that is not in use may be one of another country.
        if (found == phone_number_possible && (!*country || util().IsValidNumber(parsed))) copy(parsed, PhoneNumberUtil::E164, e164);
        return found;
    } catch (...) {
        e164->text[0] = 0;
        return phone_number_unreadable;
    }
}

void phone_number_format(const char *e164, const char *country, phone_number_text *formatted) {
    formatted->text[0] = 0;
    try {
        PhoneNumber parsed;
        if (!parse(e164, "", &parsed) || !util().IsValidNumber(parsed)) return;
        const bool is_national = util().GetCountryCodeForRegion(region(country)) == parsed.country_code();
        copy(parsed, is_national ? PhoneNumberUtil::NATIONAL : PhoneNumberUtil::INTERNATIONAL, formatted);
    } catch (...) {
        formatted->text[0] = 0;
    }
}

bool phone_number_is_mobile(const char *e164) {
    try {
        PhoneNumber parsed;
        if (!parse(e164, "", &parsed)) return false;
        const PhoneNumberUtil::PhoneNumberType type = util().GetNumberType(parsed);
        return type == PhoneNumberUtil::MOBILE || type == PhoneNumberUtil::FIXED_LINE_OR_MOBILE;
    } catch (...) {
        return false;
    }
}

void phone_number_example(const char *number, const char *country, phone_number_text *e164) {
    e164->text[0] = 0;
    try {
        PhoneNumber parsed, example;
        std::string own = region(country);
        if (parse(number, country, &parsed)) util().GetRegionCodeForCountryCode(parsed.country_code(), &own);
        if (util().GetExampleNumberForType(own, PhoneNumberUtil::MOBILE, &example)
            || util().GetExampleNumber(own, &example))
            copy(example, PhoneNumberUtil::E164, e164);
    } catch (...) {
        e164->text[0] = 0;
    }
}
