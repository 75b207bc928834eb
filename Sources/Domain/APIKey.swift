package import Foundation

/// A key with which a program acts as an organisation.
package struct APIKey: Sendable {
    /// The permissions of a key. Routes that belong to no scope refuse every key.
    package enum Scope: String, CaseIterable, Sendable {
        case listingsRead = "listings:read"
        case listingsWrite = "listings:write"
        case importsWrite = "imports:write"
        case statisticsRead = "statistics:read"
    }

    package let id: UUID
    package let name: String
    package let scopes: Set<Scope>
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// Accurate to within ten minutes; nil before the first use.
    package let lastUsedAt: Timestamp?

    package init(
        id: UUID,
        name: String,
        scopes: Set<Scope>,
        createdAt: Timestamp,
        expiresAt: Timestamp,
        lastUsedAt: Timestamp?
    ) {
        (self.id, self.name, self.scopes) = (id, name, scopes)
        (self.createdAt, self.expiresAt, self.lastUsedAt) = (createdAt, expiresAt, lastUsedAt)
    }

    /// The beginning of each token, by which scanners for leaked secrets recognise it.
    package static let prefix = "dgf_"
    package static let maxPerOrganisation = 20
    package static let maxNameLength = 80
    /// The maximum number of days after which a key expires, also the default.
    package static let maxDays = 365
}

extension Set<APIKey.Scope> {
    /// The names in their order of declaration, separated by spaces.
    package var text: String {
        APIKey.Scope.allCases.filter(contains).map(\.rawValue).joined(separator: " ")
    }

    /// - Parameter text: names separated by spaces. Unknown names are ignored.
    package init(text: String) {
        self = Set(text.split(separator: " ").compactMap { APIKey.Scope(rawValue: String($0)) })
    }
}
