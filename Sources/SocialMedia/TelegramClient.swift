import Domain
import Foundation
import OutgoingHTTP

/// Telegram's Bot API, https://core.telegram.org/bots/api.
struct TelegramClient: SocialClient {
    /// In UTF-16 code units, as Telegram counts: the caption of a photo, and a message.
    private static let (maxCaption, maxMessage) = (1024, 4096)

    let requests: SocialRequests
    let server: String
    let token: String
    let chat: String

    private struct Answer<Result: Decodable>: Decodable {
        let ok: Bool
        let result: Result?
        let description: String?
        let parameters: Parameters?

        struct Parameters: Decodable {
            let retryAfter: Int?
        }
    }

    private struct User: Decodable {
        let id: Int64
        let username: String?
        let firstName: String?
    }

    private struct Chat: Decodable {
        let title: String?
        let username: String?
    }

    private struct Member: Decodable {
        let status: String
        let canPostMessages: Bool?
    }

    private struct Message: Decodable {
        let messageId: Int64
    }

    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }

    func verify() async throws -> String {
        let bot: User
        do { bot = try await call("getMe", [:]) } catch SocialFailure.refused { throw SocialFailure.refused(.token) }
        do {
            return [name(of: bot), try await title(for: bot)].joined(separator: " → ")
        } catch SocialFailure.rejected {
            throw SocialFailure.refused(.chat)
        }
    }

    private func name(of bot: User) -> String { bot.username.map { "@\($0)" } ?? bot.firstName ?? "\(bot.id)" }

    /// Returns the title of the chat, if the bot may write there.
    private func title(for bot: User) async throws -> String {
        let chat: Chat = try await call("getChat", ["chat_id": .string(self.chat)])
        let member: Member = try await call(
            "getChatMember",
            ["chat_id": .string(self.chat), "user_id": .number(Double(bot.id))]
        )
        // Only administrators of a channel have this right, with either value.
        guard ["creator", "administrator", "member"].contains(member.status), member.canPostMessages != false else {
            throw SocialFailure.refused(.chat)
        }
        return chat.title ?? chat.username ?? self.chat
    }

    func post(_ content: SocialContent, _ photo: SocialContent.Photo?, key: String) async throws -> String {
        let text = Self.text(content, hasPhoto: photo != nil)
        let message: Message
        if let photo {
            let fields = [
                (name: "chat_id", value: chat), (name: "caption", value: text),
                (
                    name: "caption_entities",
                    value: String(decoding: try JSONEncoder().encode(Self.bold(content)), as: UTF8.self)
                ),
            ]
            message = try await call("sendPhoto", .form(fields, "photo", jpeg: photo.jpeg))
        } else {
            message = try await call(
                "sendMessage",
                ["chat_id": .string(chat), "text": .string(text), "entities": Self.bold(content)]
            )
        }
        return String(message.messageId)
    }

    func edit(_ id: String, _ content: SocialContent, hasPhoto: Bool) async throws {
        let text = JSONValue.string(Self.text(content, hasPhoto: hasPhoto))
        try await change(id, text, Self.bold(content), hasPhoto: hasPhoto)
    }

    private func change(_ id: String, _ text: JSONValue, _ entities: JSONValue, hasPhoto: Bool) async throws {
        let fields: [String: JSONValue] =
            hasPhoto ? ["caption": text, "caption_entities": entities] : ["text": text, "entities": entities]
        let _: Anything = try await call(
            hasPhoto ? "editMessageCaption" : "editMessageText",
            fields.merging(try address(id)) { $1 }
        )
    }

    /// Telegram deletes messages of more than 48 hours only for bots that may delete all messages.
    func delete(_ id: String, orShow words: String, hasPhoto: Bool) async throws {
        do {
            let _: Anything = try await call("deleteMessage", try address(id))
        } catch SocialFailure.rejected {
            try await change(id, .string(words), [], hasPhoto: hasPhoto)
            throw SocialFailure.rejected
        }
    }

    private func address(_ id: String) throws -> [String: JSONValue] {
        // The number was read from an answer of the service.
        guard let number = Double(id) else { throw SocialFailure.gone }
        return ["chat_id": .string(chat), "message_id": .number(number)]
    }

    private static func text(_ content: SocialContent, hasPhoto: Bool) -> String {
        content.text(atMost: hasPhoto ? maxCaption : maxMessage, \.utf16.count)
    }

    /// Texts have no markup, which users could write as well; the first line is bold by its place.
    private static func bold(_ content: SocialContent) -> JSONValue {
        let length = min(content.headline.utf16.count, 200)
        return [["type": "bold", "offset": .number(0), "length": .number(Double(length))]]
    }

    // MARK: - Calls

    private func call<Result: Decodable>(_ method: String, _ fields: [String: JSONValue]) async throws -> Result {
        try await call(method, try .json(fields))
    }

    private func call<Result: Decodable>(_ method: String, _ body: SocialRequests.Body) async throws -> Result {
        let answer = try await requests.send("\(server)/bot\(token)/\(method)", .post, body)
        if answer.status >= 500 { throw SocialFailure.busy(seconds: nil) }
        let content = try SocialRequests.read(Answer<Result>.self, from: answer)
        if content.ok, let result = content.result { return result }
        throw Self.failure(answer.status, content.description ?? "", content.parameters?.retryAfter)
    }

    /// Telegram tells by words what its statuses do not tell.
    private static func failure(_ status: Int, _ description: String, _ asked: Int?) -> SocialFailure {
        let words = description.lowercased()
        func says(_ parts: String...) -> Bool { parts.contains { words.contains($0) } }
        switch status {
        case 429: return .busy(seconds: asked)
        // Telegram answers 404 to a path with a token that is none.
        case 401, 404: return .refused(.token)
        case 403: return .refused(.chat)
        case 400
        where says("chat not found", "not enough rights", "have no rights", "need administrator rights", "upgraded"):
            return .refused(.chat)
        case 400 where says("message to delete not found", "message to edit not found", "message_id_invalid"):
            return .gone
        default: return .rejected
        }
    }
}
