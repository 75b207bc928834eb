import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Storage

/// The API for messages between owners of listings and people who write to them. Callers see only their own
/// conversations.
struct MessageRoutes {
    let site: Site
    let service: MessageService

    /// The number of messages in one page.
    static let pageSize = 50

    private var conversations: ConversationStore { service.conversations }

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .get("/v1/listings/:id/messages", use: aboutListing)
            .post("/v1/listings/:id/messages", use: write)
            .get("/v1/me/conversations", use: inbox)
            .get("/v1/me/conversations/:id", use: show)
            .delete("/v1/me/conversations/:id", use: remove)
            .post("/v1/me/conversations/:id/messages", use: answer)
            .post("/v1/me/conversations/:id/read", use: markRead)
            .get("/v1/me/blocks", use: blocks)
            .post("/v1/me/blocks", use: block)
            .delete("/v1/me/blocks/:id", use: unblock)
    }

    @Sendable private func write(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await send(.owner(ofListing: context.parameters.uuid(orElse: "no such listing")), request, context)
    }

    @Sendable private func answer(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such conversation")
        let (_, account) = try conversations.getConversation(id: id, ofMember: context.account)
        return try await send(.conversation(id), request, context, by: account)
    }

    func send(
        _ address: MessageAddress,
        _ request: Request,
        _ context: SignedInContext,
        by author: Account? = nil
    ) async throws -> Response {
        let author = author ?? context.account
        let received = try await site.page.forms.readFields(request)
        var fields = received.fields
        let isPointConfirmed = try fields.takePointConfirmation()
        let content = try MessageContent(fields)
        try service.expectPlausible(content, isPointConfirmed: isPointConfirmed, in: request.language())
        let id = try request.idempotencyKey?.id(for: author) ?? UUID()
        let sent = try await service.send(
            content,
            photo: received.photo,
            in: request.language(),
            id: id,
            to: address,
            by: author,
            from: context.client
        )
        let words = words(request)
        var response = Response.uncached(status: .created) {
            $0.message(sent.message, sent.conversation, words, base: site.baseURL.text) { $0.warnings(words) }
        }
        response.headers[.location] = site.baseURL.link("/v1/me/conversations/\(sent.conversation.lowercased)")
        if sent.isRepeated { response.headers[.idempotencyReplayed] = "true" }
        return response
    }

    @Sendable private func aboutListing(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let listing = try site.stores.listings.get(context.parameters, seenBy: context.account, Listing.init)
        let response = try list(request, context, about: listing)
        guard let response else {
            throw ServiceError(.forbidden, "only its owner, and who writes to them, read messages about a listing")
        }
        return response
    }

    @Sendable private func inbox(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try list(request, context) ?? .noContent
    }

    /// Returns the caller's conversations, or nil if the caller has none about the listing and does not own it.
    ///
    /// - Parameter listing: the listing that the conversations are about; nil for all listings.
    private func list(
        _ request: Request,
        _ context: SignedInContext,
        about listing: Listing? = nil
    ) throws -> Response? {
        let query = request.queryReader()
        let limit = listing == nil ? try query.limit(.conversations) : PageSize.conversations.defaultLimit
        let cursor = try query.keyCursor()
        let search = try query.text("q").map { try site.queries.readList($0, language: request.preferredLanguage) }
        let reader = try listing.map { try site.stores.listings.actor(context.account, at: $0) } ?? context.account
        let (found, next) = try conversations.findConversations(
            of: reader,
            about: listing?.key,
            includingBlocked: listing != nil,
            matching: search,
            before: cursor,
            limit: limit
        )
        if let listing, listing.owner != reader.key, found.isEmpty, cursor == nil { return nil }
        let words = words(request)
        return .list("conversations", found, site.baseURL, request, next: next.map { PageCursor(key: $0).token }) {
            $0.conversation($1, words, base: site.baseURL.text)
        } members: {
            $0.warnings(words)
        }
    }

    @Sendable private func show(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let (conversation, account) = try conversations.getConversation(
            id: context.parameters.uuid(orElse: "no such conversation"),
            ofMember: context.account
        )
        let (messages, next) = try conversations.findMessages(
            in: conversation,
            of: account,
            before: try request.queryReader().keyCursor(),
            limit: Self.pageSize
        )
        let words = words(request)
        let links = site.baseURL.links(request, next: next.map { PageCursor(key: $0).token })
        var response = Response.uncached {
            $0.conversation(conversation, messages, words, base: site.baseURL.text) { json in
                json.warnings(words)
                json.links(links)
            }
        }
        response.headers[.link] = links.header
        return response
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await conversations.remove(id: context.parameters.uuid(orElse: "no such conversation"), of: context.account)
        return .noContent
    }

    @Sendable private func markRead(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["message"])
        let last = try fields["message"].map { try Field("message", $0).uuid() }
        let id = try context.parameters.uuid(orElse: "no such conversation")
        let (_, account) = try conversations.getConversation(id: id, ofMember: context.account)
        try await conversations.markRead(id: id, of: account, upTo: last)
        return .noContent
    }

    @Sendable private func blocks(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let blocks = try conversations.findBlocks(of: context.account)
        return .uncachedObject { json in
            json.array("blocks", blocks) { json, block in
                json.object { json in
                    json.field("id", block.id.lowercased)
                    json.field("about", block.about)
                    json.field("created_at", block.createdAt.text)
                }
            }
        }
    }

    @Sendable private func block(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["conversation"])
        let id = try Field("conversation", fields["conversation"] ?? .null).uuid()
        try await conversations.block(id: id, by: context.account)
        return .noContent
    }

    @Sendable private func unblock(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await conversations.unblock(
            id: context.parameters.uuid(orElse: "no such conversation"), by: context.account)
        return .noContent
    }

    private func words(_ request: Request) -> WarningWords {
        site.localization.localizer(request.preferredLanguage).warnings(host: site.baseURL.host)
    }
}

extension Localizer {
    func warnings(host: String) -> WarningWords {
        WarningWords(host: host) { self("warning.\($0.rawValue)") }
    }
}

extension BaseURL {
    /// The host name without the port.
    var host: String { URL(string: text)?.host() ?? "" }
}

extension Field {
    func uuid() throws(ServiceError) -> UUID {
        guard case .string(let text) = value, let id = UUID(uuidString: text) else { throw invalid("expected a UUID") }
        return id
    }
}
