/// The operator's statements about the site. They appear on every page.
package struct SiteSettings: Sendable {
    /// A statement that the operator owes to visitors.
    package enum Statement: Equatable, Sendable {
        /// A plain text, which the site shows on a page of its own.
        case text(String)
        /// The URL of a page elsewhere.
        case link(String)
    }

    /// The name of the software, which sites without a name of their own have.
    package static let softwareName = "DoggoFinder"

    package var name = softwareName
    /// For example "Provincia di Salerno".
    package var region: String?
    /// An e-mail address, or the URL of a page.
    package var contact: String?
    package var imprint: Statement?
    package var privacy: Statement?
    /// Where maps start.
    package var mapArea: BoundingBox?

    package init() {}

    /// The URL under which visitors reach the operator.
    package var contactLink: String? {
        contact.map { $0.contains("://") ? $0 : "mailto:\($0)" }
    }

    package var hasOperator: Bool { contact != nil || imprint != nil || privacy != nil }
}
