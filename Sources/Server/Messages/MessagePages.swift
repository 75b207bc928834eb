import Credentials
import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Pages
import Storage

/// The pages to write to owners, and the inbox. Browsers must not store them.
struct MessagePages {
    let site: Site
    let messages: MessageService
    let accountService: AccountService

    private var conversations: ConversationStore { messages.conversations }

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id/write", use: form)
        router.post("/listings/:id/write", use: write)
        router.get("/inbox", use: inbox)
        router.get("/inbox/:id", use: show)
        router.post("/inbox/:id", use: answer)
        router.post("/inbox/:id/delete", use: remove)
        router.post("/inbox/:id/block", use: block)
        router.post("/inbox/:id/unblock", use: unblock)
        router.post("/inbox/:id/report", use: report)
    }

    // MARK: - Writing to an owner

    @Sendable private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = context.caller?.account
        let listing = try site.stores.listings.get(context.parameters, seenBy: account, Listing.init)
        guard listing.origin == nil else { return site.page.redirect("/listings/\(listing.id.lowercased)") }
        guard let account else {
            var response = page(request, nil) { $0.write(about: listing) }
            // The token is set already with the form, so that a form sent twice, because a response was lost, comes
            // from the same guest account.
            if context.cookie == nil { site.page.cookie.set(Token(), in: &response) }
            return response
        }
        let known = try conversations.findConversations(
            of: account,
            about: listing.key,
            includingBlocked: true,
            limit: 1
        ).conversations.first
        if listing.owner == account.key { return site.page.redirect("/inbox?listing=\(listing.id.lowercased)") }
        if let known { return site.page.redirect(path(known.id)) }
        return page(request, account) { $0.write(about: listing) }
    }

    @Sendable private func write(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let listing = try site.stores.listings.get(context.parameters, seenBy: viewer, Listing.init)
        let sent = try await site.page.forms.read(request, maxPhotos: 1)
        return try await attempt(sent, request) {
            try sent.expectSession(context)
            let content = try message(sent, request)
            let photo = try sent.photo()
            // The message is checked before a guest account is created, so that a refused message leaves no account
            // behind.
            if viewer == nil { try listing.expectMessage(content) }
            let token = context.cookie ?? Token()
            let account = try await accountService.account(request, context, token)
            let message = try await messages.send(
                content,
                photo: photo,
                in: site.page.pageLanguage(request),
                id: sent.key?.id(for: account) ?? UUID(),
                to: .owner(ofListing: listing.id),
                by: account,
                from: context.client
            )
            var response = site.page.redirect(path(message.conversation), done: "inbox.sent")
            site.page.keep(token, of: account, context, in: &response)
            return response
        } again: { form, status in
            page(request, viewer, status: status) { $0.write(about: listing, nil, form) }
        }
    }

    // MARK: - The inbox

    @Sendable private func inbox(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = QueryReader(request.parameters)
        let cursor = try query.keyCursor()
        let about = try query.text("listing").map { try Field("listing", .string($0)).uuid() }
        var values = request.parameters.filter { InboxView.names.contains($0.key) && !$0.value.isEmpty }
        guard let viewer = context.caller?.account else { return page(request, nil) { $0.inbox([], next: nil) } }
        let listing = try about.flatMap { id in
            try site.stores.listings.findListing(id: id, Listing.init).flatMap { viewer.acts(for: $0.owner) ? $0 : nil }
        }
        let account = try listing.map { try site.stores.listings.actor(viewer, at: $0) } ?? viewer
        if listing == nil { values["listing"] = nil }
        var (search, problem): (ListSearch?, ServiceError?)
        do {
            search = try values["q"].map { try site.queries.readList($0, language: site.page.pageLanguage(request)) }
        } catch let error as ServiceError where error.field == "q" {
            problem = error
        }
        let (found, next) = try conversations.findConversations(
            of: account,
            about: listing?.key,
            matching: search,
            before: cursor,
            limit: PageSize.conversations.defaultLimit
        )
        let more = next.map { key in
            "/inbox" + BoardFilters.query(values.merging(["cursor": PageCursor(key: key).token]) { $1 })
        }
        // The blocks are shown on the first page only.
        let isStart = cursor == nil && values.isEmpty
        let blocks = try isStart ? conversations.findBlocks(of: account) : []
        let waiting = try isStart ? site.page.sightings.findWaiting(for: account) : []
        return page(request, account, status: problem == nil ? .ok : .badRequest) {
            $0.inbox(
                found,
                about: listing,
                values: values,
                reading: search?.reading,
                problem: problem,
                sightings: waiting.map { ($0.listing, $0.name, $0.species, $0.count) },
                blocks: blocks.map { ($0.id, $0.about, $0.createdAt) },
                next: more
            )
        }
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (conversation, account) = try get(context)
        let cursor = try QueryReader(request.parameters).keyCursor()
        // Showing the newest page marks the messages as read.
        if cursor == nil, conversation.unread > 0 {
            try await conversations.markRead(id: conversation.id, of: account, upTo: conversation.last.id)
        }
        return try show(conversation, MessageForm(), before: cursor, request, account)
    }

    private func show(
        _ conversation: Conversation,
        _ form: MessageForm,
        before cursor: Int64? = nil,
        _ request: Request,
        _ account: Account,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let (messages, next) = try conversations.findMessages(
            in: conversation,
            of: account,
            before: cursor,
            limit: MessageRoutes.pageSize
        )
        let meeting = try site.stores.matches.findMeeting(in: conversation)
        let older = next.map { path(conversation.id) + "?cursor=\(PageCursor(key: $0).token)" }
        return page(request, account, status: status) {
            $0.conversation(
                conversation,
                messages,
                older: older,
                meeting: meeting.map { ($0.own, $0.other) },
                form,
                host: site.baseURL.host
            )
        }
    }

    @Sendable private func answer(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (conversation, account) = try get(context)
        let sent = try await site.page.forms.read(request, maxPhotos: 1)
        return try await attempt(sent, request) {
            let answer = try await messages.send(
                try message(sent, request),
                photo: try sent.photo(),
                in: site.page.pageLanguage(request),
                id: sent.key?.id(for: account) ?? UUID(),
                to: .conversation(conversation.id),
                by: account,
                from: context.client
            )
            return site.page.redirect(path(conversation.id) + "#m-\(answer.message.id.lowercased)")
        } again: { form, status in
            try show(conversation, form, request, account, status: status)
        }
    }

    @Sendable private func remove(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (conversation, account) = try get(context, asManager: true)
        try await conversations.remove(id: conversation.id, of: account)
        return site.page.redirect("/inbox", done: "inbox.deleted")
    }

    @Sendable private func block(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (conversation, account) = try get(context, asManager: true)
        try await conversations.block(id: conversation.id, by: account)
        return site.page.redirect(path(conversation.id))
    }

    /// Reports a message as a scam, and blocks its sender, which takes the conversation out of the inbox. The list of blocks
    /// undoes that.
    @Sendable private func report(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (conversation, account) = try get(context, asManager: true)
        let message = try Field("message", .string(try await site.page.forms.read(request)["message"] ?? "")).uuid()
        try await site.stores.reports.file(
            Report.Draft(subject: .message, id: message, reason: .scam, text: nil), by: account)
        try await conversations.block(id: conversation.id, by: account)
        return site.page.redirect("/inbox", done: "inbox.reported")
    }

    @Sendable private func unblock(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let id = try context.parameters.uuid(orElse: "no such conversation")
        try await conversations.unblock(id: id, by: account)
        // The conversation may have been deleted, and then there is no page to return to.
        let isThere = (try? conversations.getConversation(id: id, of: account)) != nil
        return site.page.redirect(isThere ? path(id) : "/inbox")
    }

    // MARK: - Common code

    /// Returns the conversation in the path, and the account that has it: the viewer, or an organisation of the viewer.
    ///
    /// - Parameter asManager: whether members of the organisation must be managers.
    private func get(_ context: ServiceContext, asManager: Bool = false) throws -> (Conversation, Account) {
        let viewer = try SignedInContext(context: context).account
        let id = try context.parameters.uuid(orElse: "no such conversation")
        let (conversation, account) = try conversations.getConversation(id: id, ofMember: viewer)
        guard !asManager || viewer.manages(account.key) else {
            throw ServiceError(.forbidden, "this is for managers of the organisation")
        }
        return (conversation, account)
    }

    func path(_ conversation: UUID) -> String { "/inbox/\(conversation.lowercased)" }

    /// Renders a page for one reader only. The browser does not show it again after the reader has signed out.
    func page<View: PageView>(
        _ request: Request,
        _ viewer: Account?,
        status: HTTPResponse.Status = .ok,
        _ page: (PageBuilder) -> View
    ) -> Response {
        site.page.show(request, viewer, status: status, isPrivate: true, page)
    }

    /// Returns the message that the form has. Its point is the one that the device gave, which exchanges nothing.
    private func message(_ sent: FormReader.SubmittedForm, _ request: Request) throws -> MessageContent {
        let content = try sent.message
        try messages.expectPlausible(content, isPointConfirmed: true, in: site.page.pageLanguage(request))
        return content
    }

    /// Runs `body`, and shows the form again with its input if it throws an error that the user can correct.
    func attempt(
        _ sent: FormReader.SubmittedForm,
        _ request: Request,
        _ body: () async throws -> Response,
        again: (MessageForm, HTTPResponse.Status) throws -> Response
    ) async throws -> Response {
        try await site.page.handleForm(body) { error, status in
            // The form keeps its key: if the message was written although an error was reported, sending it again does
            // not write it twice. If another text was written with the key, the form gets a new one.
            let key = error == .usedIdempotencyKey ? nil : sent.typed["key"]
            let problem = site.page.localizer(request).problem(error)
            return try again(MessageForm(key: key ?? UUID().lowercased, sent.typed, problem: problem), status)
        }
    }
}

extension FormReader.SubmittedForm {
    var message: MessageContent {
        get throws {
            try MessageContent(values(typed.filter { MessageContent.fieldNames.contains($0.key) }))
        }
    }
}

extension Listing {
    /// Throws the same errors as `ConversationStore.write`, for a writer who has no account yet.
    fileprivate func expectMessage(_ message: MessageContent) throws(ServiceError) {
        if let origin { throw ServiceError.copiedListing(origin) }
        guard content.status?.isOpen == true else { throw ServiceError.closedListing }
        guard content[.secretMark] == nil || message.mark != nil else { throw ServiceError.missingMark }
        try TelephoneNumber.expectPossible(message.contactPhone, in: location.countryCode, field: "contact_phone")
    }
}
