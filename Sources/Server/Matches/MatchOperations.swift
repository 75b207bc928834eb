import Domain
import HTTP
import Localization
import Matching
import OpenAPI
import Storage

extension PageSize {
    static let matches = PageSize(defaultLimit: 20, maxLimit: 100)
}

extension Operation {
    static let matches = tagged(.matches) {
        get("/v1/listings/{id}/matches", "listMatches", "Listings that may be of the same animal")
            .known
            .taking(
                .id,
                .query(
                    "minimum_probability",
                    .number(0...1),
                    "The least probability of a match.",
                    example: 0.05
                ),
                .query("side", .choice(MatchSide.self).with("default", "other"), "Which listings are compared."),
                .limit(.matches), .cursor, .acceptLanguage
            )
            .described(
                """
                Found and sighted animals for a lost one, lost animals for a found or sighted one, or, with `side=same`, other listings \
                of the same side; open, of the same species, nearby, the likeliest first. Scores are computed from what the listings show to everybody, above all from their public \
                points. Matches that an owner has answered with `no` are left out, and so are listings that are joined with this one. Of \
                other joined listings, the likeliest stands for all. Several of the same side can be of the animal, so that their \
                probabilities add up to more than one. A listing that is not open has none. \
                The work for all candidates counts towards the budget of reads; above it, the answer is a 429.
                """
            )
            .answering(.json("A page of matches.", .named("MatchList"), headers: [.link, .vary, .contentLanguage]))
        get(
            "/v1/organisations/{id}/matches", "listOrganisationMatches",
            "The likeliest owners of all open animals of an organisation, for members"
        )
        .signedIn.taking(.id(of: "organisation"), .limit(.matches), .cursor, .acceptLanguage)
        .described(
            """
            Lost listings that its found and sighted animals may be, from a probability of \(MatchStore.likely) on and at most \
            \(MatchStore.maxOfAnimal) for each, the likeliest first. They are stored: an animal is compared within seconds of its post, \
            of a change and of the post of a lost animal like it, and else once a day. Pairs that an owner has answered with `no` are \
            left out. Members answer with the routes of one listing.
            """
        )
        .answering(.json("A page of pairs.", .named("OrganisationMatchList"), headers: [.link, .contentLanguage]))
        get("/v1/listings/{id}/matches/{other}", "getMatchAnswers", "What both owners have said of two listings")
            .signedIn.taking(.id, other)
            .answering(.json("The answers.", .named("MatchAnswers")))
        put("/v1/listings/{id}/matches/{other}", "answerMatch", "Say whether two listings are of the same animal")
            .signedIn.taking(.id, other)
            .described(
                """
                By the owner of the listing `id`. The other owner is told of a `yes`. When both have said `yes`, they arrange the \
                handover, and both listings stay open until one of them says that the animal is home. Two listings of the same side are \
                joined instead; another answer separates the listing `id` from all that it is joined with. A match answered with `no` is \
                not shown again. Another answer than `yes` takes back `home` for a day. Not more than 10 answers of a listing may wait \
                for other owners.
                """
            )
            .sending(.json(.named("NewMatchAnswer"), example: ["answer": "yes"]))
            .answering(.json("The answers.", .named("MatchAnswers")))
            .failing(.conflict)
        delete("/v1/listings/{id}/matches/{other}", "withdrawMatchAnswer", "Take back an answer")
            .signedIn.taking(.id, other)
            .answering(.json("The answers.", .named("MatchAnswers")))
            .failing(.conflict)
        put(
            "/v1/listings/{id}/matches/{other}/home", "setMatchHome",
            "Say that the animal of a confirmed match is home"
        )
        .signedIn.taking(.id, other)
        .described(
            """
            By either owner, once both have said `yes`. Both listings become `reunited`, and the other owner is told. The status \
            `reunited` of one's own listing does the same. Listings that are joined with one of the two become `reunited` as well.
            """
        )
        .answering(.json("The answers.", .named("MatchAnswers")))
        .failing(.conflict)
        delete("/v1/listings/{id}/matches/{other}/home", "undoMatchHome", "Say that the animal is not home yet")
            .signedIn.taking(.id, other)
            .described(
                """
                By either owner, for a day. Both listings get back the status that they had; the answers stay. An open status of one's \
                own listing does the same.
                """
            )
            .answering(.json("The answers.", .named("MatchAnswers")))
            .failing(.conflict)
    }

    private static let other = Parameter.path("other", .uuid, "The id of the other listing.", example: .sampleID)
}

extension Schema {
    static let matches: [String: Schema] = [
        "MatchList": .object([
            "considered": .integer(atLeast: 0).described("The number of listings that were compared."),
            "none_probability": .number(0...1).described("That it is none of them."),
            "matches": .list(of: .named("Match")), "numberReturned": .integer(atLeast: 0),
            "links": .list(of: .named("Link")),
        ]),
        "Match": .object(match, optional: answers),
        "OrganisationMatchList": .object([
            "matches": .list(of: .named("OrganisationMatch")), "numberReturned": .integer(atLeast: 0),
            "links": .list(of: .named("Link")),
        ]),
        "OrganisationMatch": .object(
            match.merging(["animal": .named("Listing")]) { $1 }.merging(answers) { $1 }
        ),
        "Evidence": .object([
            "kind": .choice(EvidenceKind.self), "level": .text(),
            "bits": .number().described("How much it speaks for the match, as a binary logarithm."),
            "speaks": .choice(EvidenceDirection.self), "text": .text().described("Empty if there is nothing to say."),
        ]),
        "NewMatchAnswer": .request(["answer": .choice(MatchAnswer.self)]),
        "MatchAnswers": .object(answers),
    ]

    private static let match: [String: Schema] = [
        "listing": .named("Listing"), "probability": .number(0...1),
        "score_bits": .number().described("The sum of the evidence."),
        "distance_m": .integer(atLeast: 0).described(
            "Between the public points, rounded up; with the uncertainty of cells and towns."
        ),
        "days": .integer().described(
            "From the loss to the find; with `side=same`, from this listing to the other one."),
        "evidence": .list(of: .named("Evidence")).described("The strongest first."),
    ]

    /// Only the owner of a listing sees answers.
    private static let answers: [String: Schema] = [
        "state": .choice(MatchState.self).described(
            """
            How far both are: `waiting` for the other one, `asked` by the other one, `agreed` with each other, `home`; `rejected` if \
            one has said no.
            """
        ),
        "answer": .choice(MatchAnswer.self).orNull.described("One's own; for the owner only."),
        "other_answer": .choice(MatchAnswer.self).orNull.described("That of the other owner."),
        "linked_at": .timestamp.orNull.described("When one of them said that the animal is home."),
    ]
}
