// swift-tools-version:6.2

import PackageDescription

let package = Package(
    name: "ExamplePackage",
    dependencies: [.package(name: "DoggoFinder", path: "../..")],
    targets: [
        .executableTarget(
            name: "Example",
            dependencies: ["DoggoFinderClient", "Gazetteer", "ImageClassifier", "Photos", "photo-worker"].map {
                .product(name: $0, package: "DoggoFinder")
            }
        )
    ],
    swiftLanguageModes: [.v6]
)
