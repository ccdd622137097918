// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "StrataExamples",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Strata", path: ".."),
    .package(url: "https://github.com/swiftcsv/SwiftCSV", from: "0.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "FlightDesk",
      dependencies: [
        .product(name: "Strata", package: "Strata"),
        .product(name: "SwiftCSV", package: "SwiftCSV"),
      ],
      path: "FlightDesk",
      resources: [.copy("Data")]
    ),
    // The ways to open a file: at the top level, in a function, in an actor, blocking.
    .executableTarget(
      name: "Opening",
      dependencies: [.product(name: "Strata", package: "Strata")],
      path: "Opening"
    ),
    // The first program of README.md, unchanged.
    .executableTarget(
      name: "Readme",
      dependencies: [.product(name: "Strata", package: "Strata")],
      path: "Readme"
    ),
    .executableTarget(
      name: "Todo",
      dependencies: [
        .product(name: "Strata", package: "Strata"),
        .product(name: "StrataFlux", package: "Strata"),
        .product(name: "StrataFluxRecorder", package: "Strata"),
      ],
      path: "Todo"
    ),
  ]
    // The steps of the tutorial; the last ones migrate.
    + (1...6).map { step in
      .executableTarget(
        name: "Step0\(step)",
        dependencies: [.product(name: "Strata", package: "Strata")]
          + (step < 5 ? [] : [.product(name: "StrataMigrations", package: "Strata")]),
        path: "Tutorial/Step0\(step)"
      )
    }
    // A short program for each product beside Strata.
    + ["Migrations", "Maintenance", "Archive", "Records"].map { name in
      .executableTarget(
        name: "Product\(name)",
        dependencies: [
          .product(name: "Strata", package: "Strata"),
          .product(name: "Strata\(name)", package: "Strata"),
        ],
        path: "Products/\(name)"
      )
    },
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
}
