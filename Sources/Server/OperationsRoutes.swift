import Domain
import Formats
import Hummingbird
import Storage

/// For those who keep it running, and a first answer for those who look.
struct OperationsRoutes {
    let database: DatabaseFile
    let baseURL: BaseURL
    let board: BoardPages

    func add(to router: Router<ServiceContext>) {
        router.get("/", use: landing)
        router.get("/healthz", use: health)
        router.get("/readyz", use: readiness)
    }

    @Sendable private func health(_ request: Request, _ context: ServiceContext) async throws -> Response {
        Self.status("ok")
    }

    /// Ready means that the database answers.
    @Sendable private func readiness(_ request: Request, _ context: ServiceContext) async throws -> Response {
        do {
            try await database.ping()
        } catch {
            context.logger.error("not ready", metadata: ["error": "\(error)"])
            throw ServiceError(.unavailable, "the database does not answer")
        }
        return Self.status("ready")
    }

    /// The board for people, and where to begin for programs; a page that speaks of them asks for `f=json`.
    @Sendable private func landing(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard !request.wantsPage || request.uri.queryParameters["f"] == "json" else {
            return try await board.board(request, context)
        }
        let pages = [
            ("listings", "/v1/listings"), ("pois", "/v1/pois?lon=14.79&lat=40.77&radius=10000"),
            ("breeds", "/v1/breeds"), ("places", "/v1/places?q=Salerno"),
            ("reverse", "/v1/places/reverse?lon=14.79&lat=40.77"),
        ]
        var json = JSONWriter()
        json.object { json in
            json.field("title", "DoggoFinder")
            json.field("description", "Reuniting lost dogs with their people")
            json.array("links", pages) { json, page in
                json.object { json in
                    json.field("rel", page.0)
                    json.field("href", baseURL.link(page.1))
                }
            }
        }
        var response = Response(json)
        response.headers[.vary] = "Accept"
        return response
    }

    private static func status(_ word: String) -> Response {
        var json = JSONWriter()
        json.object { $0.field("status", word) }
        return Response(json)
    }
}
