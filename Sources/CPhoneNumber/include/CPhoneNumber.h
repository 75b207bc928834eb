#ifndef CPHONENUMBER_H
#define CPHONENUMBER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Countries are ISO 3166-1 alpha-2 codes; "" for an unknown one. All functions may run on several threads at once.

typedef enum {
    phone_number_possible,    // of a length that numbers of its country have, though its range may not be in use
    phone_number_short,       // works within its country only, such as 1515
    phone_number_local,       // lacks the area code
    phone_number_too_short,
    phone_number_too_long,
    phone_number_unreadable   // of no country that the library knows, or no number
} phone_number_status;

/// A text that ends with 0; empty if there is none.
typedef struct {
    char text[64];
} phone_number_text;

/// Reads a number without extension.
///
/// - Parameters:
///   - country: Where the number is used; "" for a number that begins with "+".
///   - e164: Receives "+" with country code and number if the number is possible and either begins with "+" or belongs to a
///     range that is in use.
phone_number_status phone_number_read(const char *number, const char *country, phone_number_text *e164);

/// Formats a number: nationally if it has the country code of `country`, otherwise internationally. The result is empty
/// if the number belongs to no range that is in use.
void phone_number_format(const char *e164, const char *country, phone_number_text *formatted);

/// Returns whether a number can be that of a mobile telephone, as far as its range tells. Some countries do not distinguish
/// them from others.
bool phone_number_is_mobile(const char *e164);

/// Writes an example for a number, in the form of E.164: one of its country code, otherwise of `country`, and of mobile
/// telephones if there are any.
void phone_number_example(const char *number, const char *country, phone_number_text *e164);

#ifdef __cplusplus
}
#endif

#endif
