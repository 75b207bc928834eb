import Domain
import Foundation
import Testing

/// An accessibility problem that axe-core found on a page.
struct AccessibilityViolation: Sendable, CustomStringConvertible {
    /// The identifier of the rule, such as `color-contrast`.
    let rule: String
    /// `minor`, `moderate`, `serious` or `critical`.
    let impact: String
    let help: String
    let places: [Place]

    /// An element of the page that violates the rule.
    struct Place: Sendable {
        let selector: String
        let html: String
        /// axe-core's advice on how to fix the element.
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

/// Loads axe-core, which `make test` downloads.
enum Axe {
    static let absence: Comment = "axe-core is not here: `make test` fetches it"
    static let isAvailable = source != nil

    fileprivate static let source = try? String(
        contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../.build/axe/axe_playwright_python/axe.min.js"),
        encoding: .utf8
    )

    /// The rules of WCAG 2.2 level AA and axe-core's best practices.
    fileprivate static let all =
        #"{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}"#

    /// The rules whose answer depends on the colour scheme.
    fileprivate static let ofColours = #"{type: "rule", values: ["color-contrast", "link-in-text-block"]}"#

    fileprivate static func check(_ rules: String) -> String {
        """
        return axe.run({runOnly: \(rules), resultTypes: ["violations"]}).then(found =>
            found.violations.map(({id, impact, help, nodes}) => ({
                rule: id, impact, help,
                places: nodes.map(({target, html, failureSummary}) => ({
                    selector: target.join(" "), html, advice: failureSummary
                }))
            })))
        """
    }
}

extension Browser {
    /// Lets all pages that are opened from now on contain axe-core: to send it to each page takes longer.
    func keepAxe() async throws {
        try await session.devTools(
            "Page.addScriptToEvaluateOnNewDocument",
            ["source": .string(Axe.source ?? "")]
        )
    }

    /// Checks the page in its current state.
    ///
    /// - Parameter ofColours: whether only the rules are checked whose answer depends on the colour scheme.
    func accessibilityViolations(ofColours: Bool = false) async throws -> [AccessibilityViolation] {
        if try await script("return typeof axe") == "undefined" { try await script(Axe.source ?? "") }
        let check = Axe.check(ofColours ? Axe.ofColours : Axe.all)
        return try await script(check).items.map(AccessibilityViolation.init)
    }
}
