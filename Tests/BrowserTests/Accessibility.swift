import Domain
import Foundation
import Testing

/// What axe-core finds that keeps people from using a page.
struct AccessibilityViolation: Sendable, CustomStringConvertible {
    /// Like `color-contrast`.
    let rule: String
    /// `minor`, `moderate`, `serious` or `critical`.
    let impact: String
    let help: String
    let places: [Place]

    /// Where on the page.
    struct Place: Sendable {
        let selector: String
        let html: String
        /// What would mend it.
        let advice: String
    }

    var description: String {
        let lines = places.map { "  \($0.selector)\n    \($0.html)\n    \($0.advice.replacing("\n", with: "\n    "))" }
        return (["\(rule) (\(impact)): \(help)"] + lines).joined(separator: "\n")
    }

    fileprivate init(_ violation: JSONValue) {
        rule = violation["rule"].text ?? ""
        impact = violation["impact"].text ?? ""
        help = violation["help"].text ?? ""
        places = violation["places"].items.map { place in
            Place(
                selector: place["selector"].text ?? "",
                html: place["html"].text ?? "",
                advice: place["advice"].text ?? ""
            )
        }
    }
}

/// axe-core, which `make test` fetches.
enum Axe {
    static let absence: Comment = "axe-core is not here: `make test` fetches it"
    static let isHere = source != nil

    fileprivate static let source = try? String(
        contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../.build/axe/axe_playwright_python/axe.min.js"),
        encoding: .utf8
    )

    /// WCAG 2.2 at level AA, and what experience says.
    fileprivate static let check = """
        const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        return axe.run({runOnly: {type: "tag", values: tags}, resultTypes: ["violations"]}).then(found =>
            found.violations.map(({id, impact, help, nodes}) => ({
                rule: id, impact, help,
                places: nodes.map(({target, html, failureSummary}) => ({
                    selector: target.join(" "), html, advice: failureSummary
                }))
            })))
        """
}

extension Browser {
    /// Of the page as it is now.
    func accessibilityViolations() async throws -> [AccessibilityViolation] {
        if try await script("return typeof axe") == "undefined" { try await script(Axe.source ?? "") }
        return try await script(Axe.check).items.map(AccessibilityViolation.init)
    }
}
