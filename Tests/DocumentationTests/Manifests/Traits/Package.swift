// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(path: "../Strata", traits: ["SwiftMetrics", "Tracing", "ServiceLifecycle"])
  ],
  targets: [
    .executableTarget(
      name: "Server",
      dependencies: [.product(name: "Strata", package: "Strata")]
    )
  ]
)
