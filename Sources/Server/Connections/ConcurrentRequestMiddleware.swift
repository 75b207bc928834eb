import Domain
import HTTPTypes
import Hummingbird

/// Keeps one address from having too much in progress at once, where connections alone do not tell: behind a trusted proxy, whose
/// connections are many people's, and where each request holds a place for as long as its body takes.
struct ConcurrentRequestMiddleware: RouterMiddleware {
    private let proxies: TrustedProxies
    private let requests: PerAddressLimit
    private let uploads: PerAddressLimit

    init(_ limits: ConnectionLimits, proxies: TrustedProxies) {
        self.proxies = proxies
        requests = PerAddressLimit(perAddress: limits.perAddress)
        uploads = PerAddressLimit(perAddress: limits.uploadsPerAddress)
    }

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard let peer = context.peer, let client = proxies.client(peer: peer, request.headers), !client.isLoopback
        else { return try await next(request, context) }
        let seat = proxies.isTrusted(peer) ? try Self.take(requests, client) : nil
        let upload = isUpload(request, context) ? try Self.take(uploads, client) : nil
        var response = try await next(request, context)
        // Those of known length lie there as a whole: the connection's own limits do.
        if let seat, response.body.contentLength == nil { response.body = response.body.holding(seat) }
        withExtendedLifetime((seat, upload)) {}
        return response
    }

    private func isUpload(_ request: Request, _ context: ServiceContext) -> Bool {
        RateLimits.Kind(request, route: context.endpointPath) == .photo
            || request.headers[.contentType]?.lowercased().hasPrefix("multipart/") == true
    }

    private static func take(
        _ seats: PerAddressLimit,
        _ client: NetworkAddress
    ) throws(ServiceError) -> PerAddressLimit.Permit {
        do {
            return try seats.take(client)
        } catch {
            throw ServiceError(.tooManyRequests, "too many requests at once from one address: wait for some to end")
        }
    }
}

extension ResponseBody {
    fileprivate func holding(_ seat: PerAddressLimit.Permit) -> ResponseBody {
        ResponseBody { writer in
            defer { withExtendedLifetime(seat) {} }
            try await write(writer)
        }
    }
}
