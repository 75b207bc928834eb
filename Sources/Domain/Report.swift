package import Foundation

/// What people tell moderators of.
package enum Report {
    package enum Subject: String, CaseIterable, Sendable {
        case listing
        case photo
        case message
    }

    package enum Reason: String, CaseIterable, Sendable {
        /// Asks for money, or is not what it says.
        case scam
        /// Advertises, or says the same again and again.
        case spam
        /// Insults or threatens.
        case abuse
        /// Shows what belongs to somebody's private life.
        case privacy
        /// Is mistaken, such as the wrong animal or place.
        case wrong
        case other
        /// The owner's word for a listing of their own that was hidden.
        case appeal

        /// Those for which moderators act.
        package static let ofModerators = allCases.filter { $0 != .appeal }
    }

    package enum Status: String, CaseIterable, Sendable {
        /// Nobody has decided yet.
        case open
        /// There is nothing to it.
        case dismissed
        /// It was right.
        case upheld
    }

    /// How many characters a text may have.
    package enum MaxLength {
        package static let text = 1000
        package static let note = 300
    }

    /// What somebody says who reports.
    package struct Draft: Sendable {
        package let subject: Subject
        package let id: UUID
        package let reason: Reason
        package let text: String?

        package static let fieldNames = ["subject", "id", "reason", "text"]

        package init(subject: Subject, id: UUID, reason: Reason, text: String?) {
            self.subject = subject
            self.id = id
            self.reason = reason
            self.text = text
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
                throw field("id").invalid("expected the UUID of the \(subject)")
            }
            guard let reason = try field("reason").choice(Reason.self) else {
                throw field("reason").invalid("expected \(Reason.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            let text = try field("text").text(atMost: MaxLength.text, lines: true)
            self.init(subject: subject, id: id, reason: reason, text: text)
        }
    }
}

/// Why an account is shut out, and how long.
package struct Ban: Equatable, Sendable {
    package let reason: Report.Reason
    /// Nil is for good.
    package let until: Timestamp?

    package init(reason: Report.Reason, until: Timestamp?) {
        self.reason = reason
        self.until = until
    }

    /// What the banned are told.
    package var error: ServiceError {
        ServiceError(
            .forbidden,
            "this account was banned \(until.map { "until \($0)" } ?? "for good") by a moderator: \(reason.rawValue)"
        )
    }
}

extension Field {
    /// One of the reasons for which moderators act; `other` where it is left out.
    package func moderatorsReason() throws(ServiceError) -> Report.Reason {
        guard value != .null else { return .other }
        guard case .string(let text) = value,
            let reason = Report.Reason.ofModerators.first(where: { $0.rawValue == text })
        else {
            throw invalid("expected one of \(Report.Reason.ofModerators.map(\.rawValue).joined(separator: ", "))")
        }
        return reason
    }

    /// A moderator's note: kept for good, so without addresses of people.
    package func note() throws(ServiceError) -> String? {
        guard let note = try text(atMost: Report.MaxLength.note) else { return nil }
        guard !note.contains("@") else { throw invalid("is kept for good: expected a text without e-mail addresses") }
        return note
    }

    /// A moment that is to come.
    package func futureTimestamp() throws(ServiceError) -> Timestamp? {
        guard let time = try timestamp() else { return nil }
        guard time > .now else { throw invalid("expected a time that is to come") }
        return time
    }
}
