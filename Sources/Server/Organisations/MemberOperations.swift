import Domain
import HTTP
import OpenAPI

extension PageSize {
    static let actions = PageSize(defaultLimit: 50, maxLimit: 200)
}

extension Operation {
    static let members = [
        listMembers, setMemberRole, removeMember, listInvitations, invite, withdrawInvitation, listOwnInvitations,
        acceptInvitation, declineInvitation, listKeys, createKey, revokeKey,
        listActions, setSecondFactorRequired,
    ]

    private static let organisation = Parameter.id(of: "organisation")

    private static func parameter(_ name: String) -> Parameter {
        .path(name, .uuid, "The id of the \(name).", example: .sampleID)
    }

    private static let listMembers = Operation(
        .get,
        "/v1/organisations/{id}/members",
        "listMembers",
        .organisations,
        "The members, for members",
        access: .signedIn,
        parameters: [organisation],
        responses: [.json("Managers first.", .named("MemberList"), headers: [.cacheControl])],
        errors: [.notFound]
    )
    private static let setMemberRole = Operation(
        .patch,
        "/v1/organisations/{id}/members/{member}",
        "setMemberRole",
        .organisations,
        "Make a member manager or volunteer",
        description: "For managers. Answers 409 if no manager would be left.",
        access: .signedIn,
        parameters: [organisation, parameter("member")],
        body: .mergePatch(.named("MemberPatch"), example: ["role": "manager"], isRequired: true),
        responses: [.nothing()],
        errors: [.notFound, .conflict, .tooLarge, .unsupportedMediaType]
    )
    private static let removeMember = Operation(
        .delete,
        "/v1/organisations/{id}/members/{member}",
        "removeMember",
        .organisations,
        "Remove a member, or leave",
        description: """
            For managers, and for members of themselves. Keys and invitations that the member made end. Answers 409 if no manager would \
            be left.
            """,
        access: .signedIn,
        parameters: [organisation, parameter("member")],
        responses: [.nothing()],
        errors: [.notFound, .conflict]
    )
    private static let listInvitations = Operation(
        .get,
        "/v1/organisations/{id}/invitations",
        "listInvitations",
        .organisations,
        "The invitations that wait for an answer, for managers",
        access: .signedIn,
        parameters: [organisation],
        responses: [.json("Newest first.", .named("InvitationList"), headers: [.cacheControl])],
        errors: [.notFound]
    )
    private static let invite = Operation(
        .post,
        "/v1/organisations/{id}/invitations",
        "invite",
        .organisations,
        "Invite the owner of an e-mail address",
        description: """
            For managers. The answer does not say whether the address has an account. Who has it sees the invitation at \
            `GET /v1/me/invitations` and on the page `/account/organisations`. It ends after \
            \(Organisation.invitationDays) days. Invitations of verified organisations are also sent by mail, in the language of the \
            request, if the service sends mail.
            """,
        access: .signedIn,
        parameters: [organisation, .acceptLanguage],
        body: .json(.named("NewInvitation"), example: ["email": "anna@example.org", "role": "volunteer"]),
        responses: [.json(status: 201, "The invitation.", .named("Invitation"), headers: [.cacheControl])],
        errors: [.notFound, .tooLarge, .unsupportedMediaType]
    )
    private static let withdrawInvitation = Operation(
        .delete,
        "/v1/organisations/{id}/invitations/{invitation}",
        "withdrawInvitation",
        .organisations,
        "Withdraw an invitation, for managers",
        access: .signedIn,
        parameters: [organisation, parameter("invitation")],
        responses: [.nothing()],
        errors: [.notFound]
    )
    private static let listOwnInvitations = Operation(
        .get,
        "/v1/me/invitations",
        "listOwnInvitations",
        .organisations,
        "The invitations of one's own address",
        access: .signedIn,
        responses: [.json("Newest first.", .named("InvitationList"), headers: [.cacheControl])]
    )
    private static let acceptInvitation = Operation(
        .post,
        "/v1/me/invitations/{id}",
        "acceptInvitation",
        .organisations,
        "Accept an invitation",
        access: .signedIn,
        parameters: [.id(of: "invitation")],
        responses: [.json("The organisation.", .named("Organisation"), headers: [.cacheControl])],
        errors: [.notFound]
    )
    private static let declineInvitation = Operation(
        .delete,
        "/v1/me/invitations/{id}",
        "declineInvitation",
        .organisations,
        "Decline an invitation",
        access: .signedIn,
        parameters: [.id(of: "invitation")],
        responses: [.nothing()],
        errors: [.notFound]
    )
    private static let listKeys = Operation(
        .get,
        "/v1/organisations/{id}/keys",
        "listKeys",
        .organisations,
        "The keys of an organisation, for managers",
        access: .signedIn,
        parameters: [organisation],
        responses: [.json("Newest first.", .named("KeyList"), headers: [.cacheControl])],
        errors: [.notFound]
    )
    private static let createKey = Operation(
        .post,
        "/v1/organisations/{id}/keys",
        "createKey",
        .organisations,
        "Make a key with which a program acts as the organisation",
        description: """
            For managers. `token` is told only here; programs send it as `Authorization: Bearer`. A key lasts at most \
            \(APIKey.maxDays) days, and ends when the manager who made it is none any more. Routes outside its scopes answer 403.
            """,
        access: .signedIn,
        parameters: [organisation],
        body: .json(.named("NewKey"), example: ["name": "kennel software", "scopes": ["listings:write"]]),
        responses: [.json(status: 201, "The key with its token.", .named("Key"), headers: [.cacheControl])],
        errors: [.notFound, .tooLarge, .unsupportedMediaType]
    )
    private static let revokeKey = Operation(
        .delete,
        "/v1/organisations/{id}/keys/{key}",
        "revokeKey",
        .organisations,
        "Revoke a key, for managers",
        access: .signedIn,
        parameters: [organisation, parameter("key")],
        responses: [.nothing()],
        errors: [.notFound]
    )
    private static let listActions = Operation(
        .get,
        "/v1/organisations/{id}/actions",
        "listActions",
        .organisations,
        "What members did, for managers",
        description: """
            Invitations, roles, keys, changes of the organisation; what members and keys (`key_name`) do with its listings, also answers \
            to matches; and one for each import, whose `detail` begins with the numbers of new, changed and closed listings. It is kept for \(OrganisationAction.days) days.
            """,
        access: .signedIn,
        parameters: [organisation, .limit(.actions), .cursor],
        responses: [.json("Newest first.", .named("ActionList"), headers: [.cacheControl, .link])],
        errors: [.notFound]
    )
    private static let setSecondFactorRequired = Operation(
        .put,
        "/v1/organisations/{id}/second-factor",
        "setSecondFactorRequired",
        .organisations,
        "Require a second factor of members, for managers",
        description: """
            Members without a second factor can then only read until they set one up. Answers 409 to a manager who has none.
            """,
        access: .signedIn,
        parameters: [organisation],
        body: .json(.named("SecondFactorRequirement"), example: ["required": true]),
        responses: [.nothing()],
        errors: [.notFound, .conflict, .tooLarge, .unsupportedMediaType]
    )
}

extension Schema {
    static let members: [String: Schema] = [
        "ActionList": .object([
            "actions": .list(
                of: .object([
                    "at": .timestamp, "action": .choice(OrganisationAction.Kind.self),
                    "actor": .uuid.orNull.described("The id of the account; null after it was deleted."),
                    "actor_name": .text().orNull,
                    "subject": .uuid.orNull.described("The id of a listing, an import or another member."),
                    "detail": .text().orNull.described("A name, a role, a status, or what an import did."),
                    "key_name": .text().orNull.described("The key with which it was done; null for persons."),
                ])
            ), "numberReturned": .integer(atLeast: 0), "links": .list(of: .named("Link")),
        ]),
        "SecondFactorRequirement": .object(["required": .flag], isClosed: true),
        "MemberList": .object([
            "second_factor_required": .flag,
            "members": .list(
                of: .object([
                    "id": .uuid.described("The id of the account."), "name": .text().orNull,
                    "role": .choice(Organisation.Role.self), "since": .timestamp,
                ])
            ),
        ]),
        "MemberPatch": .object(["role": .choice(Organisation.Role.self)], isClosed: true),
        "Invitation": .object([
            "id": .uuid, "organisation": .named("OrganisationLabel"), "email": .text(),
            "role": .choice(Organisation.Role.self), "created_at": .timestamp, "expires_at": .timestamp,
        ]),
        "InvitationList": .object(["invitations": .list(of: .named("Invitation"))]),
        "NewInvitation": .object(
            ["email": .email],
            optional: ["role": .choice(Organisation.Role.self)],
            isClosed: true
        ),
        "Key": .object(
            [
                "id": .uuid, "name": .text(), "scopes": .list(of: .choice(APIKey.Scope.self)),
                "created_at": .timestamp, "expires_at": .timestamp,
                "last_used_at": .timestamp.orNull.described("To within ten minutes."),
            ],
            optional: ["token": .text().described("Told once, when the key is made.")]
        ),
        "KeyList": .object(["keys": .list(of: .named("Key"))]),
        "NewKey": .object(
            [
                "name": .plainText(APIKey.maxNameLength).with("minLength", 1),
                "scopes": .list(of: .choice(APIKey.Scope.self), 1...),
            ],
            optional: ["expires_at": .timestampOrDay.orNull],
            isClosed: true
        ),
    ]
}
