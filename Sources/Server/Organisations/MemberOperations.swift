import Domain
import HTTP
import OpenAPI

extension PageSize {
    static let actions = PageSize(defaultLimit: 50, maxLimit: 200)
}

extension Operation {
    static let members = tagged(.organisations) {
        get("/v1/organisations/{id}/members", "listMembers", "The members, for members")
            .signedIn.taking(organisation)
            .answering(.json("Managers first.", .named("MemberList")))
        patch("/v1/organisations/{id}/members/{member}", "setMemberRole", "Make a member manager or volunteer")
            .signedIn.taking(organisation, parameter("member"))
            .described("For managers. Answers 409 if no manager would be left.")
            .sending(.mergePatch(.named("MemberPatch"), example: ["role": "manager"], isRequired: true))
            .failing(.conflict)
        delete("/v1/organisations/{id}/members/{member}", "removeMember", "Remove a member, or leave")
            .signedIn.taking(organisation, parameter("member"))
            .described(
                """
                For managers, and for members of themselves. Keys and invitations that the member made end. Answers 409 if no manager would \
                be left.
                """
            )
            .failing(.conflict)
        get(
            "/v1/organisations/{id}/invitations", "listInvitations",
            "The invitations that wait for an answer, for managers"
        )
        .signedIn.taking(organisation)
        .answering(.json("Newest first.", .named("InvitationList")))
        post("/v1/organisations/{id}/invitations", "invite", "Invite the owner of an e-mail address")
            .signedIn.taking(organisation, .acceptLanguage)
            .described(
                """
                For managers. The answer does not say whether the address has an account. Who has it sees the invitation at \
                `GET /v1/me/invitations` and on the page `/account/organisations`. It ends after \
                \(Organisation.invitationDays) days. Invitations of verified organisations are also sent by mail, in the language of the \
                request, if the service sends mail.
                """
            )
            .sending(.json(.named("NewInvitation"), example: ["email": "anna@example.org", "role": "volunteer"]))
            .answering(.json(status: 201, "The invitation.", .named("Invitation")))
        delete(
            "/v1/organisations/{id}/invitations/{invitation}", "withdrawInvitation",
            "Withdraw an invitation, for managers"
        )
        .signedIn.taking(organisation, parameter("invitation"))
        get("/v1/me/invitations", "listOwnInvitations", "The invitations of one's own address")
            .signedIn
            .answering(.json("Newest first.", .named("InvitationList")))
        post("/v1/me/invitations/{id}", "acceptInvitation", "Accept an invitation")
            .signedIn.taking(.id(of: "invitation"))
            .answering(.json("The organisation.", .named("Organisation")))
        delete("/v1/me/invitations/{id}", "declineInvitation", "Decline an invitation")
            .signedIn.taking(.id(of: "invitation"))
        get("/v1/organisations/{id}/keys", "listKeys", "The keys of an organisation, for managers")
            .signedIn.taking(organisation)
            .answering(.json("Newest first.", .named("KeyList")))
        post("/v1/organisations/{id}/keys", "createKey", "Make a key with which a program acts as the organisation")
            .signedIn.taking(organisation)
            .described(
                """
                For managers. `token` is told only here; programs send it as `Authorization: Bearer`. A key lasts at most \
                \(APIKey.maxDays) days, and ends when the manager who made it is none any more. Routes outside its scopes answer 403.
                """
            )
            .sending(.json(.named("NewKey"), example: ["name": "kennel software", "scopes": ["listings:write"]]))
            .answering(.json(status: 201, "The key with its token.", .named("Key")))
        delete("/v1/organisations/{id}/keys/{key}", "revokeKey", "Revoke a key, for managers")
            .signedIn.taking(organisation, parameter("key"))
        get("/v1/organisations/{id}/actions", "listActions", "What members did, for managers")
            .signedIn.taking(organisation, .limit(.actions), .cursor)
            .described(
                """
                Invitations, roles, keys, changes of the organisation; what members and keys (`key_name`) do with its listings, also answers \
                to matches; and one for each import, whose `detail` begins with the numbers of new, changed and closed listings. It is kept for \(OrganisationAction.days) days.
                """
            )
            .answering(.json("Newest first.", .named("ActionList"), headers: [.link]))
        put(
            "/v1/organisations/{id}/second-factor", "setSecondFactorRequired",
            "Require a second factor of members, for managers"
        )
        .signedIn.taking(organisation)
        .described(
            """
            Members without a second factor can then only read until they set one up. Answers 409 to a manager who has none.
            """
        )
        .sending(.json(.named("SecondFactorRequirement"), example: ["required": true]))
        .failing(.conflict)
    }

    private static let organisation = Parameter.id(of: "organisation")

    private static func parameter(_ name: String) -> Parameter {
        .path(name, .uuid, "The id of the \(name).", example: .sampleID)
    }
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
        "SecondFactorRequirement": .request(["required": .flag]),
        "MemberList": .object([
            "second_factor_required": .flag,
            "members": .list(
                of: .object([
                    "id": .uuid.described("The id of the account."), "name": .text().orNull,
                    "role": .choice(Organisation.Role.self), "since": .timestamp,
                ])
            ),
        ]),
        "MemberPatch": .request(["role": .choice(Organisation.Role.self)]),
        "Invitation": .object([
            "id": .uuid, "organisation": .named("OrganisationLabel"), "email": .text(),
            "role": .choice(Organisation.Role.self), "created_at": .timestamp, "expires_at": .timestamp,
        ]),
        "InvitationList": .object(["invitations": .list(of: .named("Invitation"))]),
        "NewInvitation": .request(["email": .email], optional: ["role": .choice(Organisation.Role.self)]),
        "Key": .object(
            [
                "id": .uuid, "name": .text(), "scopes": .list(of: .choice(APIKey.Scope.self)),
                "created_at": .timestamp, "expires_at": .timestamp,
                "last_used_at": .timestamp.orNull.described("To within ten minutes."),
            ],
            optional: ["token": .text().described("Told once, when the key is made.")]
        ),
        "KeyList": .object(["keys": .list(of: .named("Key"))]),
        "NewKey": .request(
            [
                "name": .plainText(APIKey.maxNameLength).with("minLength", 1),
                "scopes": .list(of: .choice(APIKey.Scope.self), 1...),
            ],
            optional: ["expires_at": .timestampOrDay.orNull]
        ),
    ]
}
