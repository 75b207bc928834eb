import Domain
import Foundation
import TestSupport

extension RunningService {
    package func upload(
        _ text: String,
        _ token: String,
        _ query: String = "",
        type: String = "text/csv"
    ) async throws -> Answer {
        try await send("POST", "/v1/imports" + query, bytes: Data(text.utf8), token, ["Content-Type": type])
    }

    /// Waits until the import of an answer has ended.
    package func ended(_ answer: Answer, _ token: String) async throws -> Answer {
        guard let id = answer.text("id") else { throw TestFailure("\(answer.status) \(answer.html)") }
        return try await eventually("the end of the import") {
            let now = try await send("GET", "/v1/imports/\(id)", token: token)
            return now["ended_at"] != .null ? now : nil
        }
    }
}
