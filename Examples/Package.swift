// swift-tools-version: 6.2
import PackageDescription

// A small app and its tests, as an outside user of the package. The app depends on `NativeAuth` alone;
// `NativeAuthTesting`, which the trait `Testing` turns on, is for the tests.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// `scripts/test` builds it from the modules that it has built for the server, so with the server's trait. An app needs only
// `Testing`.
let traits: Set<Package.Dependency.Trait> =
    Context.environment["SWIFT_NATIVE_AUTH_TOOLS"] == nil ? ["Testing"] : ["Testing", "Server"]

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15), .iOS(.v17)],
    dependencies: [.package(name: "swift-native-auth", path: "..", traits: traits)],
    targets: [
        .target(
            name: "SampleApp",
            dependencies: [.product(name: "NativeAuth", package: "swift-native-auth")],
            swiftSettings: settings),
        .testTarget(
            name: "SampleAppTests",
            dependencies: [
                "SampleApp",
                .product(name: "NativeAuth", package: "swift-native-auth"),
                .product(name: "NativeAuthTesting", package: "swift-native-auth"),
            ],
            swiftSettings: settings),
    ]
)
