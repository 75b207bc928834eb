package import Foundation

/// An account at another service, where new listings of an area are posted.
package struct SocialAccount: Sendable {
    package enum Service: String, CaseIterable, Sendable {
        case telegram
        case mastodon
    }

    /// Why posts did not succeed.
    package enum Problem: String, CaseIterable, Sendable {
        /// The service does not accept the token, or not for posts.
        case token
        /// There is no such chat, or the bot may not write there.
        case chat
        /// The service refused one post, which was given up.
        case rejected
        /// The service did not answer until a post was given up.
        case unreachable

        /// Whether nothing is posted until somebody has corrected it.
        package var pauses: Bool { self == .token || self == .chat }
    }

    /// Where an account is, without its token.
    package struct Address: Equatable, Sendable {
        package let service: Service
        /// The origin of a Mastodon server; nil for Telegram, whose server the operator names.
        package let server: String?
        /// The chat of a Telegram bot.
        package let chat: String?

        /// - Parameter server: an origin.
        package static func mastodon(_ server: String) -> Address {
            Address(service: .mastodon, server: server, chat: nil)
        }

        /// - Parameter chat: the name of a public chat with an @, or the number of a chat.
        package static func telegram(chat: String) throws(ServiceError) -> Address {
            guard chat.wholeMatch(of: /@[A-Za-z][A-Za-z0-9_]{3,31}|-?[0-9]{1,19}/) != nil else {
                throw .invalid("chat", "expected @name of a public channel or group, or the number of a chat")
            }
            return Address(service: .telegram, server: nil, chat: chat)
        }

        package init(service: Service, server: String?, chat: String?) {
            (self.service, self.server, self.chat) = (service, server, chat)
        }
    }

    /// Which listings are posted, and in which language.
    package struct Selection: Equatable, Sendable {
        package let centre: Coordinate
        /// In metres.
        package let radius: Int
        /// Nil for all.
        package let species: Species?
        package let language: Language

        package init(centre: Coordinate, radius: Int, species: Species?, language: Language) {
            (self.centre, self.radius, self.species, self.language) = (centre, radius, species, language)
        }
    }

    /// In metres.
    package static let radii = 1_000...1_000_000
    package static let defaultRadius = 25_000
    /// The most accounts of one organisation, and of the site.
    package static let maxCount = 5
    package static let maxNameLength = 200

    /// The key of the row.
    package let key: Int64
    package let id: UUID
    /// The `Account.key` of the organisation that has it; nil for the site.
    package let owner: Int64?
    package let address: Address
    /// The name of the account at the service.
    package let name: String
    package let selection: Selection
    package let isPaused: Bool
    package let problem: Problem?
    package let problemAt: Timestamp?
    package let createdAt: Timestamp

    package init(
        key: Int64,
        id: UUID,
        owner: Int64?,
        address: Address,
        name: String,
        selection: Selection,
        isPaused: Bool,
        problem: Problem?,
        problemAt: Timestamp?,
        createdAt: Timestamp
    ) {
        (self.key, self.id, self.owner, self.address, self.name) = (key, id, owner, address, name)
        (self.selection, self.isPaused) = (selection, isPaused)
        (self.problem, self.problemAt, self.createdAt) = (problem, problemAt, createdAt)
    }
}
