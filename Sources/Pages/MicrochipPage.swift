package import Domain
import Localization
package import Mustache

/// The page on which finders search by the number of a microchip and write to the owner.
package struct MicrochipPage: Page {
    package let template = "microchip"
    package let section = PageSection.none
    /// Nil before a search.
    let microchip: Microchip?
    let isListed: Bool
    let typed: [String: String]
    let problem: ServiceError?

    package init(
        _ microchip: Microchip? = nil,
        isListed: Bool = false,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) {
        self.microchip = microchip
        self.isListed = isListed
        self.typed = typed
        self.problem = problem
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let registries = localizer.microchipPrefixes.registries(for: microchip?.prefix)
        return [
            "title": localizer("chip.title"), "number": microchip?.number ?? typed["number"] ?? "",
            "isListed": microchip != nil && isListed, "isMissing": microchip != nil && !isListed,
            "origin": microchip.map { origin(of: $0, localizer) } ?? "", "f": typed.templateValues,
            "registries": registries.map { ["name": $0.name, "url": $0.url] },
            "isItalian": registries.contains(.italy), "asksForMark": false, "isFirst": true, "key": "",
            "problem": problem.map { complaint($0, localizer) } ?? "",
        ]
    }

    private func complaint(_ problem: ServiceError, _ localizer: Localizer) -> String {
        switch (problem.code, problem.field) {
        case (_, "number"): localizer("problem.microchip")
        default: localizer.problem(problem)
        }
    }

    private func origin(of microchip: Microchip, _ localizer: Localizer) -> String {
        switch microchip.prefix.map(localizer.microchipPrefixes.origin) {
        case .country(let code): localizer("chip.country", ["country": localizer.country(code)])
        case .manufacturer(let name?): localizer("chip.manufacturer", ["name": name])
        case .manufacturer(nil), .unknown, nil: localizer("chip.noCountry")
        }
    }
}
