import Foundation
import Testing

extension InBrowser {
    /// Saves screenshots of every page for manual review.
    @Suite("Screenshots")
    struct PictureTests {
        static let folder = ProcessInfo.processInfo.environment["DOGGOFINDER_PICTURES"].map {
            URL(filePath: $0)
        }

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
            "Every page is captured on phone and desktop, light and dark, in Italian and English",
            .enabled(if: folder != nil, "DOGGOFINDER_PICTURES names no folder")
        )
        func everyPage() async throws {
            let folder = try #require(Self.folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            // Each visitor gets a service of their own, because pages with wrong passwords and codes slow the next ones
            // down.
            for (name, visitor) in Self.visitors {
                try await Scene.with { scene in
                    try await Browser.with(visitor) { browser in
                        try await scene.visit(scene.pages, with: browser) { page in
                            try await browser.settle()
                            let picture = try await browser.pageScreenshot()
                            try picture.png.write(to: folder.appending(path: "\(page.name)-\(name).png"))
                        }
                    }
                }
            }
        }
    }
}
