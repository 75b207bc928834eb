import Domain
import HTTP
import HTTPTypes
import Hummingbird
import Pages

/// Shows what was written in a form that needs an account and arrives after the session has ended, so that it can be sent
/// again after a sign-in in another tab.
struct EndedSessionMiddleware: RouterMiddleware {
    let renderer: PageRenderer

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .post, context.caller == nil, context.ban == nil else {
            return try await next(request, context)
        }
        do {
            return try await next(request, context)
        } catch let error as ServiceError where error.code == .unauthenticated && error.field == nil {
            // The handler has not read the form yet: whether there is an account comes first.
            // Photos are left out: they would be decoded for nothing.
            guard let sent = try? await renderer.forms.read(request, maxPhotos: 0), !sent.typed.isEmpty else {
                throw error
            }
            let hasPhotos = (try? sent.photos()) == nil
            var response = renderer.show(request, nil, status: .unauthorized, isPrivate: true) {
                $0.endedSession(sent.typed, action: request.uri.path, hasPhotos: hasPhotos)
            }
            response.headers[.wwwAuthenticate] = "Bearer"
            return response
        }
    }
}

extension FormReader.SubmittedForm {
    /// Throws if the form comes from an account whose session has ended: what it says must not appear as a guest's.
    func expectSession(_ context: ServiceContext) throws(ServiceError) {
        guard typed["as"] != nil, context.caller == nil else { return }
        throw .invalid("as", "your session has ended: sign in, or send the form again as a guest")
    }
}
