// swift-tools-version: 6.2
import PackageDescription

// An app team's package: it depends only on products of the SDK, and the tutorials' sources are built in both language modes.
let msal: [Target.Dependency] = [.product(name: "MSAL", package: "swift-native-auth")]

let package = Package(
    name: "TutorialConsumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-native-auth", path: "../../..")],
    targets: [
        .executableTarget(name: "consumer-swift5", dependencies: msal, swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(name: "consumer-swift6", dependencies: msal, swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "fallback", dependencies: msal + [.product(name: "NativeAuth", package: "swift-native-auth")]),
    ]
)
