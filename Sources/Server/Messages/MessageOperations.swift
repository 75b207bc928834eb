import Domain
import HTTP
import MessageWarnings
import OpenAPI

extension Operation {
    static let messages = tagged(.messages) {
        send("/v1/listings/{id}/messages", "writeMessage", "Write to the owner of a listing", to: [.id])
            .described(
                """
                Neither learns of the other what they do not write: a message shows the contacts in it, and none of the profile. Where \
                the listing says `asks_for_mark`, the first message has to say a `mark`; its owner sees whether it is the one. A sender whom the owner has blocked is answered as ever.
                """
            )
        get("/v1/listings/{id}/messages", "listListingConversations", "The conversations about a listing")
            .signedIn.taking(.id, .cursor, .acceptLanguage)
            .described("Its owner's all of them, the writer's own; of the newest message the newest first.")
            .answering(.json("A page of conversations.", .named("ConversationList"), headers: [.link]))
        get("/v1/me/conversations", "listConversations", "The inbox")
            .signedIn
            .taking(
                .query(
                    "q", .queryText,
                    """
                    Only conversations about listings that `q` of the board would find, closed ones too, or those in whose newest \
                    50 messages and name of the other one all words are.
                    """,
                    example: "cane nero"
                ), .limit(.conversations), .cursor, .acceptLanguage
            )
            .described("All conversations, as owner and as writer; of the newest message the newest first.")
            .answering(.json("A page of conversations.", .named("ConversationList"), headers: [.link]))
        get("/v1/me/conversations/{id}", "getConversation", "A conversation and its messages")
            .signedIn.taking(.id(of: "conversation"), .cursor, .acceptLanguage)
            .described("The newest message first, 50 on a page. It is not marked as read by that.")
            .answering(.json("The conversation.", .named("WholeConversation"), headers: [.link]))
        delete("/v1/me/conversations/{id}", "deleteConversation", "Delete a conversation for oneself")
            .signedIn.taking(.id(of: "conversation"))
            .described(
                "The other one keeps it; what they write later brings it back. Where both have deleted it, it is gone.")
        send(
            "/v1/me/conversations/{id}/messages", "answerMessage", "Answer in a conversation",
            to: [.id(of: "conversation")]
        )
        .described("Also when the listing is closed; not when it was taken off the board.")
        post("/v1/me/conversations/{id}/read", "markConversationRead", "Mark messages as read")
            .signedIn.taking(.id(of: "conversation"))
            .sending(.json(.named("ReadMark"), example: ["message": .sampleID], isRequired: false))
        get("/v1/me/blocks", "listBlocks", "List the blocked accounts")
            .signedIn
            .described("The last one first; each by the name of the listing that it was about, where it had one.")
            .answering(.json("All of them.", .named("Blocks")))
        post("/v1/me/blocks", "blockCorrespondent", "Block who one has a conversation with")
            .signedIn
            .described(
                "Nothing of theirs arrives any more, about any listing. They are not told, and answered as ever."
            )
            .sending(.json(.named("NewBlock"), example: ["conversation": .sampleID]))
            .failing(.notFound)
        delete("/v1/me/blocks/{id}", "unblockCorrespondent", "Let them through again")
            .signedIn.taking(.id(of: "conversation"))
            .described("By the block, or by a conversation with them. What they wrote meanwhile stays away.")
    }

    private static let example: JSONValue = [
        "text": "I saw him this morning near the station.", "contact_name": "Bruno", "contact_phone": "+39 333 7654321",
    ]

    /// An operation that sends a message.
    ///
    /// - Parameter address: the parameters of the path.
    static func send(
        _ path: String,
        _ id: String,
        _ summary: String,
        to address: [Parameter],
        example: JSONValue = example
    ) -> Operation {
        post(path, id, summary)
            .signedIn.taking(address + [.acceptLanguage, .idempotencyKey])
            .sending(.withPhoto("NewMessage", example: example, form: .named("NewMessageForm")))
            .answering(
                .json(status: 201, "The message, as its sender sees it.", .named("SentMessage"), headers: [.location])
            )
            .failing(.conflict)
    }
}

extension Schema {
    static let messages: [String: Schema] = [
        "Blocks": .object([
            "blocks": .list(of: .object(["id": .uuid, "about": .text().orNull, "created_at": .timestamp]))
        ]),
        "NewBlock": .request(["conversation": .uuid]),
        "ReadMark": .request(optional: ["message": .uuid.described("The last one that was read; else the last one.")]),
        "NewMessage": .request(
            ["text": messageText],
            optional: [
                "contact_name": .plainText(ListingField.contactName.maxLength).orNull, "contact_phone": .phone,
                "contact_email": .contactEmail,
                "mark": .plainText(ListingField.secretMark.maxLength).orNull.described(
                    "What the writer knows of the mark that the owner keeps secret."
                ),
                "lon": .longitude.orNull.described("A place to tell, exactly; with `lat`."), "lat": .latitude.orNull,
                PointConfirmation.fieldName: .pointConfirmed,
            ]
        ),
        "NewMessageForm": .request(
            ["text": messageText],
            optional: [
                "contact_name": .plainText(ListingField.contactName.maxLength), "contact_phone": .phone,
                "contact_email": .contactEmail, "mark": .plainText(ListingField.secretMark.maxLength),
                "lon": .longitude, "lat": .latitude, PointConfirmation.fieldName: .pointConfirmed, "photo": .photoFile,
            ]
        ),
        "Message": .object(message, optional: forOwner),
        "SentMessage": .object(message.merging(["warnings": warnings]) { $1 }),
        "Conversation": .object(conversation),
        "WholeConversation": .object(
            conversation.merging([
                "messages": .list(of: .named("Message")), "warnings": warnings, "links": .list(of: .named("Link")),
            ]) { $1 }
        ),
        "ConversationList": .object([
            "conversations": .list(of: .named("Conversation")), "numberReturned": .integer(atLeast: 0),
            "warnings": warnings, "links": .list(of: .named("Link")),
        ]),
        "MessageWarning": .object(["code": .choice(MessageWarning.self), "text": .text()]),
    ]

    /// One or more lines with at least one character that is not white space.
    static let messageText = text(
        1...MessageContent.maxLength,
        pattern:
            #"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*[^\s\u0000-\u001F\u007F-\u009F][^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$"#
    ).described("At least one sign that is no white space.")

    private static let warnings = list(of: .named("MessageWarning")).described("What everybody is warned of.")
    private static let forOwner = [
        "mark_matches": flag.described("Whether the mark is that of the listing; for its owner alone.")
    ]
    private static let message: [String: Schema] = [
        "id": .uuid, "conversation": .uuid, "mine": .flag, "text": .text(), "contact_name": .text().orNull,
        "contact_phone": .text().orNull, "contact_phone_e164": .e164, "contact_email": .text().orNull,
        "mark": .text().orNull,
        "lon": .number(-180...180).orNull.described("The place that the sender tells, exactly."),
        "lat": .number(-90...90).orNull, "place": .text().orNull.described("The town of that place."),
        "photo": .attachedPhoto,
        "warning": .object(["code": .choice(MessageWarning.self), "text": .text()]).orNull.described(
            "For its reader: what to beware of, by a few words that swindlers use."
        ),
        "created_at": .timestamp,
    ]
    private static let conversation: [String: Schema] = [
        "id": .uuid,
        "listing": .object([
            "id": .uuid, "name": .text().orNull, "species": .choice(Species.self),
            "status": .choice(Listing.Status.self),
        ]),
        "role": .choice(Conversation.Role.self).described("Whether the listing is one's own."),
        "correspondent": .text().orNull.described("As the other one called themselves last."),
        "unread": .integer(atLeast: 0), "blocked": .flag,
        "asks_for_mark": .flag.described("Whether the next message has to say a `mark`."), "created_at": .timestamp,
        "updated_at": .timestamp, "last_message": .named("Message"),
    ]
}

extension PageSize {
    static let conversations = PageSize(defaultLimit: 20, maxLimit: 100)
}
