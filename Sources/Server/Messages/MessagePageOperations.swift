import Domain

extension Operation {
    /// Writing to owners and the inbox, in a browser.
    static let messagePages = [
        page(
            "/listings/{id}/write",
            "getWritePage",
            "The form that writes to an owner",
            parameters: [.id],
            headers: [.contentLanguage, .setCookie],
            responses: [.elsewhere("Where there is a conversation already, to it.")],
            errors: [.notFound]
        ),
        form(
            "/listings/{id}/write",
            "submitMessage",
            "Write to an owner",
            access: .known,
            description: "The `id` makes sure that it is sent once, however often the form is.",
            parameters: [.id],
            fields: fields,
            required: ["text"],
            example: example,
            responses: refused,
            errors: [.notFound, .tooLarge, .unsupportedMediaType]
        ),
        page(
            "/inbox",
            "getInboxPage",
            "One's conversations",
            parameters: [
                .query("listing", .uuid, "One's own listing: only those about it.", example: .string(Sample.listing))
                    .orEmpty,
                Parameter.cursor.orEmpty,
            ],
            errors: [.invalid]
        ),
        page(
            "/inbox/{id}",
            "getConversationPage",
            "A conversation, and the form that answers",
            access: .signedIn,
            parameters: [conversation, Parameter.cursor.orEmpty],
            errors: [.invalid, .notFound]
        ),
        form(
            "/inbox/{id}",
            "submitAnswer",
            "Answer",
            parameters: [conversation],
            fields: fields,
            required: ["text"],
            example: example,
            responses: refused,
            errors: [.notFound, .tooLarge, .unsupportedMediaType]
        ),
        form(
            "/inbox/{id}/delete",
            "submitConversationDeletion",
            "Delete a conversation for oneself",
            parameters: [conversation],
            errors: [.notFound]
        ),
        form(
            "/inbox/{id}/block",
            "submitBlock",
            "Block who it is with",
            parameters: [conversation],
            errors: [.notFound]
        ),
        form(
            "/inbox/{id}/unblock",
            "submitUnblock",
            "Let them through again",
            parameters: [conversation],
            errors: [.notFound]
        ),
    ]

    private static let conversation = Parameter.path(
        "id",
        .uuid,
        "Of the conversation.",
        example: .string(Sample.conversation)
    )
    private static let example: JSONValue = [
        "text": "I saw him this morning near the station.", "contact_name": "Bruno",
    ]
    private static let fields: [String: Schema] = [
        "id": .any(of: [.uuid, .choice([""])]), "text": .messageText,
        "contact_name": .plainText(ListingContent.MaxLength.contactName),
        "contact_phone": Schema.formFields(["phone"], of: Schema.profile)["phone"] ?? .text(),
        "contact_email": .any(of: [.email, .choice([""])]),
        "mark": .plainText(ListingContent.MaxLength.secretMark),
    ]
    private static let refused: [ResponseDescription] = [
        .page(status: 400, "The form again, and what is wrong."),
        .page(status: 409, "The form again: no more is to be written."),
        .page(status: 429, "The form again: too much was written in a short time."),
    ]
}
