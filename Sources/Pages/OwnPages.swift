package import Domain

/// One's own listings.
package struct MyListingsPage: Page {
    package let template = "my"
    package let section = PageSection.mine
    let cards: [ListingCard]
    /// The path and query of the next page.
    let next: String?

    package init(cards: [ListingCard], next: String?) {
        self.cards = cards
        self.next = next
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        [
            "title": compose.wording("my.title"), "hasListings": !cards.isEmpty,
            "items": cards.map { $0.content(compose) },
            "next": next.map(compose.path) ?? "",
        ]
    }
}

/// Who one is, or the ways in.
package struct AccountPage: Page {
    package let template = "account"
    package let section = PageSection.account
    let account: Account?
    /// What was typed into a form that was refused.
    let typed: [String: String]
    let problem: ServiceError?

    package init(_ account: Account?, typed: [String: String] = [:], problem: ServiceError? = nil) {
        self.account = account
        self.typed = typed
        self.problem = problem
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        let profile = account?.profile
        let kept = [
            "first_name": profile?.firstName, "last_name": profile?.lastName, "phone": profile?.phone,
        ].compactMapValues(\.self)
        return [
            "title": compose.wording("account.title"), "isUser": account.map { $0.role != .guest } ?? false,
            "email": account?.email ?? "", "picture": profile?.picture.map(address(compose)) ?? "",
            "f": kept.merging(typed) { $1 },
            "problem": problem.map(compose.wording.problem) ?? "",
        ]
    }
}

extension AccountPage {
    /// A picture kept here is told by its path, another one by its whole address.
    private func address(_ compose: Composer) -> (String) -> String {
        { $0.hasPrefix("/") ? compose.path($0) : $0 }
    }
}

/// Asks before something is gone for good.
package struct DeletePage: Page {
    package let template = "delete"
    package let section = PageSection.none
    let listing: Listing?

    /// - Parameter listing: nil for the account with all its listings.
    package init(listing: Listing?) {
        self.listing = listing
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        let wording = compose.wording
        guard let listing else {
            return [
                "title": wording("delete.title"), "question": wording("delete.account"),
                "action": compose.path("/account/delete"), "back": compose.path("/account"),
            ]
        }
        let own = compose.path("/listings/\(listing.id.uuidString.lowercased())")
        return [
            "title": wording("delete.title"), "action": own + "/delete", "back": own,
            "question": wording("delete.listing", ["name": wording.name(listing.content)]),
        ]
    }
}

/// Search by photo.
package struct PhotoSearchPage: Page {
    package let template = "photo-search"
    package let section = PageSection.board
    /// The key of a text.
    let problem: String?

    package init(problem: String? = nil) {
        self.problem = problem
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        ["title": compose.wording("photo.title"), "problem": problem.map { compose.wording($0) } ?? ""]
    }
}

/// A page that only says something: nothing here, not yours, our fault, offline.
package struct MessagePage: Page {
    package enum Message: String, CaseIterable, Sendable {
        case missing
        case forbidden
        case failure
        case offline
    }

    package let template = "message"
    package let section = PageSection.none
    let message: Message
    /// Said in place of the message's own explanation.
    let problem: ServiceError?

    package init(_ message: Message, problem: ServiceError? = nil) {
        self.message = message
        self.problem = problem
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        let title = compose.wording("\(message.rawValue).title")
        let explanation = problem.map(compose.wording.problem) ?? compose.wording("\(message.rawValue).explanation")
        return ["title": title, "heading": title, "explanation": explanation]
    }
}
