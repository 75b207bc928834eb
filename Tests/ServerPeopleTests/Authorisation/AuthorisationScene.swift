import Credentials
import Domain
import Foundation
import SQL
import ServerSupport
import Storage
import TestSupport

/// The callers, in the order of the matrix's columns.
enum Caller: String, CaseIterable {
    /// A caller without a token.
    case nobody
    case guest
    /// The owner of the listings, the session and the account in the requests.
    case owner
    /// An account that wrote to the owner and reported them.
    case writer
    /// A registered account that is not involved.
    case other
    case admin
    case banned
    /// A token that never existed or has ended.
    case gone
}

/// A board with an object for each path parameter, and the secrets that must not be disclosed.
struct AuthorisationScene {
    let service: RunningService
    let tokens: [Caller: [String]]
    /// The objects that replace `{name}` in the matrix.
    let things: [String: String]
    let secrets: [Secret]

    struct Secret {
        let what: String
        let traces: [String]
        /// The callers that may read the secret.
        let readers: Set<Caller>
    }

    private static let contacts = (name: "Nascosta Neri", phone: "+39 333 7431902", email: "nascosta@example.org")
    private static let listing = """
        {"status": "lost", "name": "Argo", "breed": "beagle", "lon": 14.793211, "lat": 40.771934,
         "microchip": "380260000000042", "secret_mark": "Unghia spezzata", "reference": "rif-7431",
         "contact_name": "\(contacts.name)", "contact_phone": "\(contacts.phone)", "contact_email": "\(contacts.email)"}
        """

    /// A scene on the board that `init(filling:)` filled, or on a copy of it.
    init(_ service: RunningService, like filled: AuthorisationScene) {
        self.service = service
        (tokens, things, secrets) = (filled.tokens, filled.things, filled.secrets)
    }

    init(filling service: RunningService) async throws {
        self.service = service
        let accounts = service.board.accounts
        func register(_ name: String) async throws -> String { try await service.register("\(name)@example.org") }
        func account(_ name: String) async throws -> Account {
            guard let found = try await accounts.findAccount(email: "\(name)@example.org") else {
                throw TestFailure(name)
            }
            return found
        }
        func done(
            _ method: String,
            _ path: String,
            _ body: String?,
            _ token: String
        ) async throws
            -> RunningService.Answer
        {
            let answer = try await service.send(method, path, body, token: token)
            guard answer.status < 300 else { throw TestFailure("\(path): \(answer.status)") }
            return answer
        }
        func put(_ path: String, _ token: String) async throws -> String {
            let photo = Data(try plainPNG(width: 40, height: 30))
            let answer = try await service.send("PUT", path, bytes: photo, token)
            guard let id = answer.text("url")?.split(separator: "/").last?.prefix(36) else { throw TestFailure(path) }
            return String(id)
        }
        let (owner, writer) = (try await register("olga"), try await register("wanda"))
        _ = try await done("PATCH", "/v1/me", #"{"last_name": "Segreti", "phone": "+39 089 555012"}"#, owner)
        let open = try await service.post(Self.listing, owner)
        let hidden = try await service.post(#"{"status": "found", "name": "Zerbinotto", "place": "Salerno"}"#, owner)
        let (photo, hiddenPhoto) = (
            try await put("/v1/listings/\(open)/photos/1", owner),
            try await put("/v1/listings/\(hidden)/photos/1", owner)
        )
        let (openCode, hiddenCode) = (
            try await service.board.code(of: open), try await service.board.code(of: hidden)
        )
        let picture = try await put("/v1/me/picture", owner)
        guard let hiddenID = UUID(uuidString: hidden) else { throw TestFailure("\(hidden) is no UUID") }
        try await service.board.moderation.hide(hiddenID, .init(.spam, note: nil, by: .service))

        let sent = try await done(
            "POST",
            "/v1/listings/\(open)/messages",
            #"{"text": "Parola segreta", "mark": "Coda mozza"}"#,
            writer
        )
        let conversation = sent.text("conversation") ?? ""
        let answered = try await done(
            "POST",
            "/v1/me/conversations/\(conversation)/messages",
            #"{"text": "Paga subito"}"#,
            owner
        )
        let message = answered.text("id") ?? ""
        for (subject, id) in [("message", message), ("listing", open)] {
            let body = #"{"subject": "\#(subject)", "id": "\#(id)", "reason": "scam", "text": "Imbrogliona"}"#
            _ = try await done("POST", "/v1/reports", body, writer)
        }
        let seen = try await service.post(
            #"{"status": "sighted", "lon": 15.2, "lat": 40.9, "contact_email": null}"#,
            writer
        )
        let sighted = try await done(
            "POST",
            "/v1/listings/\(open)/sightings",
            #"{"lon": 14.801357, "lat": 40.781357, "text": "Correva verso il ponte", "contact_phone": "+39 333 9998877"}"#,
            writer
        )
        _ = try await done(
            "PUT",
            "/v1/listings/\(open)/tracks/1",
            #"{"kind": "collar", "device": "Collare di Zara", "visibility": "owner"}"#,
            owner
        )
        _ = try await done(
            "POST",
            "/v1/listings/\(open)/tracks/1/points",
            #"{"points": [{"time": "2026-11-01T12:30:00Z", "lon": 14.806421, "lat": 40.785311}]}"#,
            owner
        )
        let report = try service.board.reports.cases(.init()).cases.first {
            $0.listing?.uuidString.lowercased() == open
        }
        let session = try await done("GET", "/v1/me/sessions", nil, owner).text("sessions", "0", "id") ?? ""

        let organisation = try await done("POST", "/v1/organisations", #"{"name": "Rifugio"}"#, owner).text("id") ?? ""
        let (banned, revoked, expired) = (
            try await register("bruna"), try await register("rita"), try await register("edda")
        )
        let outlawed = try await service.post(#"{"status": "lost", "name": "Manigoldo", "place": "Salerno"}"#, banned)
        try await service.board.moderation.ban(try await account("bruna").id, until: nil, .init(.spam, by: .service))
        _ = try await done("DELETE", "/v1/sessions", nil, revoked)
        let digest = Token(expired).digest
        try await service.board.database.write { db in
            try db.execute("UPDATE session SET expires_at = '2020-01-01T00:00:00.000Z' WHERE token_hash = ?", [digest])
        }
        let (guest, other, admin) = (
            try await service.guest(), try await register("otto"), try await service.admin("ada@example.org")
        )
        tokens = [
            .guest: [guest], .owner: [owner], .writer: [writer], .other: [other], .admin: [admin], .banned: [banned],
            .gone: [expired, revoked, Token().text],
        ]
        let (me, them, outlaw) = (
            try await account("olga").id.uuidString.lowercased(), try await account("wanda").id.uuidString.lowercased(),
            try await account("bruna").id.uuidString.lowercased()
        )
        things = [
            "open": open, "openCode": openCode, "hiddenCode": hiddenCode, "hidden": hidden, "photo": photo,
            "hiddenPhoto": hiddenPhoto, "picture": picture,
            "conversation": conversation, "message": message, "sighting": sighted.text("id") ?? "", "seen": seen,
            "session": session, "organisation": organisation,
            "report": report?.id.uuidString.lowercased() ?? "", "account": me,
            "outlaw": outlaw, "outlawed": outlawed, "none": "00000000-0000-4000-8000-000000000000",
        ]
        secrets =
            [
                Secret(what: "the point", traces: ["14.7932", "40.7719"], readers: [.owner, .admin]),
                Secret(
                    what: "hidden contacts",
                    traces: [Self.contacts.name, "7431902", "743 1902", Self.contacts.email],
                    readers: [.owner, .admin]
                ),
                Secret(what: "the microchip", traces: ["380260000000042"], readers: [.owner, .admin]),
                Secret(what: "the secret mark", traces: ["Unghia spezzata"], readers: [.owner, .admin]),
                Secret(what: "the reference", traces: ["rif-7431"], readers: [.owner, .admin]),
                Secret(
                    what: "the hidden listing",
                    traces: ["Zerbinotto", hidden, hiddenCode, hiddenPhoto],
                    readers: [.owner, .admin]
                ),
                Secret(what: "a message", traces: ["Parola segreta", "Coda mozza"], readers: [.owner, .writer]),
                Secret(what: "a reported message", traces: ["Paga subito"], readers: [.owner, .writer, .admin]),
                Secret(
                    what: "a sighting",
                    traces: ["14.801357", "40.781357", "Correva", "9998877", "999 8877"],
                    readers: [.owner, .writer]
                ),
                Secret(what: "a track", traces: ["14.806421", "40.785311", "Collare di Zara"], readers: [.owner]),
                Secret(what: "a report", traces: ["Imbrogliona"], readers: [.writer, .admin]),
                Secret(what: "who reported", traces: [them, "wanda@"], readers: [.writer]),
                Secret(
                    what: "the owner's address and telephone",
                    traces: ["olga@", "Segreti", "555012"],
                    readers: [.owner, .admin]
                ),
                Secret(what: "the banned one's listing", traces: ["Manigoldo", "bruna@"], readers: [.admin]),
                Secret(what: "other addresses", traces: ["rita@", "edda@"], readers: []),
                Secret(what: "a bystander's address", traces: ["otto@"], readers: [.other]),
                Secret(what: "the admin's address", traces: ["ada@"], readers: [.admin]),
                Secret(what: "a password's hash", traces: ["$argon2"], readers: []),
            ] + tokens.values.joined().map { Secret(what: "a token", traces: [$0], readers: []) }
    }
}

extension AuthorisationScene {
    /// The headers that identify the caller: a token, or a browser's cookie.
    func tokens(of caller: Caller) -> [[String: String]] {
        guard let tokens = tokens[caller] else { return [[:]] }
        return tokens.map { ["Authorization": "Bearer \($0)"] }
    }

    func cookies(of caller: Caller) -> [[String: String]] {
        (tokens[caller] ?? []).map { ["Cookie": "__Host-doggofinder=\($0)"] }
    }

    /// Sends the row's request. Forms come from the site's own pages unless the headers say otherwise.
    func send(_ row: AuthorisationMatrix.Row, _ headers: [String: String]) async throws -> RunningService.Answer {
        let body = try row.body.map { $0 == "@photo" ? Data(try plainPNG(width: 40, height: 30)) : Data(fill($0).utf8) }
        let type: [String: String] =
            switch row.body?.first {
            case nil: [:]
            case "@": ["Content-Type": "image/png"]
            case "{": ["Content-Type": "application/json"]
            default: ["Content-Type": "application/x-www-form-urlencoded"]
            }
        let origin = headers["Origin"] == nil ? ["Sec-Fetch-Site": "same-origin"] : [:]
        let own = type.merging(origin) { $1 }.merging(["Accept": row.isPage ? "text/html" : "application/json"]) { $1 }
        return try await service.send(
            row.method,
            fill(row.path),
            bytes: body,
            nil,
            own.merging(headers) { $1 },
            isFollowing: false
        )
    }

    /// The secrets in the answer, except values that the request itself contains.
    func secrets(in answer: RunningService.Answer, to row: AuthorisationMatrix.Row) throws -> [Secret] {
        let asked = Set(things.filter { row.path.contains("{\($0.key)}") }.values)
        let bytes = try answer.everything
        // Of the hundreds of corners of circles, some have the first digits of the point.
        let isCircles = row.path.hasSuffix("/search-area")
        return secrets.filter { secret in
            let traces = isCircles && secret.what == "the point" ? ["14.793211", "40.771934"] : secret.traces
            return traces.contains { !asked.contains($0) && Self.contains(bytes, $0) }
        }
    }

    /// By the C library: `Data.range(of:)` is generic and takes a hundred times as long in debug builds.
    private static func contains(_ bytes: Data, _ text: String) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let length = text.utf8.count
            guard var place = bytes.baseAddress, let first = text.utf8.first else { return false }
            let last = place + bytes.count - length
            while place <= last, let next = memchr(place, Int32(first), last - place + 1) {
                if memcmp(next, text, length) == 0 { return true }
                place = UnsafeRawPointer(next) + 1
            }
            return false
        }
    }

    private func fill(_ text: String) -> String {
        things.reduce(text.replacing("{fresh}", with: UUID().uuidString)) {
            $0.replacing("{\($1.key)}", with: $1.value)
        }
    }

    /// All rows of all tables of the schema.
    func rows() async throws -> [String: [[SQLValue]]] {
        try await service.board.database.read { db in
            let tables = try Set(db.tableNames()).subtracting([
                "cell_bits", "cell_level", "breed", "alert_fan_out", "match_photo",
                "organisation_match_search", "organisation_match",
            ])
            return try Dictionary(
                uniqueKeysWithValues: tables.map { table in
                    // A job stores the time of the last use of a session or key after any request, and what texts say.
                    let columns =
                        switch table {
                        case "session": "token_hash, uuid, account_id, ends_at"
                        case "api_key": "uuid, account_id, name, token_hash, scopes, created_by, expires_at"
                        case "alert_listing": "alert_id"
                        case "notification_settings": "account_id, email, frequency, summary_hour, likely_at_once"
                        case "match_candidate": "side, cell, listing_id, day, lon, lat, blur"
                        default: "*"
                        }
                    return (
                        table,
                        try db.rows("SELECT \(columns) FROM \"\(table)\"") { row in
                            (0..<row.columnCount).map(row.value)
                        }
                    )
                }
            )
        }
    }
}

extension RunningService.Answer {
    /// The headers and the body, unpacked if it is an archive.
    var everything: Data {
        get throws {
            let isPacked = headers["content-type"] == "application/zip"
            let bytes = isPacked ? try PersonalDataRoutesTests.unpacked(body).values.reduce(Data(), +) : body
            return Data(headers.map { "\($0): \($1)" }.joined(separator: "\n").utf8) + bytes
        }
    }
}
