import Domain
import Foundation
import ServerSupport
import Testing

extension InBrowser {
    @Suite("Page weight")
    struct WeightTests {
        private static let pages = ["board", "map", "post", "account"]

        /// Creates twenty dogs without photos, so that the measured weight is that of the page itself.
        private func withBoard(_ body: (RunningService) async throws -> Void) async throws {
            try await Scene.empty(hasModel: false) { service in
                let guest = try await service.guest()
                for number in 1...20 { _ = try await service.post("Dog \(number)", number, guest) }
                try await body(service)
            }
        }

        /// The tiles of the map.
        private static let tiles = "/basemap/"

        @Test("A first visit transfers at most 150 kB, not counting photos and tiles")
        func weight() async throws {
            try await withBoard { service in
                for page in Self.pages {
                    try await Browser.with(.phone) { browser in
                        try await browser.open("\(service.base)/\(page)")
                        if page == "map" { try await browser.find(".pin, .leaflet-tile-loaded") }
                        let figures = try await browser.figures(besides: Self.tiles)
                        #expect(figures.bytes > 5_000 && figures.bytes <= 150_000, "\(page): \(figures.bytes)")
                    }
                }
            }
        }

        @Test("Pages do not move while they load on a slow network", arguments: ["board", "map", "post", "listing"])
        func shift(page: String) async throws {
            try await Scene.with { scene in
                try await Browser.with(.phone) { browser in
                    try await browser.be(Self.webPageTest)
                    let path = page == "listing" ? "listings/\(scene.argo)" : page
                    try await browser.open("\(scene.service.base)/\(path)")
                    if page == "map" { try await browser.find(".pin, .leaflet-tile-loaded") }
                    try await browser.settle()
                    // The cumulative layout shift, https://web.dev/articles/cls.
                    let shift = try await browser.script(
                        """
                        return new Promise(resolve => {
                            let sum = 0
                            new PerformanceObserver(list => {
                                for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value
                            }).observe({ type: "layout-shift", buffered: true })
                            setTimeout(() => resolve(sum), 1000)
                        })
                        """
                    ).number
                    #expect(try #require(shift) < 0.05, "\(page)")
                }
            }
        }

        /// 1.6 Mbit/s down, 768 kbit/s up, 150 ms of round-trip time.
        private static let webPageTest = Browser.Network(latency: 150, download: 200_000, upload: 96_000)

        @Test(
            "First and later visits are measured on slow networks",
            .enabled(
                if: ProcessInfo.processInfo.environment["DOGGOFINDER_BENCH"] != nil,
                "DOGGOFINDER_BENCH is not set"
            )
        )
        func table() async throws {
            let networks = [
                ("fine", Browser.Network.fine), ("3G, 150 ms", Self.webPageTest), ("DevTools' Fast 3G", .fast3G),
                ("DevTools' Slow 3G", .slow3G),
            ]
            print("| network | page | requests | kB | first paint, ms | load, ms | first paint later, ms |")
            print("|---|---|---|---|---|---|---|")
            try await withBoard { service in
                for (name, network) in networks {
                    for page in Self.pages {
                        try await Browser.with(.phone) { browser in
                            try await browser.be(network)
                            try await browser.open("\(service.base)/\(page)")
                            let first = try await browser.figures()
                            try await browser.be(.fine)
                            try await browser.waitForServiceWorker()
                            try await browser.open(service.base + "/healthz")
                            try await browser.be(network)
                            try await browser.open("\(service.base)/\(page)")
                            let later = try await browser.figures()
                            print(
                                "| \(name) | \(page) | \(first.requests) | \(first.bytes / 1_000)",
                                Int(first.firstContentfulPaint),
                                Int(first.load),
                                Int(later.firstContentfulPaint),
                                separator: " | ",
                                terminator: " |\n"
                            )
                        }
                    }
                }
            }
        }
    }
}
