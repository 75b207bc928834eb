import Domain
import HTTP
import HTTPTypes
import Hummingbird

/// Limits the number of simultaneous requests per network address. The limit on connections is not sufficient for
/// connections of a trusted proxy, which many clients share, for HTTP/2, whose connections carry many requests at once,
/// and for uploads, each of which holds resources until its body has arrived.
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
        let client = context.client
        guard !client.isLoopback else { return try await next(request, context) }
        let permit = proxies.isTrusted(context.peer) || context.isMultiplexed ? try Self.take(requests, client) : nil
        let upload = isUpload(request, context) ? try Self.take(uploads, client) : nil
        var response = try await next(request, context)
        // A streamed response keeps its permit until its end. A response of known length is already complete in memory,
        // and the limits of the connection apply while it is sent.
        if let permit, response.body.contentLength == nil { response.body = response.body.holding(permit) }
        withExtendedLifetime((permit, upload)) {}
        return response
    }

    private func isUpload(_ request: Request, _ context: ServiceContext) -> Bool {
        RateLimits.Kind(request, route: context.endpointPath) == .photo
            || request.isMultipart
    }

    private static func take(
        _ permits: PerAddressLimit,
        _ client: NetworkAddress
    ) throws(ServiceError) -> PerAddressLimit.Permit {
        do {
            return try permits.take(client)
        } catch {
            throw ServiceError(.tooManyRequests, "too many requests at once from one address: wait for some to end")
        }
    }
}

extension ResponseBody {
    fileprivate func holding(_ permit: PerAddressLimit.Permit) -> ResponseBody {
        ResponseBody { writer in
            defer { withExtendedLifetime(permit) {} }
            try await write(writer)
        }
    }
}
