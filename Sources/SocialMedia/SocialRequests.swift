import Domain
import Foundation
import OutgoingHTTP

/// Sends requests, and reads answers as JSON.
struct SocialRequests: Sendable {
    let http: HTTPSClient
    let settings: OutgoingSettings
    let now: @Sendable () -> Timestamp

    /// Returns a whole answer, whatever its status is.
    func send(
        _ url: String,
        _ method: OutgoingRequest.Method? = nil,
        _ body: Body? = nil,
        headers: [(name: String, value: String)] = []
    ) async throws -> OutgoingAnswer {
        let types = body.map { [(name: "Content-Type", value: $0.type)] } ?? []
        do {
            let url = try OutgoingURL(url, settings: settings)
            let request = OutgoingRequest(url, method, body: body?.bytes, headers: headers + types)
            let answer = try await http.send(request)
            guard answer.isComplete else { throw OutgoingFailure.noAnswer }
            return answer
        } catch let failure as OutgoingFailure {
            throw SocialFailure.unreachable(failure)
        } catch is ServiceError {
            // The operator permits the address no more.
            throw SocialFailure.unreachable(.notPermitted)
        }
    }

    /// Throws `rejected` if an answer is not what the service documents.
    static func read<Value: Decodable>(_ type: Value.Type, from answer: OutgoingAnswer) throws(SocialFailure) -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let value = try? decoder.decode(type, from: Data(answer.body)) else { throw .rejected }
        return value
    }

    /// The body of a request with its type.
    struct Body {
        let type: String
        let bytes: [UInt8]

        static func json(_ fields: [String: JSONValue]) throws -> Body {
            Body(type: "application/json", bytes: Array(try JSONEncoder().encode(JSONValue.object(fields))))
        }

        /// A form with a photo, by RFC 7578.
        static func form(_ fields: [(name: String, value: String)], _ name: String, jpeg: [UInt8]) -> Body {
            // A random boundary is in neither the photo nor the texts.
            let boundary = "doggofinder-\(UUID().uuidString)"
            var bytes: [UInt8] = []
            for (name, value) in fields {
                bytes += Array(
                    "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8
                )
            }
            let head =
                "Content-Disposition: form-data; name=\"\(name)\"; filename=\"photo.jpg\"\r\nContent-Type: image/jpeg"
            bytes += Array("--\(boundary)\r\n\(head)\r\n\r\n".utf8) + jpeg + Array("\r\n--\(boundary)--\r\n".utf8)
            return Body(type: "multipart/form-data; boundary=\(boundary)", bytes: bytes)
        }
    }
}
