// swift-tools-version: 6.2
import PackageDescription

// 6.2 is the lowest version that the sources allow: `NonisolatedNonsendingByDefault` came with its compiler. Traits need 6.1.

// Two traits, both off by default, keep an app's dependency graph small: an app that uses `MSAL` or `NativeAuth`
// fetches swift-crypto and nothing else. A dependency counts as fetched unless every use of it stands under the
// condition of a trait, so each use below does. See docs/design/0001-modules-and-traits.md.
let testing: TargetDependencyCondition? = .when(traits: ["Testing"])
let server: TargetDependencyCondition? = .when(traits: ["Server"])
let serverOnLinux: TargetDependencyCondition? = .when(platforms: [.linux], traits: ["Server"])

// SwiftPM makes a product of every executable target, which each package that depends on this one would see. So the programs of
// proofs and measurements, and the tests that run them, are here only where the environment asks for them, as `scripts/test`,
// `scripts/prove` and `scripts/bench` do. See docs/design/0015-executables.md.
let hasTools = Context.environment["SWIFT_NATIVE_AUTH_TOOLS"] != nil

let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (hasTools ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
    name: "swift-native-auth",
    platforms: [.macOS(.v15), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "MSAL", targets: ["MSAL"]),
        .library(name: "NativeAuth", targets: ["NativeAuth"]),
        .library(name: "NativeAuthTesting", targets: ["NativeAuthTesting"]),
        .executable(name: "native-auth", targets: ["native-auth"]),
        .executable(name: "native-auth-try", targets: ["native-auth-try"]),
    ],
    traits: [
        .trait(name: "Testing", description: "The identity server as a library, for tests of an app."),
        .trait(
            name: "Server",
            description: "The executables: mail, Argon2id, command line.",
            enabledTraits: ["Testing"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.1.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.4.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: []),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        // The client.
        .target(name: "PortableFoundation", path: "Sources/SDK/PortableFoundation", swiftSettings: strict),
        .target(
            name: "NativeAuthCore", dependencies: ["PortableFoundation"], path: "Sources/SDK/NativeAuthCore",
            swiftSettings: strict),
        .target(
            name: "NativeAuthWire", dependencies: ["PortableFoundation", "NativeAuthCore"],
            path: "Sources/SDK/NativeAuthWire", swiftSettings: strict),
        .target(
            name: "NativeAuth",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "NativeAuthWire",
                .product(name: "Crypto", package: "swift-crypto"),
            ], path: "Sources/SDK/NativeAuth",
            swiftSettings: strict),
        .target(
            name: "MSAL", dependencies: ["NativeAuth", "NativeAuthCore"], path: "Sources/SDK/MSAL",
            swiftSettings: strict),
        // Passkeys in software, for `NativeAuthTesting` and for the sample app in a terminal, which has no authenticator. Not
        // part of `NativeAuth`: an app does not need it, and nothing protects its keys.
        .target(
            name: "SoftPasskeys",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "NativeAuth",
                .product(name: "Crypto", package: "swift-crypto"),
            ], path: "Sources/SDK/SoftPasskeys", swiftSettings: strict),

        // The identity server.
        .target(
            name: "IdentityEngine",
            dependencies: ["PortableFoundation", "NativeAuthCore", .product(name: "Crypto", package: "swift-crypto")],
            path: "Sources/Server/IdentityEngine",
            swiftSettings: strict),
        .target(
            name: "IdentityTokens",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "IdentityEngine",
                .product(name: "JWTKit", package: "jwt-kit", condition: testing),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: testing),
            ], path: "Sources/Server/IdentityTokens", swiftSettings: strict),
        .target(
            name: "IdentityStoreSQL",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "IdentityEngine",
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: testing),
            ], path: "Sources/Server/IdentityStore/SQL", swiftSettings: strict),
        .target(
            name: "IdentityStoreSQLite",
            dependencies: [
                "PortableFoundation", "IdentityEngine", "IdentityStoreSQL",
                .product(name: "GRDB", package: "GRDB.swift", condition: testing),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: testing),
            ], path: "Sources/Server/IdentityStore/SQLite", swiftSettings: strict),
        .target(
            name: "IdentityHTTP",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "NativeAuthWire", "IdentityEngine",
                .target(name: "CQRCode", condition: server),
                .product(name: "Hummingbird", package: "hummingbird", condition: testing),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: testing),
                .product(name: "NIOCore", package: "swift-nio", condition: testing),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: testing),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: testing),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: testing),
                .product(name: "Logging", package: "swift-log", condition: testing),
                .product(name: "Metrics", package: "swift-metrics", condition: testing),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: testing),
            ], path: "Sources/Server/IdentityHTTP",
            resources: [
                .embedInCode("Console/Assets/console.css"), .embedInCode("Console/Assets/console.js"),
                .embedInCode("Pages/Assets/pages.css"), .embedInCode("Pages/Assets/pages.js"),
            ],
            swiftSettings: strict),
        .target(
            name: "NativeAuthTesting",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "NativeAuth", "SoftPasskeys", "IdentityEngine", "IdentityHTTP",
                "IdentityTokens",
                "IdentityStoreSQL", "IdentityStoreSQLite",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: testing),
                .product(name: "Hummingbird", package: "hummingbird", condition: testing),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: testing),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: testing),
                .product(name: "NIOCore", package: "swift-nio", condition: testing),
                .product(name: "Logging", package: "swift-log", condition: testing),
            ], path: "Sources/SDK/NativeAuthTesting", swiftSettings: strict),
        .systemLibrary(
            name: "CLibPQ", path: "Sources/Server/CLibPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "IdentityStorePostgres",
            dependencies: [
                "PortableFoundation", "IdentityEngine", "IdentityStoreSQL", .target(name: "CLibPQ", condition: server),
            ], path: "Sources/Server/IdentityStore/Postgres",
            swiftSettings: strict),
        .systemLibrary(
            name: "CSodium", path: "Sources/Server/CSodium", pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .systemLibrary(
            name: "CQRCode", path: "Sources/Server/CQRCode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        // bcrypt, for passwords of other systems. The libcrypt of Apple's systems has none.
        .systemLibrary(name: "CCrypt", path: "Sources/Server/CCrypt", providers: [.apt(["libcrypt-dev"])]),
        .target(name: "CCurl", path: "Sources/Server/CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(
            name: "IdentityPasswords",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "IdentityEngine", .target(name: "CSodium", condition: server),
                .target(name: "CCrypt", condition: serverOnLinux),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: server),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: server),
            ], path: "Sources/Server/IdentityPasswords",
            swiftSettings: strict),
        .target(
            name: "IdentityMail",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "IdentityEngine", .target(name: "CCurl", condition: server),
                .product(name: "Mustache", package: "swift-mustache", condition: server),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
                .product(name: "Metrics", package: "swift-metrics", condition: server),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
            ], path: "Sources/Server/IdentityMail", swiftSettings: strict),
        .target(
            name: "IdentityHooks",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "NativeAuthWire", "IdentityEngine",
                .target(name: "CCurl", condition: server),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: server),
                .product(name: "X509", package: "swift-certificates", condition: server),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
                .product(name: "Metrics", package: "swift-metrics", condition: server),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: server),
            ], path: "Sources/Server/IdentityHooks", swiftSettings: strict),
        .target(
            name: "IdentityTracing",
            dependencies: [
                "PortableFoundation", "NativeAuthCore",
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
                .product(name: "Metrics", package: "swift-metrics", condition: server),
            ], path: "Sources/Server/IdentityTracing", swiftSettings: strict),
        .target(
            name: "IdentityTLS",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "IdentityHTTP",
                .product(name: "HummingbirdCore", package: "hummingbird", condition: server),
                .product(name: "HummingbirdHTTP2", package: "hummingbird", condition: server),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOTLS", package: "swift-nio", condition: server),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: server),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: server),
                .product(name: "X509", package: "swift-certificates", condition: server),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: server),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log", condition: server),
            ], path: "Sources/Server/IdentityTLS", swiftSettings: strict),
        .target(name: "CHost", path: "Sources/Server/CHost", linkerSettings: [.linkedLibrary("resolv")]),
        .executableTarget(
            name: "native-auth",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "NativeAuth", "IdentityEngine", "IdentityHTTP",
                "IdentityTokens",
                "IdentityStoreSQL", "IdentityStoreSQLite", "IdentityStorePostgres", "IdentityPasswords", "IdentityMail",
                "IdentityHooks", "IdentityTLS", "IdentityTracing", .target(name: "CHost", condition: server),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
                .product(name: "Configuration", package: "swift-configuration", condition: server),
                .product(name: "Yams", package: "Yams", condition: server),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
                .product(name: "Metrics", package: "swift-metrics", condition: server),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: server),
            ], path: "Sources/Server/native-auth", swiftSettings: strict),

        // The sample app in a terminal.
        .executableTarget(
            name: "native-auth-try",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "NativeAuth", "SoftPasskeys",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
            ], path: "Sources/Tools/native-auth-try", swiftSettings: strict),

        // Tests. Run with `scripts/test`, or `swift test --traits Server`.
        .testTarget(
            name: "NativeAuthWireTests", dependencies: ["NativeAuthWire", "NativeAuthCore"],
            resources: [.copy("Golden")], swiftSettings: strict),
        .testTarget(
            name: "NativeAuthTests",
            dependencies: [
                "NativeAuth", "NativeAuthWire", "NativeAuthCore", "SoftPasskeys",
                .product(name: "Crypto", package: "swift-crypto"),
                .target(name: "NativeAuthTesting", condition: testing),
            ], swiftSettings: strict),
        .testTarget(
            name: "MSALTests",
            dependencies: [
                "MSAL", "NativeAuth", "NativeAuthCore", "IdentityEngine",
                .target(name: "NativeAuthTesting", condition: testing),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "IdentityEngineTests",
            dependencies: [
                "PortableFoundation", "IdentityEngine", "NativeAuthCore",
                .product(name: "Crypto", package: "swift-crypto"),
                .target(name: "IdentityStoreSQL", condition: testing),
                .target(name: "IdentityStoreSQLite", condition: testing),
            ], swiftSettings: strict),
        .testTarget(
            name: "IdentityPasswordsTests",
            dependencies: [
                "IdentityEngine", "NativeAuthCore", .target(name: "IdentityPasswords", condition: server),
                .target(name: "CSodium", condition: server),
            ], swiftSettings: strict),
        .testTarget(
            name: "IdentityTokensTests",
            dependencies: [
                "PortableFoundation", "IdentityEngine", "NativeAuthCore",
                .target(name: "IdentityTokens", condition: testing),
                .product(name: "JWTKit", package: "jwt-kit", condition: testing),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: testing),
            ], swiftSettings: strict),
        .testTarget(
            name: "IdentityMailTests",
            dependencies: [
                "IdentityEngine", "NativeAuthCore", .target(name: "IdentityMail", condition: server),
                .target(name: "IdentityStoreSQL", condition: server),
                .target(name: "IdentityStoreSQLite", condition: server),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log", condition: server),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
            ], resources: [.copy("Support")], swiftSettings: strict),
        .testTarget(
            name: "IdentityTracingTests",
            dependencies: [
                "NativeAuthCore", .target(name: "IdentityTracing", condition: server),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
            ], swiftSettings: strict),
        .testTarget(
            name: "IdentityHooksTests",
            dependencies: [
                "PortableFoundation", "IdentityEngine", "NativeAuthCore",
                .target(name: "IdentityHooks", condition: server),
                .target(name: "IdentityStoreSQL", condition: testing),
                .target(name: "IdentityStoreSQLite", condition: testing),
                .product(name: "Hummingbird", package: "hummingbird", condition: testing),
                .product(name: "NIOCore", package: "swift-nio", condition: testing),
                .product(name: "Logging", package: "swift-log", condition: server),
                .product(name: "Crypto", package: "swift-crypto"),
            ], swiftSettings: strict),
        .testTarget(
            name: "StoreConformanceTests",
            dependencies: [
                "IdentityEngine", "NativeAuthCore", .target(name: "IdentityStoreSQL", condition: testing),
                .target(name: "IdentityStoreSQLite", condition: testing),
                .target(name: "IdentityStorePostgres", condition: server),
                .product(name: "Crypto", package: "swift-crypto"),
            ], swiftSettings: strict),
        .testTarget(
            name: "IdentityHTTPTests",
            dependencies: [
                "PortableFoundation", "NativeAuthCore", "NativeAuthWire", "NativeAuth", "SoftPasskeys",
                "IdentityEngine",
                .target(name: "IdentityHTTP", condition: testing), .target(name: "IdentityHooks", condition: testing),
                .target(name: "NativeAuthTesting", condition: testing),
                .product(name: "Hummingbird", package: "hummingbird", condition: testing),
                .product(name: "HummingbirdTesting", package: "hummingbird", condition: testing),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: testing),
                .product(name: "NIOCore", package: "swift-nio", condition: testing),
                .product(name: "Metrics", package: "swift-metrics", condition: testing),
                .product(name: "Logging", package: "swift-log", condition: testing),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: testing),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: testing),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: testing),
            ], swiftSettings: strict),
        .testTarget(
            name: "NativeAuthTestingTests",
            dependencies: [
                "MSAL", "NativeAuth", "NativeAuthCore", "NativeAuthWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .target(name: "NativeAuthTesting", condition: testing),
            ], swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "NativeAuth", "NativeAuthCore", "MSAL", .target(name: "IdentityEngine", condition: testing),
                .target(name: "native-auth", condition: server), .target(name: "native-auth-try", condition: server),
            ] + (hasTools ? ["Fuzz"] : []), exclude: hasTools ? [] : ["Safety/FuzzTests.swift"],
            resources: [.copy("Support")], swiftSettings: strict),
    ]
)

if hasTools {
    package.dependencies.append(.package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"))
    package.targets += [
        .executableTarget(
            name: "Simulator",
            dependencies: [
                "PortableFoundation", "NativeAuth", "NativeAuthCore", "NativeAuthWire", "IdentityEngine",
                .target(name: "NativeAuthTesting", condition: testing),
                .target(name: "IdentityHTTP", condition: testing),
                .target(name: "IdentityStoreSQL", condition: testing),
                .target(name: "IdentityStoreSQLite", condition: testing),
                .target(name: "IdentityTokens", condition: testing),
                .product(name: "Crypto", package: "swift-crypto"),
            ], path: "Tools/Simulator", swiftSettings: strict),
        .executableTarget(
            name: "ActorReturn", dependencies: ["NativeAuth"], path: "Tools/ActorReturn", swiftSettings: strict),
        .testTarget(name: "SimulationTests", dependencies: ["Simulator"], swiftSettings: strict),
        .executableTarget(
            name: "TenantMeasure",
            dependencies: ["NativeAuth", .target(name: "NativeAuthTesting", condition: testing)],
            path: "Tools/TenantMeasure", swiftSettings: strict),
        .executableTarget(
            name: "SDKMeasure", dependencies: ["NativeAuth"], path: "Tools/SDKMeasure", swiftSettings: strict),
        .executableTarget(
            name: "PasskeyAnswers", dependencies: ["NativeAuth", "SoftPasskeys"], path: "Tools/PasskeyAnswers",
            swiftSettings: strict),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "NativeAuth", "NativeAuthCore", "NativeAuthWire", "SoftPasskeys", "IdentityEngine",
                .target(name: "NativeAuthTesting", condition: testing),
                .target(name: "IdentityHTTP", condition: testing),
                .target(name: "IdentityTokens", condition: testing),
                .target(name: "IdentityStoreSQL", condition: testing),
                .target(name: "IdentityStoreSQLite", condition: testing),
                .target(name: "IdentityStorePostgres", condition: server),
                .target(name: "IdentityPasswords", condition: server),
                .target(name: "IdentityMail", condition: server),
                .product(name: "Crypto", package: "swift-crypto"),
            ], path: "Tools/Fuzz", swiftSettings: strict),
        .executableTarget(
            name: "BenchParts",
            dependencies: [
                "NativeAuthCore", "NativeAuthWire", "IdentityEngine",
                .target(name: "IdentityHTTP", condition: server),
                .target(name: "IdentityTokens", condition: server),
                .target(name: "IdentityStoreSQL", condition: server),
                .target(name: "IdentityStoreSQLite", condition: server),
                .target(name: "IdentityStorePostgres", condition: server),
                .target(name: "IdentityPasswords", condition: server),
                .target(name: "IdentityMail", condition: server),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: server),
                .product(name: "Hummingbird", package: "hummingbird", condition: server),
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
            ], path: "Tools/BenchParts", swiftSettings: strict),
        // Does only what no design avoids, for the bench to compare the server with.
        .executableTarget(
            name: "Floor",
            dependencies: [
                .target(name: "CLibPQ", condition: server), .target(name: "CSodium", condition: server),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: server),
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
            ], path: "Tools/Floor", swiftSettings: strict),
        // Puts loads on a server, over HTTP, from outside.
        .executableTarget(
            name: "native-auth-bench",
            dependencies: [
                "SoftPasskeys",
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
                .product(name: "Histogram", package: "hdrhistogram-swift", condition: server),
                .product(name: "Crypto", package: "swift-crypto"),
            ], path: "Tools/native-auth-bench", swiftSettings: strict),
        .testTarget(
            name: "BenchTests",
            dependencies: [
                "native-auth-bench",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: server),
            ], swiftSettings: strict),
    ]
}
