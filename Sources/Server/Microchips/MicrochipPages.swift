import Credentials
import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The page for finders who had a microchip read. Numbers are sent in forms, never in addresses.
struct MicrochipPages {
    let site: Site
    let service: MicrochipService
    let accountService: AccountService

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/microchip", use: form)
        router.post("/microchip", use: look)
        router.post("/microchip/message", use: write)
    }

    @Sendable private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        var response = show(request, context) { $0.microchip() }
        // The token is set already with the form, so that a form sent twice, because a response was lost, comes from
        // the same guest account.
        if context.cookie == nil { site.page.cookie.set(Token(), in: &response) }
        return response
    }

    @Sendable private func look(_ request: Request, _ context: ServiceContext) async throws -> Response {
        if let ban = context.ban { return site.page.show(.ban(ban), request) }
        let sent = try await site.page.forms.read(request)
        return try await site.page.handleForm {
            let microchip = try Microchip(field: sent["number"] ?? "")
            let isListed = try await service.isListed(microchip, for: context.caller?.account, from: context.client)
            return show(request, context) { $0.microchip(microchip, isListed: isListed) }
        } orShow: { error, status in
            show(request, context, status: status) { $0.microchip(typed: sent.typed, problem: error) }
        }
    }

    @Sendable private func write(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let sent = try await site.page.forms.read(request)
        let microchip = try Microchip(field: sent["number"] ?? "")
        return try await site.page.handleForm {
            let content = try sent.messageToOwner
            let token = context.cookie ?? Token()
            let viewer = context.caller?.account
            let account = try await service.send(content, toOwnerOf: microchip, by: viewer, from: context.client) {
                try await accountService.account(request, context, token)
            }
            var response = site.page.redirect("/microchip", done: "chip.sent")
            site.page.keep(token, of: account, context, in: &response)
            return response
        } orShow: { error, status in
            show(request, context, status: status) {
                $0.microchip(microchip, isListed: true, typed: sent.typed, problem: error)
            }
        }
    }

    private func show(
        _ request: Request,
        _ context: ServiceContext,
        status: HTTPResponse.Status = .ok,
        _ page: (PageBuilder) -> MicrochipView
    ) -> Response {
        site.page.show(request, context.caller?.account, status: status, isPrivate: true, page)
    }
}

extension FormReader.SubmittedForm {
    fileprivate var messageToOwner: MessageContent {
        get throws {
            // Browsers count a line break as one character towards `maxlength`, and send it as two (CR LF).
            try MessageContent(
                typed.filter { ["text", "contact_name", "contact_phone"].contains($0.key) }.mapValues {
                    .string($0.replacing("\r\n", with: "\n"))
                }
            )
        }
    }
}
