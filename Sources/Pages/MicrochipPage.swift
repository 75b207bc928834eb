package import Domain
import Localization
import Mustache

/// The page on which finders search by the number of a microchip and write to the owner.
package struct MicrochipView: PageView {
    package static let template = "microchip"
    let number, origin, problem: String?
    let isListed, isMissing: Bool
    let registries: [LinkView]
    let form: MessageFormView
}

extension PageBuilder {
    /// - Parameter microchip: nil before a search.
    package func microchip(
        _ microchip: Microchip? = nil,
        isListed: Bool = false,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) -> MicrochipView {
        MicrochipView(
            number: microchip?.number ?? typed["number"], origin: microchip.map(origin(of:)),
            problem: problem.map { $0.field == "number" ? localizer("problem.microchip") : localizer.problem($0) },
            isListed: microchip != nil && isListed, isMissing: microchip != nil && !isListed,
            registries: localizer.registries(for: microchip?.prefix).map(link(to:)),
            form: messageForm(MessageForm(key: "", typed), asksForMark: false, isFirst: true)
        )
    }

    func link(to registry: Country.Registry) -> LinkView { LinkView(name: registry.name, href: registry.address) }

    private func origin(of microchip: Microchip) -> String {
        switch microchip.prefix.map(localizer.microchipPrefixes.origin) {
        case .country(let code): localizer("chip.country", ["country": localizer.country(code)])
        case .manufacturer(let name?): localizer("chip.manufacturer", ["name": name])
        case .manufacturer(nil), .unknown, nil: localizer("chip.noCountry")
        }
    }
}
