import Credentials
import Domain
import HTTPTypes
import Storage

extension Operation {
    /// What browsers send without a script.
    static let forms = [
        form(
            "/photo-search",
            "submitPhotoSearch",
            "Search by a photo",
            access: .known,
            fields: ["photo": file],
            required: ["photo"],
            responses: [.page("The photo shows no breed."), .page(status: 400, "There is no photo that can be read.")]
        ),
        form(
            "/post",
            "submitPost",
            "Post a listing",
            access: .known,
            description: "The `id` makes sure that it is posted once, however often it is sent.",
            fields: listing.merging(["id": .orEmpty(.uuid), "photos": .list(of: file, 0...ListingPhoto.maxCount)]) {
                $1
            },
            required: ["status"],
            example: ["status": "lost", "name": "Argo", "place": "Fisciano"],
            responses: [.page(status: 400, "The form again, and what is wrong.")]
        ),
        ownersForm(
            "edit",
            "submitEdit",
            "Change a listing",
            description: "All of its fields: what is left out or empty is cleared.",
            fields: listing.merging(
                [
                    "version": .orEmpty(.integer(FormReader.versions)),
                    "photos": .list(of: file, 0...ListingPhoto.maxCount),
                    "remove_photo": photoNumber,
                ]
            ) { $1 },
            required: ["status"],
            example: ["status": "lost", "name": "Argo", "place": "Fisciano"],
            responses: [
                .page(status: 400, "The form again, and what is wrong."),
                .page(status: 409, "The form again: it was changed meanwhile."),
            ]
        ),
        ownersForm(
            "status",
            "submitStatus",
            "Say what became of it",
            fields: ["status": .choice(Listing.Status.self)],
            required: ["status"],
            example: ["status": "reunited"]
        ),
        ownersForm("renew", "submitRenewal", "Say that a listing still holds"),
        ownersForm("delete", "submitDeletion", "Delete a listing", fields: confirmation, example: ["confirmed": "yes"]),
        form(
            "/account/register",
            "submitRegistration",
            "Register",
            access: .known,
            fields: Schema.formFields(["first_name", "phone"], of: Schema.profile).merging(credentials) { $1 },
            required: ["email", "password"],
            example: ["email": "anna@example.org", "password": "correct horse"],
            errors: bodyRefusals + [.conflict]
        ),
        form(
            "/account/sign-in",
            "submitSignIn",
            "Sign in",
            access: .known,
            fields: ["email": .text(), "password": .text()],
            required: ["email", "password"],
            example: ["email": "anna@example.org", "password": "correct horse"],
            errors: bodyRefusals
        ),
        form(
            "/report",
            "submitReport",
            "Report something, or ask for another look",
            access: .known,
            description: "Who has no account becomes a guest by it.",
            fields: [
                "subject": .choice(Report.Subject.self), "id": .uuid, "reason": .choice(Report.Reason.self),
                "text": .plainLines(Report.MaxLength.text),
            ],
            required: ["subject", "id", "reason"],
            example: ["subject": "listing", "id": .string(Sample.listing), "reason": "scam"],
            responses: [
                .page(status: 400, "The form again, and what is wrong."), .page(status: 409, "It is one's own."),
            ],
            errors: bodyRefusals + [.notFound]
        ),
        form(
            "/moderation/reports/{id}",
            "submitDecision",
            "Decide a report",
            access: .admin,
            parameters: [.path("id", .uuid, "Of the report.", example: .string(Sample.listing))],
            fields: [
                "action": .choice(["dismiss", "uphold", "hide", "restore", "remove", "ban", "unban"]),
                "reason": .orEmpty(.choice(Report.Reason.ofModerators.map(\.rawValue))),
                "note": .text(0...Report.MaxLength.note),
                "days": .orEmpty(.integer(1...3650)).described("How long a ban lasts; for good without it."),
                "status": .choice(Report.Status.self), "sort": .choice(ReportStore.Query.Order.self),
            ],
            required: ["action"],
            example: ["action": "dismiss"],
            responses: [
                .page(status: 400, "The queue again, and what is wrong."), .page(status: 404, "It is gone."),
                .page(status: 409, "Another moderator was faster."),
            ],
            errors: bodyRefusals + [.notFound]
        ),
        form(
            "/account/sign-out",
            "submitSignOut",
            "Sign out",
            access: .known,
            fields: ["sure": .text().described("`yes` of a guest, who is asked before.")],
            example: ["sure": "yes"],
            responses: [.page("A guest is asked first.")],
            errors: bodyRefusals
        ),
        form(
            "/account/profile",
            "submitProfile",
            "Change the profile",
            fields: Schema.formFields(["first_name", "last_name", "phone"], of: Schema.profile),
            example: ["first_name": "Anna", "phone": "+39 333 1234567"],
            errors: bodyRefusals
        ),
        form(
            "/account/picture",
            "submitPicture",
            "Set or remove the picture",
            fields: ["photo": file, "remove": .text().described("Anything removes it.")],
            responses: [.page(status: 400, "The profile again, and what is wrong.")]
        ),
        form(
            "/account/password",
            "submitPassword",
            "Change the password",
            fields: ["current_password": .text(), "password": .text(Field.passwordLengths)],
            required: ["current_password", "password"],
            example: ["current_password": "correct horse", "password": "battery staple"],
            errors: bodyRefusals + [.conflict]
        ),
        form(
            "/account/email",
            "submitAddress",
            "Change the e-mail address",
            fields: ["current_password": .text(), "email": .email],
            required: ["current_password", "email"],
            example: ["current_password": "correct horse", "email": "anna@example.com"],
            errors: bodyRefusals + [.conflict]
        ),
        form(
            "/account/verify",
            "submitVerification",
            "Show that an address is yours",
            access: .known,
            fields: ["token": .text(), "password": .text().described("The one that was chosen.")],
            required: ["token"],
            errors: bodyRefusals + [.notFound, .conflict]
        ),
        form(
            "/account/reset",
            "submitReset",
            "Ask for a mail for a new password",
            access: .known,
            fields: ["email": .email],
            required: ["email"],
            example: ["email": "anna@example.org"],
            errors: bodyRefusals + [.notFound]
        ),
        form(
            "/account/new-password",
            "submitNewPassword",
            "Set a new password",
            access: .known,
            fields: ["token": .text(), "password": .text(Field.passwordLengths)],
            required: ["token", "password"],
            errors: bodyRefusals + [.notFound]
        ),
        form(
            "/account/sessions",
            "submitSessions",
            "Sign out somewhere else",
            fields: ["id": .uuid.described("Of one session; without it all others end.")],
            errors: bodyRefusals + [.notFound]
        ),
        form(
            "/account/delete",
            "submitAccountDeletion",
            "Delete the account",
            fields: confirmation,
            example: ["confirmed": "yes"],
            errors: bodyRefusals
        ),
    ]
}

// MARK: - What they share

extension Operation {
    private static let photoNumber = Schema.orEmpty(.integer(1...ListingPhoto.maxCount))
    private static let file = Schema.text(format: "binary").described("A JPEG, PNG or WebP; in a multipart form.")
    private static let confirmation = ["confirmed": Schema.text().described("`yes`, else it asks again.")]
    private static let credentials = ["email": Schema.email, "password": Schema.text(Field.passwordLengths)]
    private static let listing = Schema.formFields(
        ListingContent.fieldNames.filter { $0 != "reference" },
        of: Schema.writtenFields
    )
    /// Of a form that is read before it is shown again.
    private static let bodyRefusals: [ErrorResponse] = [.invalid, .tooLarge, .unsupportedMediaType]

    /// - Parameter responses: those that it gives besides leading on to a page.
    static func form(
        _ path: String,
        _ id: String,
        _ summary: String,
        access: Access = .signedIn,
        description: String? = nil,
        parameters: [Parameter] = [],
        fields: [String: Schema] = [:],
        required: Set<String> = [],
        example: JSONValue? = nil,
        responses: [ResponseDescription] = [],
        errors: [ErrorResponse] = []
    ) -> Operation {
        let files = ["photo", "photos"].filter { fields[$0] != nil }
        func schema(_ type: String) -> Schema {
            let here = type == "multipart/form-data" ? fields : fields.filter { !files.contains($0.key) }
            return .object(
                here.filter { required.contains($0.key) },
                optional: here.filter { !required.contains($0.key) }
            )
        }
        // Files come in one of the encodings alone.
        let types = required.contains("photo") ? [] : ["application/x-www-form-urlencoded"]
        return Operation(
            .post,
            path,
            id,
            .pages,
            summary,
            description: [description, "From pages of this site only, by `Sec-Fetch-Site` or `Origin`."].compactMap(
                \.self
            )
            .joined(separator: " "),
            access: access,
            parameters: parameters + [origin],
            body: fields.isEmpty
                ? nil
                : RequestBodyDescription(
                    (types + ["multipart/form-data"]).map { ($0, schema($0), example) },
                    files: files
                ),
            responses: [.elsewhere("Done: on to a page.", headers: [.setCookie])] + responses,
            errors: [.forbidden] + errors,
            isStrict: false
        )
    }

    private static func ownersForm(
        _ name: String,
        _ id: String,
        _ summary: String,
        description: String? = nil,
        fields: [String: Schema] = [:],
        required: Set<String> = [],
        example: JSONValue? = nil,
        responses: [ResponseDescription] = []
    ) -> Operation {
        let isRead = !fields.isEmpty && responses.isEmpty
        return form(
            "/listings/{id}/" + name,
            id,
            summary,
            description: description,
            parameters: [.id],
            fields: fields,
            required: required,
            example: example,
            responses: responses,
            errors: [.notFound] + (isRead ? bodyRefusals : [])
        )
    }

    private static let origin = Parameter.header(
        "Sec-Fetch-Site",
        .text(),
        "`same-origin` or `none`, as browsers write it; programs may send it too.",
        example: "same-origin"
    )
}

extension Schema {
    /// Fields as forms send them: what is left empty counts as left out.
    static func formFields(_ names: [String], of fields: [String: Schema]) -> [String: Schema] {
        let wanted = fields.filter { names.contains($0.key) }
        return Dictionary(uniqueKeysWithValues: wanted.map { ($0.key, formField($0.key, $0.value)) })
    }

    private static func formField(_ name: String, _ schema: Schema) -> Schema {
        if name.hasSuffix("_public") { return .text().described("`yes`, else no.") }
        if name == "last_seen_at" {
            return .text().described("In the time zone that `time_zone` names, like `2026-05-01T12:30`.")
        }
        var schema = schema
        schema["nullable"] = nil
        if name == "age" { return .plainText(ListingContent.MaxLength.age) }
        guard name != "status" else { return schema }
        guard case .array(let values)? = schema["enum"] else {
            return schema["maxLength"] == nil ? orEmpty(schema) : schema
        }
        return schema.with("enum", .array(values.filter { $0 != .null } + [""]))
    }

    fileprivate static func orEmpty(_ schema: Schema) -> Schema {
        any(of: [schema, choice([""])]).described(schema["description"].flatMap(\.text) ?? "")
    }
}
