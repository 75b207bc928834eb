import Domain
import Foundation
import ServerSupport

/// A screenshot in PNG format.
struct Screenshot: Sendable {
    let png: Data

    /// Throws if the answer is not a PNG file in Base64.
    fileprivate init(_ answer: JSONValue) throws {
        guard let png = answer.text.flatMap({ Data(base64Encoded: $0) }),
            png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), png.count > 24
        else { throw TestFailure("no PNG") }
        self.png = png
    }

    /// The width in pixels.
    var width: Int { number(at: 16) }
    var height: Int { number(at: 20) }

    private func number(at offset: Int) -> Int { png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
}

extension Browser {
    /// Captures the visible part of the page.
    func screenshot() async throws -> Screenshot { try Screenshot(try await session.get("/screenshot")) }

    /// Captures the whole page.
    func pageScreenshot() async throws -> Screenshot {
        let size = try await session.devTools("Page.getLayoutMetrics")["cssContentSize"]
        let clip: JSONValue = ["x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1]
        let answer = try await session.devTools(
            "Page.captureScreenshot",
            ["captureBeyondViewport": true, "clip": clip]
        )
        return try Screenshot(answer["data"])
    }
}
