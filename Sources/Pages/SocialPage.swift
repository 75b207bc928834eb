package import Domain
import Foundation
import Localization
import Mustache

/// The accounts at other services where new listings are posted, of an organisation or of the site.
package struct SocialView: PageView {
    package static let template = "social"
    let title, back, backLabel, action: String
    let problem: String?
    let canAdd: Bool
    let accounts: [AccountView]
    let services, radii, species, languages: [OptionView]
    let server, chat, place: InputView

    struct AccountView: TemplateView {
        let action, id, service, name, area, shown: String
        let problem: String?
        let isPaused: Bool
    }

    /// An account, the town in the middle of its area, and the number of its posts.
    package typealias Entry = (account: SocialAccount, town: String?, posts: Int)

    /// In kilometres.
    static let radii = [5, 10, 25, 50, 100, 300, 1000]
}

extension PageBuilder {
    /// - Parameter organisation: nil for the accounts of the site.
    package func social(
        _ entries: [SocialView.Entry],
        of organisation: Organisation?,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) -> SocialView {
        let home = organisation.map { "/account/organisations/\($0.id.uuidString.lowercased())" } ?? "/moderation"
        let inputs = Inputs(values: typed, problem: problem.map(localizer.problem), wrong: problem?.field)
        let radius = typed["radius"] ?? "\(SocialAccount.defaultRadius / 1000)"
        return SocialView(
            title: localizer("social.title"), back: path(home),
            backLabel: organisation?.content.name ?? localizer("moderation.title"), action: path(home + "/social"),
            problem: inputs.problem, canAdd: entries.count < SocialAccount.maxCount,
            accounts: entries.map { view($0, action: path(home + "/social")) },
            services: options(SocialAccount.Service.allCases, "social.service", selected: typed["service"]),
            radii: SocialView.radii.map { kilometres in
                OptionView(
                    value: "\(kilometres)",
                    label: localizer.distance(Double(kilometres) * 1000),
                    selected: "\(kilometres)" == radius
                )
            },
            species: options(Species.allCases, "species", selected: typed["species"]),
            languages: Language.allCases.map { language in
                OptionView(
                    value: language.code,
                    label: language.properties.name,
                    selected: language.code == typed["language"] ?? localizer.language.code
                )
            },
            server: inputs["server"], chat: inputs["chat"], place: inputs["place"]
        )
    }

    private func view(_ entry: SocialView.Entry, action: String) -> SocialView.AccountView {
        let (account, selection) = (entry.account, entry.account.selection)
        let distance = localizer.distance(Double(selection.radius))
        let point = selection.centre
        let place = entry.town ?? "\(point.lat), \(point.lon)"
        let about = [
            localizer("social.area", ["distance": distance, "place": place]),
            selection.species.map { localizer("species.\($0.rawValue)") },
            selection.language.properties.name,
        ]
        return SocialView.AccountView(
            action: action, id: account.id.uuidString.lowercased(),
            service: localizer("social.service.\(account.address.service.rawValue)"), name: account.name,
            area: about.compactMap(\.self).joined(separator: " · "),
            shown: localizer("social.posts", count: entry.posts),
            problem: account.problem.map { problem in
                let when = account.problemAt.map { localizer.moment($0) } ?? ""
                return localizer("social.problem.\(problem.rawValue)", ["when": when])
            },
            isPaused: account.isPaused
        )
    }
}
