import Domain
import Formats
import HTTP

extension NotificationSettings {
    /// Returns the settings with the fields that are present changed.
    func changed(by fields: [String: JSONValue]) throws -> NotificationSettings {
        try fields.expect(["email", "frequency", "summary_hour", "likely_at_once"])
        var settings = self
        func flag(_ name: String) throws -> Bool? {
            try fields[name].map { value in
                guard case .bool(let flag) = value else { throw ServiceError.invalid(name, "expected true or false") }
                return flag
            }
        }
        settings.email = try flag("email") ?? email
        settings.likelyAtOnce = try flag("likely_at_once") ?? likelyAtOnce
        if let value = fields["frequency"] {
            guard let frequency = try Field("frequency", value).choice(Frequency.self) else {
                throw ServiceError.invalid("frequency", "expected at_once or daily")
            }
            settings.frequency = frequency
        }
        if let value = fields["summary_hour"] {
            guard case .number(let number) = value, let hour = Int(exactly: number), Self.summaryHours.contains(hour)
            else {
                throw ServiceError.invalid("summary_hour", "expected a whole number from 7 to 21")
            }
            settings.summaryHour = hour
        }
        return settings
    }
}
