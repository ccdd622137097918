// swift-tools-version: 6.2

import PackageDescription

// The lines of README.md and of the articles that belong into a manifest.
let package = Package(
  name: "App",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(path: "../Strata", traits: ["Postgres"])
  ],
  targets: [
    .executableTarget(
      name: "App",
      dependencies: [
        .product(name: "Strata", package: "Strata"),
        .product(name: "StrataPostgres", package: "Strata"),
      ]
    )
  ]
)
