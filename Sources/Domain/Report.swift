package import Foundation

/// A report to the moderators.
package enum Report {
    package enum Subject: String, CaseIterable, Sendable {
        case listing
        case photo
        case message
        case sighting
    }

    package enum Reason: String, CaseIterable, Sendable {
        /// Requests money, or is not what it claims to be.
        case scam
        /// Advertises, or repeats the same content.
        case spam
        /// Insults or threatens.
        case abuse
        /// Publishes private information.
        case privacy
        /// Is incorrect, for example the wrong animal or place.
        case wrong
        case other
        /// The appeal of an owner whose listing was hidden.
        case appeal

        /// The reasons that moderators can give for an action.
        package static let ofModerators = allCases.filter { $0 != .appeal }
    }

    package enum Status: String, CaseIterable, Sendable {
        /// No moderator has decided yet.
        case open
        /// A moderator has found the report unjustified.
        case dismissed
        /// A moderator has found the report justified.
        case upheld
    }

    /// The maximum lengths in Unicode scalars.
    package enum MaxLength {
        package static let text = 1000
        package static let note = 300
    }

    /// A report to be filed.
    package struct Draft: Sendable {
        package let subject: Subject
        package let id: UUID
        package let reason: Reason
        package let text: String?

        package static let fieldNames = ["subject", "id", "reason", "text"]

        package init(subject: Subject, id: UUID, reason: Reason, text: String?) {
            (self.subject, self.id, self.reason, self.text) = (subject, id, reason, text)
        }

        package init(_ fields: [String: JSONValue]) throws(ServiceError) {
            if let unknown = fields.keys.sorted().first(where: { !Self.fieldNames.contains($0) }) {
                throw .invalid(unknown, "is not a field here: expected \(Self.fieldNames.joined(separator: ", "))")
            }
            func field(_ name: String) -> Field { Field(name, fields[name] ?? .null) }
            guard let subject = try field("subject").choice(Subject.self) else {
                throw field("subject").invalid("expected \(Subject.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            guard case .string(let id)? = fields["id"], let id = UUID(uuidString: id) else {
                throw field("id").invalid("expected the UUID of the \(subject.rawValue)")
            }
            guard let reason = try field("reason").choice(Reason.self) else {
                throw field("reason").invalid("expected \(Reason.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            let text = try field("text").text(atMost: MaxLength.text, lines: true)
            self.init(subject: subject, id: id, reason: reason, text: text)
        }
    }
}

/// The reason and the end of a ban.
package struct Ban: Equatable, Sendable {
    package let reason: Report.Reason
    /// Nil if the ban is permanent.
    package let until: Timestamp?

    package init(reason: Report.Reason, until: Timestamp?) {
        self.reason = reason
        self.until = until
    }

    /// The error that requests by the banned account receive.
    package var error: ServiceError {
        ServiceError(
            .forbidden,
            until.map { "this account was banned until \($0) by a moderator: \(reason.rawValue)" }
                ?? "this account was banned for good by a moderator: \(reason.rawValue)"
        )
    }
}

extension Field {
    /// Returns one of the reasons that moderators can give; `other` if the field is null.
    package func moderatorsReason() throws(ServiceError) -> Report.Reason {
        guard value != .null else { return .other }
        guard case .string(let text) = value,
            let reason = Report.Reason.ofModerators.first(where: { $0.rawValue == text })
        else {
            throw invalid("expected one of \(Report.Reason.ofModerators.map(\.rawValue).joined(separator: ", "))")
        }
        return reason
    }

    /// Returns a moderator's note. Notes are kept permanently, so they must not contain e-mail addresses.
    package func note() throws(ServiceError) -> String? {
        guard let note = try text(atMost: Report.MaxLength.note) else { return nil }
        guard !note.contains("@") else { throw invalid("is kept for good: expected a text without e-mail addresses") }
        return note
    }

    /// Returns a time in the future. Throws if the time is in the past.
    package func futureTimestamp() throws(ServiceError) -> Timestamp? {
        guard let time = try timestamp() else { return nil }
        guard time > .now else { throw invalid("expected a time that is to come") }
        return time
    }
}
