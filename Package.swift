// swift-tools-version:6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "DoggoFinder",
    products: [
        .library(name: "Gazetteer", targets: ["Gazetteer"])
    ],
    targets: [
        .target(name: "Domain", swiftSettings: settings)
    ],
    swiftLanguageModes: [.v6]
)
