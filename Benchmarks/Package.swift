// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that users of the library never fetch the peers.
let package = Package(
  name: "StrataBenchmarks",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(name: "Strata", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CBenchmarks",
      path: "Sources/CBenchmarks",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CBenchmarks",
        .product(name: "Strata", package: "Strata"),
        .product(name: "StrataFlux", package: "Strata"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// A quick run only checks that the benchmarks run. It leaves out GRDB, which takes minutes to build.
if Context.environment["STRATA_BENCHMARKS_QUICK"] == nil {
  package.dependencies.append(
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0")
  )
  for target in package.targets where target.name == "Benchmarks" {
    target.dependencies.append(.product(name: "GRDB", package: "GRDB.swift"))
    target.swiftSettings?.append(.define("GRDB_PEER"))
  }
}
