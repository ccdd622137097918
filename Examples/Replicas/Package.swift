// swift-tools-version: 6.2

import PackageDescription

// A package of its own, as it needs libpq: the other examples do without.
let package = Package(
  name: "Replicas",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Strata", path: "../..", traits: ["Postgres"])],
  targets: [
    .executableTarget(
      name: "Replicas",
      dependencies: [
        .product(name: "Strata", package: "Strata"),
        .product(name: "StrataArchive", package: "Strata"),
        .product(name: "StrataPostgres", package: "Strata"),
      ],
      path: "Sources",
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
