package import Credentials
package import Domain
package import Gazetteer
import HTTPTypes
package import Hummingbird
package import Logging
package import Storage

/// The HTTP service over everything it needs.
package struct Service {
    private let database: DatabaseFile
    private let gazetteer: Gazetteer
    private let breeds: Breeds
    private let passwords: PasswordHasher
    private let baseURL: BaseURL
    private let photoDesk: PhotoDesk

    package init(
        database: DatabaseFile,
        gazetteer: Gazetteer,
        breeds: Breeds,
        passwords: PasswordHasher,
        baseURL: BaseURL,
        photoDesk: PhotoDesk
    ) {
        self.database = database
        self.gazetteer = gazetteer
        self.breeds = breeds
        self.passwords = passwords
        self.baseURL = baseURL
        self.photoDesk = photoDesk
    }

    /// An application that stops gracefully on SIGTERM and SIGINT. `onReady` is told the port it listens on.
    package func application(
        host: String,
        port: Int,
        logger: Logger,
        onReady: @Sendable @escaping (Int) async -> Void
    ) -> some ApplicationProtocol {
        Application(
            router: router(),
            server: .onConnectionLoop(),
            configuration: .init(address: .hostname(host, port: port), serverName: "DoggoFinder"),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? port) },
            logger: logger
        )
    }

    /// Every method and path it answers, like `GET /v1/listings/{id}`.
    package var routes: [String] {
        router().routes.map { "\($0.method.rawValue) \($0.path)".replacing(#/:(\w+)/#) { "{\($0.1)}" } }
    }

    private func router() -> Router<ServiceContext> {
        let routes = RouteIndex()
        let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
        let accounts = AccountStore(database)
        router.addMiddleware {
            CompressionMiddleware()
            ProblemMiddleware(routes: routes)
            CORSMiddleware(
                allowOrigin: .all,
                allowHeaders: [.authorization, .contentType, .ifMatch, .ifNoneMatch],
                allowMethods: [.get, .head, .post, .put, .patch, .delete, .options],
                exposedHeaders: ["ETag", "Link", "Location", "Retry-After", "X-Request-Id"]
            )
            AuthenticationMiddleware(accounts: accounts)
        }
        AccountRoutes(accounts: accounts, passwords: passwords, baseURL: baseURL, photoDesk: photoDesk).add(to: router)
        let listings = ListingStore(database)
        let classifications = ClassificationStore(database)
        ListingRoutes(
            listings: listings,
            classifications: classifications,
            breeds: breeds,
            finder: gazetteer,
            baseURL: baseURL,
            photoDesk: photoDesk
        ).add(to: router)
        ClassificationRoutes(
            desk: photoDesk,
            classifications: classifications,
            breeds: breeds,
            baseURL: baseURL
        ).add(to: router)
        PhotoRoutes(listings: listings, photos: PhotoStore(database), desk: photoDesk, baseURL: baseURL)
            .add(to: router)
        PointOfInterestRoutes(pois: PointOfInterestStore(database), baseURL: baseURL).add(to: router)
        PlaceRoutes(gazetteer: gazetteer, baseURL: baseURL).add(to: router)
        BreedRoutes(breeds: breeds, recogniser: photoDesk.recogniser).add(to: router)
        OperationsRoutes(database: database, baseURL: baseURL).add(to: router)
        routes.fill(from: router)
        return router
    }
}
