// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that users of the library never fetch the peers.
let package = Package(
  name: "StrataBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The users of some lines are entities by macro.
    .package(name: "Strata", path: "..", traits: ["Macros"]),
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
        .product(name: "StrataRecords", package: "Strata"),
        .product(name: "StrataMigrations", package: "Strata"),
        .product(name: "StrataMaintenance", package: "Strata"),
        .product(name: "StrataArchive", package: "Strata"),
        .product(name: "StrataFlux", package: "Strata"),
        .product(name: "StrataFluxRecorder", package: "Strata"),
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

// The archive in PostgreSQL, where there is libpq: `Scripts/benchmark` looks for it.
if Context.environment["STRATA_BENCHMARKS_POSTGRES"] != nil {
  package.dependencies[0] = .package(name: "Strata", path: "..", traits: ["Macros", "Postgres"])
  package.targets.append(
    .systemLibrary(
      name: "CBenchmarksPostgres",
      path: "Sources/CBenchmarksPostgres",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    )
  )
  for target in package.targets where target.name == "Benchmarks" {
    target.dependencies += [
      "CBenchmarksPostgres", .product(name: "StrataPostgres", package: "Strata"),
    ]
    target.swiftSettings?.append(.define("POSTGRES_PEER"))
  }
}

// LMDB, where its headers are.
if Context.environment["STRATA_BENCHMARKS_LMDB"] != nil {
  package.targets.append(
    .systemLibrary(
      name: "CBenchmarksLMDB",
      path: "Sources/CBenchmarksLMDB",
      pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
    )
  )
  for target in package.targets where target.name == "Benchmarks" {
    target.dependencies.append("CBenchmarksLMDB")
    target.swiftSettings?.append(.define("LMDB_PEER"))
  }
}

// A quick run only checks that the benchmarks run. It leaves out GRDB, which takes minutes to build.
if Context.environment["STRATA_BENCHMARKS_QUICK"] == nil {
  package.dependencies.append(
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0")
  )
  for target in package.targets where target.name == "Benchmarks" {
    target.dependencies.append(.product(name: "GRDB", package: "GRDB.swift"))
    target.swiftSettings?.append(.define("GRDB_PEER"))
  }
} else {
  // The tests use the optimized build too, where only this makes `@testable` work.
  for target in package.targets where target.name == "Benchmarks" {
    target.swiftSettings?.append(.unsafeFlags(["-enable-testing"]))
  }
  package.targets.append(.testTarget(name: "BenchmarksTests", dependencies: ["Benchmarks"]))
}
