// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Library",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(path: "../Strata", traits: ["Macros"])
  ],
  targets: [
    .executableTarget(
      name: "Library",
      dependencies: [.product(name: "Strata", package: "Strata")]
    )
  ]
)
