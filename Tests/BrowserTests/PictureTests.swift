import Foundation
import ServerSupport
import Testing

extension InBrowser {
    /// For people to look at: every page, through every kind of visitor's eyes.
    @Suite("Pictures")
    struct PictureTests {
        static let folder = ProcessInfo.processInfo.environment["DOGGOFINDER_PICTURES"].map {
            URL(filePath: $0)
        }

        /// By the names that their pictures get.
        private static let pages = ["home": "/"]

        private static let visitors = [("phone", Visitor.Screen.phone), ("desktop", .desktop)].flatMap { name, screen in
            Visitor.ColourScheme.allCases.flatMap { scheme in
                ["it", "en"].map { language in
                    (
                        name: "\(name)-\(scheme)-\(language)",
                        visitor: Visitor(screen: screen, scheme: scheme, language: language)
                    )
                }
            }
        }

        @Test(
            "Every page on phone and desktop, light and dark, in Italian and English",
            .enabled(if: folder != nil, "DOGGOFINDER_PICTURES names no folder")
        )
        func everyPage() async throws {
            let folder = try #require(Self.folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await RunningService.with { service in
                for (name, visitor) in Self.visitors {
                    try await Browser.with(visitor) { browser in
                        for (page, path) in Self.pages {
                            try await browser.open(service.base + path)
                            let picture = try await browser.pageScreenshot()
                            try picture.png.write(to: folder.appending(path: "\(page)-\(name).png"))
                        }
                    }
                }
            }
        }
    }
}
