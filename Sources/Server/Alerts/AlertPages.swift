import Credentials
import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The page of the reader's alerts.
struct AlertPages {
    let site: Site
    let service: AlertService
    let accountService: AccountService

    private var alerts: AlertStore { service.alerts }

    /// The number of listings that are shown of each alert.
    private static let foundCount = 3

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/my/alerts", use: show)
        router.post("/my/alerts", use: create)
        router.post("/my/alerts/settings", use: editSettings)
        router.post("/my/alerts/:id", use: change)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try await page(request, context)
    }

    private func page(
        _ request: Request,
        _ context: ServiceContext,
        problem: ServiceError? = nil,
        typed: [String: String] = [:],
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let viewer = context.caller?.account
        var entries: [AlertsView.Entry] = []
        if let viewer {
            let language = site.page.pageLanguage(request)
            for alert in try alerts.findAlerts(of: viewer) { entries.append(try await entry(alert, language)) }
        }
        let chosen = try viewer.map(site.stores.notifications.settings) ?? NotificationSettings()
        var response = site.page.show(request, viewer, status: status, isPrivate: true) {
            $0.alerts(entries, chosen, problem: problem, typed: typed)
        }
        // The token is set already with the form, so that a form sent twice comes from the same guest account.
        if context.cookie == nil { site.page.cookie.set(Token(), in: &response) }
        return response
    }

    private func entry(_ alert: Alert, _ language: Language) async throws -> AlertsView.Entry {
        let found = try alerts.findFindings(of: alert, limit: Self.foundCount, Listing.init).findings.map(\.value)
        guard let id = alert.subject.listing else { return (alert, nil, service.town(of: alert, language), found) }
        return (alert, try await site.stores.listings.findListing(id: id), nil, found)
    }

    @Sendable private func create(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let sent = try await site.page.forms.read(request)
        return try await site.page.handleForm {
            let typed = sent.typed.filter { AlertSearch.names.contains($0.key) }
            let language = site.page.pageLanguage(request)
            // The search is checked before a guest account is created, so that a refused one leaves no account behind.
            let (name, values) = try service.around(typed, language)
            let search = try service.search(.object(values.mapValues(JSONValue.string)), language)
            let token = context.cookie ?? Token()
            let account = try await accountService.account(request, context, token)
            // A form that is sent twice makes one alert.
            if try !alerts.findAlerts(of: account).contains(where: { $0.subject == .search(search.values) }) {
                _ = try await alerts.create(name: name, search: search.values, search.query, by: account)
            }
            var response = site.page.redirect("/my/alerts", done: "alert.created")
            site.page.keep(token, of: account, context, in: &response)
            return response
        } orShow: { error, status in
            try await page(request, context, problem: error, typed: sent.typed, status: status)
        }
    }

    @Sendable private func change(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let sent = try await site.page.forms.read(request)
        let id = try context.parameters.uuid(orElse: "no such alert")
        switch sent["action"] {
        case "delete":
            try await alerts.remove(id: id, of: account) { _ in }
            return site.page.redirect("/my/alerts", done: "alert.deleted")
        case "pause", "resume":
            let isPaused = sent["action"] == "pause"
            _ = try await alerts.edit(id: id, of: account) { AlertChange(name: $0.name, isPaused: isPaused) }
            return site.page.redirect("/my/alerts", done: "alert.changed")
        case "change":
            let language = site.page.pageLanguage(request)
            _ = try await alerts.edit(id: id, of: account) { alert in
                guard let search = alert.subject.search else {
                    throw ServiceError.invalid("search", "this alert is for matches")
                }
                let changed = try service.changed(search, by: sent.typed, language)
                return AlertChange(
                    name: alert.name,
                    isPaused: alert.isPaused,
                    search: (changed.values, changed.query)
                )
            }
            return site.page.redirect("/my/alerts", done: "alert.changed")
        default: throw ServiceError.invalid("action", "expected pause, resume, change or delete")
        }
    }

    @Sendable private func editSettings(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let sent = try await site.page.forms.read(request)
        var fields: [String: JSONValue] = ["likely_at_once": .bool(sent["likely_at_once"] != nil)]
        // The form has the input only for those who can get mails.
        if accountService.mail != nil, account.hasAddress { fields["email"] = .bool(sent["email"] != nil) }
        if let frequency = sent["frequency"] { fields["frequency"] = .string(frequency) }
        if let hour = sent["summary_hour"].flatMap(Double.init) { fields["summary_hour"] = .number(hour) }
        try await site.stores.notifications.write(
            site.stores.notifications.settings(of: account).changed(by: fields), of: account)
        return site.page.redirect("/my/alerts", done: "alert.changed")
    }
}
