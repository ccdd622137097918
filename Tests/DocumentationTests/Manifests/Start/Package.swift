// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Notes",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(path: "../Strata")
  ],
  targets: [
    .executableTarget(
      name: "Notes",
      dependencies: [.product(name: "Strata", package: "Strata")]
    )
  ]
)
