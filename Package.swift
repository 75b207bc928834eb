// swift-tools-version:6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// For a module on which clients and tests spend minutes in a debug build without optimisation.
let optimized = settings + [SwiftSetting.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Debian's name of the folder for headers of this kind of processor.
#if arch(arm64)
let multiarch = "aarch64-linux-gnu"
#else
let multiarch = "x86_64-linux-gnu"
#endif

let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHTTPTypesHTTP2 = Target.Dependency.product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio = ["NIOCore", "NIOHTTP1", "NIOPosix"].map { Target.Dependency.product(name: $0, package: "swift-nio") }

let package = Package(
    name: "DoggoFinder",
    products: [
        .executable(name: "doggofinder", targets: ["doggofinder"]),
        .library(name: "DoggoFinderClient", targets: ["DoggoFinderClient"]),
        .library(name: "Gazetteer", targets: ["Domain", "Gazetteer", "Geodata"]),
        .library(name: "ImageClassifier", targets: ["BreedModel", "ImageClassifier"]),
        .library(name: "Photos", targets: ["Photos"]),
        .executable(name: "photo-worker", targets: ["photo-worker"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird",
            exact: "2.28.1",
            traits: ["FullFoundation"]
        ),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        .target(name: "BreedModel", resources: [.copy("LabelMaps"), .copy("Model")], swiftSettings: settings),
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-gnutls-dev"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CGEOS", pkgConfig: "geos", providers: [.apt(["libgeos-dev"])]),
        .target(name: "CLibPQ"),
        .systemLibrary(name: "CLinux"),
        .target(name: "Concurrency", dependencies: ["Domain"], swiftSettings: settings),
        .target(name: "CQL2", dependencies: ["CGEOS", "Domain", "SQL"], swiftSettings: settings),
        .target(
            name: "COpenCV",
            exclude: ["headers"],
            // `headers` is a link to where Debian keeps them: no file for pkg-config comes with single modules.
            cxxSettings: [.headerSearchPath("headers")],
            linkerSettings: ["opencv_dnn", "opencv_imgproc", "opencv_core"].map { .linkedLibrary($0) }
        ),
        .target(
            name: "CSpatiaLite",
            linkerSettings: [.linkedLibrary("spatialite"), .linkedLibrary("sqlite3"), .linkedLibrary("proj")]
        ),
        .target(
            name: "COpeningHours",
            cxxSettings: [.unsafeFlags(["", "/QtCore"].map { "-I/usr/include/\(multiarch)/qt5\($0)" })],
            linkerSettings: ["KOpeningHours", "Qt5Core"].map { .linkedLibrary($0) }
        ),
        .target(name: "CPhoneNumber", linkerSettings: [.linkedLibrary("phonenumber")]),
        .target(name: "CSV", swiftSettings: settings),
        .systemLibrary(
            name: "CPangoCairo",
            pkgConfig: "pangocairo",
            providers: [.apt(["libcairo2-dev", "libpango1.0-dev"])]
        ),
        .systemLibrary(name: "CQRencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        // Debian has no file for pkg-config.
        .systemLibrary(name: "CStemmer", providers: [.apt(["libstemmer-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "Cryptography", dependencies: ["COpenSSL"], swiftSettings: settings),
        .target(
            name: "Credentials",
            dependencies: [
                "CArgon2", "Concurrency", "Domain", "Cryptography", systemPackage,
            ],
            resources: [.copy("common-passwords.txt")],
            swiftSettings: settings
        ),
        .target(
            name: "Domain",
            dependencies: ["CPhoneNumber", "CStemmer"],
            resources: [.copy("Languages"), .copy("Tables")],
            swiftSettings: settings
        ),
        .target(name: "DoggoFinderClient", swiftSettings: settings),
        .target(name: "Fonts", dependencies: ["CPangoCairo"], swiftSettings: settings),
        .target(name: "Flyer", dependencies: ["CPangoCairo", "CQRencode", "Domain", "Fonts"], swiftSettings: settings),
        .target(
            name: "Basemap",
            dependencies: ["CGEOS", "CPangoCairo", "Domain", "Fonts", "Gazetteer", "MapDatabase"],
            swiftSettings: settings
        ),
        .target(
            name: "MapDatabase",
            dependencies: ["CLinux", "Domain", "SQL", "SpatiaLite"],
            swiftSettings: settings
        ),
        .target(
            name: "Channels",
            dependencies: [
                "Credentials", "Delivery", "Domain", "OutgoingHTTP", "Storage", "WebPush", "Webhooks",
                "Cryptography", logging, serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .target(name: "Delivery", dependencies: ["Domain"], swiftSettings: settings),
        .target(name: "Forms", dependencies: ["Domain", nioCore], swiftSettings: settings),
        .target(
            name: "Formats",
            dependencies: ["CSV", "Domain", "MessageWarnings", "OpeningHours", "Storage"],
            swiftSettings: settings
        ),
        .target(name: "GPX", dependencies: ["Domain", "XML"], swiftSettings: settings),
        .target(name: "Gazetteer", dependencies: ["CDeflate", "Domain"], swiftSettings: settings),
        .target(
            name: "Geodata",
            path: "geodata",
            exclude: [
                "ATTRIBUTION.md", "BREEDS.md", "README.md", "breed_frequency.py", "boundaries.py", "build.py",
                "demo/valletta.py", "exonyms.tsv",
                "fit.py", "fit_italy.py", "fitting.py", "former_comuni.tsv", "layout.py", "municipalities.py",
                "outlines.py",
                "points.py", "regions.tsv", "sea.py", "truth.py",
            ],
            sources: ["Geodata.swift"],
            resources: [
                .copy("breeds.tsv"), .copy("countries"), .copy("demo/valletta.osm.pbf"), .copy("gazetteer.bin"),
                .copy("points.bin"), .copy("sea.bin"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "HTTP",
            dependencies: [
                "CArchive", "CDeflate", "Concurrency", "Credentials", "Domain", "Formats",
                "Cryptography", hummingbird, logging, nioCore,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "ImageClassifier",
            dependencies: ["CLinux", "COpenCV", "Concurrency", "Cryptography"],
            exclude: ["README.md", "Training"],
            swiftSettings: settings
        ),
        .target(
            name: "Imports",
            dependencies: ["CSV", "Domain", "Localization", "Spreadsheets", "Storage"],
            swiftSettings: settings
        ),
        .target(
            name: "Localization",
            dependencies: ["Domain", "Matching", "SearchText"],
            resources: [.copy("microchip-prefixes.tsv"), .copy("time-zones.tsv")],
            swiftSettings: settings
        ),
        .target(
            name: "Mail",
            dependencies: ["CCurl", "Delivery", "Domain", "Storage", "Transfer", logging, serviceLifecycle],
            swiftSettings: settings
        ),
        .target(
            name: "Mapillary",
            dependencies: ["Concurrency", "Domain", "Transfer", logging],
            swiftSettings: settings
        ),
        .target(
            name: "Matching",
            dependencies: ["Domain"],
            resources: [.copy("Tables")],
            swiftSettings: optimized
        ),
        .target(
            name: "Migrations",
            dependencies: ["Domain"],
            path: "Migrations",
            exclude: ["README.md"],
            sources: ["Migration.swift"],
            resources: [.copy("postgis"), .copy("spatialite")],
            swiftSettings: settings
        ),
        .target(name: "Mustache", swiftSettings: settings),
        .target(
            name: "ObjectStorage",
            dependencies: [
                "CCurl", "Concurrency", "Domain", "Transfer", "XML", "Cryptography",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "MessageWarnings",
            dependencies: ["Domain", "SearchText"],
            swiftSettings: settings
        ),
        .target(
            name: "OpenAPI",
            dependencies: ["Domain", "Formats", "HTTP", hummingbird],
            swiftSettings: settings
        ),
        .target(
            name: "OpenStreetMap",
            dependencies: ["CGEOS", "CZlib", "Domain", "MapDatabase", "XML"],
            swiftSettings: settings
        ),
        .target(name: "OpeningHours", dependencies: ["COpeningHours", "Domain"], swiftSettings: settings),
        .target(
            name: "Pages",
            dependencies: [
                "Domain", "Flyer", "Localization", "Matching", "MessageWarnings", "Mustache", "OpeningHours",
                "SearchAreas",
                "SearchText",
                "Cryptography",
            ],
            resources: [.copy("Assets"), .copy("Templates")],
            swiftSettings: settings
        ),
        .target(
            name: "OutgoingHTTP",
            dependencies: ["CCurl", "Concurrency", "Domain", "Transfer"],
            swiftSettings: settings
        ),
        .target(name: "PlaceFiles", dependencies: ["Domain", "SQL", "SpatiaLite"], swiftSettings: settings),
        .target(
            name: "SearchText",
            dependencies: ["Domain"],
            swiftSettings: optimized
        ),
        .target(name: "SearchAreas", dependencies: ["CGEOS", "Domain"], swiftSettings: settings),
        .target(
            name: "Server",
            dependencies: [
                "Basemap", "CLinux", "CQL2", "CSV", "Channels", "Concurrency", "Credentials", "Domain", "Flyer",
                "Formats",
                "Forms", "GPX", "Gazetteer", "HTTP", "ImageClassifier", "Imports", "Localization", "Mail",
                "MapDatabase",
                "Mapillary", "Matching", "MessageWarnings", "ObjectStorage", "OpenAPI", "OpeningHours", "OutgoingHTTP",
                "Pages",
                "Photos", "SearchAreas", "SearchText", "SocialMedia",
                "SQL",
                "SpatiaLite", "Spreadsheets", "Storage", "TLS", "WebPush", "Webhooks", "Cryptography", hummingbird,
                logging, nioCore,
                nioHTTP2,
                nioHTTPTypesHTTP2, nioPosix, nioTLS, serviceLifecycle, systemPackage,
            ],
            swiftSettings: settings
        ),
        .target(name: "SQL", dependencies: ["CLibPQ", "CSpatiaLite", "Domain"], swiftSettings: settings),
        .target(
            name: "SpatiaLite",
            dependencies: [
                "CSpatiaLite", "Domain", "SQL",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "SocialMedia",
            dependencies: [
                "Credentials", "Cryptography", "Delivery", "Domain", "OutgoingHTTP", "Storage", "Webhooks", logging,
                serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .target(name: "Spreadsheets", dependencies: ["CArchive", "Domain", "XML"], swiftSettings: optimized),
        .target(
            name: "Storage",
            dependencies: [
                "CQL2", "CSpatiaLite", "Concurrency", "Cryptography", "Domain", "Matching", "Migrations", "SQL",
                "SearchText", "SpatiaLite",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "photo-worker",
            cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))],
            linkerSettings: ["jpeg", "png", "webp", "webpdemux", "lcms2", "seccomp", "m"].map { .linkedLibrary($0) } + [
                // libheif, which the program loads itself, finds these functions of the program.
                .unsafeFlags(
                    ["de265_start_worker_threads", "dav1d_open"].flatMap {
                        ["-Xlinker", "--export-dynamic-symbol=\($0)"]
                    }
                ),
                // The program is C: without Swift's startup code, a static link leaves the runtime out (6 MB).
                .unsafeFlags(["-use-ld=lld", "-nostartfiles"], .when(configuration: .release)),
            ]
        ),
        .target(
            name: "Photos",
            dependencies: [
                "Concurrency", "Domain", "ObjectStorage", "photo-worker",
                "Cryptography", nioPosix, subprocess, systemPackage,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "WebPush",
            dependencies: ["Domain", "OutgoingHTTP", "Cryptography"],
            swiftSettings: settings
        ),
        .target(
            name: "Webhooks",
            dependencies: ["Domain", "Cryptography"],
            swiftSettings: settings
        ),
        .target(name: "TLS", dependencies: ["COpenSSL", nioCore, nioTLS], swiftSettings: settings),
        .target(name: "XML", dependencies: ["CExpat"], swiftSettings: settings),
        .target(name: "Transfer", dependencies: ["CCurl", "Concurrency"], swiftSettings: settings),
        .executableTarget(
            name: "doggofinder",
            dependencies: [
                "BreedModel", "CCurl", "CLinux", "CPangoCairo", "CSV", "Channels", "Credentials", "Domain", "Fonts",
                "Formats", "Gazetteer", "Geodata",
                "ImageClassifier", "Imports",
                "Mail", "MapDatabase", "Mapillary", "Matching", "Migrations", "ObjectStorage", "OpenStreetMap",
                "OutgoingHTTP", "Pages", "Photos", "PlaceFiles", "SQL",
                "Server", "SocialMedia",
                "Storage", "Transfer", "WebPush", "photo-worker", systemPackage,
                .product(name: "ArgumentParser", package: "swift-argument-parser"), logging, hummingbird,
            ],
            exclude: ["Packaging"],
            swiftSettings: settings,
            linkerSettings: [
                // SwiftPM exports all symbols of programs, which costs 4 MB and keeps unused code.
                .unsafeFlags(["-Xlinker", "--no-export-dynamic"], .when(configuration: .release)),
                // `make build` needs an option of lld. Relative relocations take 3 MB in the usual format and 0.1 MB in
                // this one, which the C library of Debian 12 reads.
                .unsafeFlags(
                    ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"],
                    .when(configuration: .release)
                ),
            ]
        ),
        .executableTarget(
            name: "benchmark",
            dependencies: [
                "CSpatiaLite", "Domain", "Formats", "Forms", "Gazetteer", "Geodata", "RandomSupport", "SQL",
                "SearchText",
                "SpatiaLite", "Storage", "TestSupport", nioCore,
            ],
            path: "Tests/Performance/Benchmark",
            swiftSettings: settings
        ),
        .testTarget(
            name: "BrowserTests",
            dependencies: [
                "Concurrency", "Domain", "Mapillary", "Photos", "Server", "ServerSupport", "TestSupport", hummingbird,
                logging, subprocess,
            ] + nio,
            swiftSettings: settings
        ),
        .testTarget(
            name: "CQL2Tests",
            dependencies: ["CQL2", "Domain", "RandomSupport", "SQL", "SpatiaLite", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ChannelsTests",
            dependencies: [
                "Channels", "Domain", "OutgoingHTTP", "ServerSupport", "SQL", "SpatiaLite", "Storage", "TestSupport",
                "WebPush",
                "Webhooks", "Cryptography", logging, serviceLifecycle,
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "ConcurrencyTests", dependencies: ["Concurrency", "Domain"], swiftSettings: settings),
        .testTarget(name: "CSVTests", dependencies: ["CSV", "RandomSupport"], swiftSettings: settings),
        .testTarget(
            name: "CredentialsTests",
            dependencies: ["Credentials", "Domain", "RandomSupport", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(name: "CryptographyTests", dependencies: ["Cryptography", "Domain"], swiftSettings: settings),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "CSV", "Domain", "MapDatabase", "Matching", "Migrations", "Photos", "SQL", "SpatiaLite", "Storage",
                "TestSupport", "doggofinder",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DomainTests",
            dependencies: ["CSV", "Domain", "TestSupport"],
            exclude: ["Pairs"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DoggoFinderClientTests",
            dependencies: ["DoggoFinderClient", "Domain", "ServerSupport", "TestSupport"],
            swiftSettings: settings
        ),
        // The example as a part of this package, with what other packages see of it.
        .executableTarget(
            name: "example",
            dependencies: [
                "BreedModel", "DoggoFinderClient", "Domain", "Gazetteer", "Geodata", "ImageClassifier", "Photos",
            ],
            path: "Tests/ExamplePackage/Sources/Example",
            packageAccess: false
        ),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CQL2", "CSV", "Domain", "Forms", "GPX", "Gazetteer", "Geodata", "ImageClassifier", "Imports",
                "MessageWarnings", "OpenStreetMap", "OutgoingHTTP", "PlaceFiles", "RandomSupport", "SearchText", "SQL",
                "SpatiaLite",
                "SpreadsheetSupport", "Spreadsheets", "WebPush", "Webhooks",
                nioCore,
            ],
            path: "Tests/Fuzzing",
            exclude: ["Seeds", "whole_requests.py", "photo.c", "run.sh"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FlyerTests",
            dependencies: [
                "CPangoCairo", "Domain", "Flyer", "Fonts", "Photos", "RandomSupport", "TestSupport", "photo-worker",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BasemapTests",
            dependencies: [
                "Basemap", "CPangoCairo", "Domain", "Fonts", "Gazetteer", "MapDatabase", "OpenStreetMap", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FormsTests",
            dependencies: ["Domain", "Forms", "RandomSupport", nioCore],
            swiftSettings: settings
        ),
        .testTarget(name: "GPXTests", dependencies: ["Domain", "GPX"], swiftSettings: settings),
        .testTarget(
            name: "GazetteerTests", dependencies: ["CSV", "Domain", "Gazetteer", "Geodata"], swiftSettings: settings),
        .testTarget(
            name: "ImageClassifierTests",
            dependencies: [
                "BreedModel", "Geodata", "ImageClassifier", "Photos", "RandomSupport", "TestSupport",
                "Cryptography",
            ],
            resources: [.copy("Models")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ImportsTests",
            dependencies: ["Domain", "Imports", "Localization", "Storage", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MailTests",
            dependencies: ["Domain", "Mail", "SQL", "SpatiaLite", "Storage", "TestSupport", logging, serviceLifecycle],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MapillaryTests",
            dependencies: ["Domain", "Mapillary", "TestSupport", logging],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MatchingTests", dependencies: ["Domain", "Matching", "RandomSupport"], swiftSettings: settings),
        .testTarget(
            name: "MessageWarningsTests",
            dependencies: ["Domain", "MessageWarnings"],
            resources: [.copy("Tables")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SearchTextTests", dependencies: ["Domain", "SearchText", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "MustacheTests", dependencies: ["Mustache"], swiftSettings: settings),
        .testTarget(
            name: "ObjectStorageTests",
            dependencies: ["Domain", "ObjectStorage", "TestSupport"],
            exclude: ["Store"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OpeningHoursTests",
            dependencies: ["Domain", "OpeningHours"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OpenStreetMapTests",
            dependencies: [
                "CGEOS", "CZlib", "Domain", "MapDatabase", "OpenStreetMap", "RandomSupport", "SQL", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OutgoingHTTPTests",
            dependencies: ["CCurl", "Concurrency", "Domain", "OutgoingHTTP", "TestSupport", "Transfer"],
            exclude: ["Receiver"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "outgoing-samples",
            dependencies: ["OutgoingHTTP", "WebPush", "Webhooks"],
            path: "Tests/Clients/Samples",
            swiftSettings: settings
        ),
        .testTarget(
            name: "PagesTests",
            dependencies: [
                "Domain", "Flyer", "Localization", "Matching", "Mustache", "OpeningHours", "Pages", "SearchAreas",
                "SearchText", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PlaceFilesTests",
            dependencies: [
                "Domain", "Gazetteer", "Geodata", "PlaceFiles", "RandomSupport", "SQL", "SpatiaLite", "Storage",
                "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PhotosTests",
            dependencies: [
                "Concurrency", "Domain", "ObjectStorage", "Photos", "RandomSupport", "TestSupport", "photo-worker",
                subprocess, systemPackage,
            ],
            resources: [.copy("Fixtures")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SearchAreasTests",
            dependencies: ["CSV", "Domain", "RandomSupport", "SearchAreas", "SQL", "SpatiaLite", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SocialMediaTests",
            dependencies: [
                "Credentials", "Domain", "OutgoingHTTP", "SQL", "ServerSupport", "SocialMedia", "Storage",
                "TestSupport",
                logging,
            ],
            exclude: ["services.py"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SpreadsheetsTests",
            dependencies: ["SpreadsheetSupport", "Spreadsheets"],
            resources: [.copy("Files")],
            swiftSettings: settings
        ),
        .target(
            name: "SpreadsheetSupport",
            dependencies: ["CZlib"],
            path: "Tests/SpreadsheetSupport",
            swiftSettings: settings
        ),
        .target(name: "RandomSupport", path: "Tests/RandomSupport", swiftSettings: settings),
        .testTarget(
            name: "ServerPeopleTests",
            dependencies: [
                "Concurrency", "Credentials", "Domain", "HTTP", "Mail", "OpenAPI", "RandomSupport", "SQL", "Server",
                "ServerSupport", "Storage", "TestSupport", logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "BreedModel", "CSV", "Channels", "Concurrency", "Credentials", "Domain", "Formats", "Forms", "HTTP",
                "ImageClassifier",
                "Mail", "MapDatabase", "Mapillary", "ObjectStorage", "OpenAPI", "OutgoingHTTP", "Pages", "Photos",
                "RandomSupport",
                "Server",
                "ServerSupport", "SQL", "SpatiaLite", "SpreadsheetSupport",
                "Storage",
                "TestSupport", "WebPush", "Webhooks", "Cryptography", hummingbird,
                logging, nioCore, .product(name: "NIOEmbedded", package: "swift-nio"), serviceLifecycle,
                systemPackage,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "ServerSupport",
            dependencies: [
                "Basemap", "Channels", "Credentials", "Domain", "Formats", "ImageClassifier", "Mail", "MapDatabase",
                "Mapillary", "OutgoingHTTP", "Photos", "Server", "Storage",
                "TestSupport", "WebPush", logging, serviceLifecycle,
            ],
            path: "Tests/ServerSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "CQL2", "CSpatiaLite", "Concurrency", "Domain", "Matching", "Migrations", "RandomSupport",
                "SQL", "SpatiaLite", "Storage", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: [
                "CZlib", "Domain", "Gazetteer", "Geodata", "ImageClassifier", "Matching", "ObjectStorage",
                "OutgoingHTTP",
                "Photos", "SQL", "SpatiaLite", "Storage", "photo-worker",
                "Cryptography", systemPackage,
            ],
            path: "Tests/TestSupport",
            resources: [.copy("Models")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WebPushTests",
            dependencies: ["Domain", "OutgoingHTTP", "WebPush", "Cryptography"],
            swiftSettings: settings
        ),
        .testTarget(name: "WebhooksTests", dependencies: ["Domain", "Webhooks"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
