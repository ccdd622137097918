// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

/// A product of another package, which only those fetch who enable the trait.
func product(_ name: String, of package: String, with trait: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: [trait]))
}

let swiftLog = product("Logging", of: "swift-log", with: "SwiftLog")
let metrics = product("CoreMetrics", of: "swift-metrics", with: "SwiftMetrics")
let tracing = product("Tracing", of: "swift-distributed-tracing", with: "Tracing")
let lifecycle = product(
  "ServiceLifecycle",
  of: "swift-service-lifecycle",
  with: "ServiceLifecycle"
)

// The inspector's server, compiled only for a program that uses the inspector.
let server = ["NIOCore", "NIOPosix", "NIOHTTP1"].map {
  product($0, of: "swift-nio", with: "Inspector")
}

// The macros and their tests. Without the trait, their targets are empty.
let syntax = [
  "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics", "SwiftParser",
].map { product($0, of: "swift-syntax", with: "Macros") }
let macros = Target.Dependency.target(
  name: "StrataMacros",
  condition: .when(traits: ["Macros"])
)

let libpq = Target.Dependency.target(
  name: "CStrataPostgres",
  condition: .when(traits: ["Postgres"])
)

// The SDKs of Apple have SQLite; pkg-config would put another one, of Homebrew say, before it. What an app declares of the
// library for the App Store is a resource, which would cost a bundle on other systems.
#if os(Linux)
  let sqlitePackage: String? = "sqlite3"
  let sqliteProviders: [SystemPackageProvider]? = [.apt(["libsqlite3-dev"])]
  let privacyManifest: [Resource] = []
  let notCompiled = ["PrivacyInfo.xcprivacy"]
#else
  let sqlitePackage: String? = nil
  let sqliteProviders: [SystemPackageProvider]? = nil
  let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
  let notCompiled: [String] = []
#endif

let package = Package(
  name: "Strata",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Strata", targets: ["Strata"]),
    .library(name: "StrataRecords", targets: ["StrataRecords"]),
    .library(name: "StrataMigrations", targets: ["StrataMigrations"]),
    .library(name: "StrataMaintenance", targets: ["StrataMaintenance"]),
    .library(name: "StrataArchive", targets: ["StrataArchive"]),
    .library(name: "StrataFlux", targets: ["StrataFlux"]),
    .library(name: "StrataFluxRecorder", targets: ["StrataFluxRecorder"]),
    .library(name: "StrataInspector", targets: ["StrataInspector"]),
    .library(name: "StrataPostgres", targets: ["StrataPostgres"]),
    .executable(name: "strata", targets: ["StrataCLI"]),
  ],
  traits: [
    .trait(name: "Inspector", description: "The page of StrataInspector and `strata serve`."),
    .trait(name: "Macros", description: "The macros `@Entity` and `@Record`."),
    .trait(name: "Postgres", description: "An archive in PostgreSQL, over libpq."),
    .trait(
      name: "ServiceLifecycle",
      description: "Persistences and followers are services of swift-service-lifecycle."
    ),
    .trait(name: "SwiftLog", description: "A logger of stores that writes to swift-log."),
    .trait(name: "SwiftMetrics", description: "What an operator watches, in swift-metrics."),
    .trait(
      name: "Tracing",
      description: "The span of swift-distributed-tracing in the context of commits."
    ),
  ],
  dependencies: [
    // Fetched only by those who enable the trait.
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    // For the command, which every package fetches that depends on this one.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    // What every layer may use: the lock, checksums, bytes.
    .target(name: "StrataBase"),

    // The engine: from SQLite's C library up to the schema of the file.
    .systemLibrary(name: "CStrataSQLite", pkgConfig: sqlitePackage, providers: sqliteProviders),
    .target(name: "StrataSQLite", dependencies: ["CStrataSQLite"]),
    .target(
      name: "StrataSchema",
      dependencies: ["StrataBase", "StrataSQLite"],
      path: "Migrations",
      resources: [.embedInCode("Schema")]
    ),

    // The storage: the file, without the types of a user.
    .target(name: "StrataRecords", dependencies: ["StrataBase"]),

    // The file as it is read and appended to.
    .target(
      name: "StrataJournal",
      dependencies: ["StrataBase", "StrataSQLite", "StrataSchema", "StrataRecords"],
      exclude: notCompiled,
      resources: privacyManifest
    ),

    // The file as it is owned: one writer, snapshots, backups, quarantine.
    .target(
      name: "StrataStorage",
      dependencies: [
        "StrataBase", "StrataSQLite", "StrataSchema", "StrataRecords", "StrataJournal",
      ]
    ),

    // What stands on storage and only some need, without the types of a user: the command has all of it. Each target whose
    // name ends in -ing is the greater part of a product, which adds what an opening needs.
    .target(
      name: "StrataInspection",
      dependencies: [
        "StrataBase", "StrataSQLite", "StrataSchema", "StrataRecords", "StrataJournal",
      ]
    ),
    .target(
      name: "StrataMigrating",
      dependencies: [
        "StrataBase", "StrataSQLite", "StrataSchema", "StrataRecords", "StrataJournal",
        "StrataStorage",
      ]
    ),
    .target(
      name: "StrataMaintaining",
      dependencies: [
        "StrataBase", "StrataSQLite", "StrataSchema", "StrataRecords", "StrataJournal",
        "StrataInspection", "StrataStorage", "StrataColumns",
      ]
    ),
    .target(
      name: "StrataArchiving",
      dependencies: [
        "StrataBase", "StrataSQLite", "StrataSchema", "StrataRecords", "StrataJournal",
        "StrataStorage",
      ]
    ),

    // SQL over the records of a file: a record as a row, questions, and the scripts of migrations.
    .target(
      name: "StrataColumns",
      dependencies: [
        "StrataBase", "StrataSQLite", "StrataRecords", "StrataJournal", "StrataStorage",
      ]
    ),
    .target(
      name: "StrataSQL",
      dependencies: [
        "StrataBase", "StrataSQLite", "StrataSchema", "StrataRecords", "StrataJournal",
        "StrataInspection", "StrataStorage", "StrataMaintaining", "StrataColumns",
      ]
    ),
    .target(
      name: "StrataScripts",
      dependencies: [
        "StrataBase", "StrataSQLite", "StrataSchema", "StrataRecords", "StrataJournal",
        "StrataStorage", "StrataMigrating", "StrataColumns",
      ]
    ),

    // One page about a store.
    .target(
      name: "StrataInspector",
      dependencies: [
        "StrataBase", "StrataRecords", "StrataSQLite", "StrataJournal", "StrataInspection",
        "StrataStorage", "StrataMaintaining", "StrataSQL",
      ] + server,
      resources: [.embedInCode("Page")]
    ),

    // The state: from a store of any value up to a store of entity tables.
    .target(name: "StrataCore", dependencies: ["StrataBase", swiftLog, tracing]),
    .target(name: "StrataNormalization", dependencies: ["StrataBase"]),
    .target(
      name: "StrataEntityStore",
      dependencies: ["StrataBase", "StrataCore", "StrataNormalization"]
    ),

    // Where storage and state meet.
    .target(
      name: "StrataPersistence",
      dependencies: [
        "StrataBase", "StrataRecords", "StrataCore", "StrataNormalization", "StrataEntityStore",
        "StrataSchema", "StrataJournal", "StrataStorage", metrics, lifecycle,
      ]
    ),

    // The products: what everybody needs, and what stands on it.
    .target(
      name: "Strata",
      dependencies: [
        "StrataCore", "StrataNormalization", "StrataEntityStore", "StrataRecords", "StrataJournal",
        "StrataStorage", "StrataPersistence", macros,
      ]
    ),
    .target(
      name: "StrataMigrations",
      dependencies: [
        "StrataRecords", "StrataStorage", "StrataMigrating", "StrataScripts", "StrataPersistence",
      ]
    ),
    .target(
      name: "StrataMaintenance",
      dependencies: [
        "StrataBase", "StrataRecords", "StrataCore", "StrataNormalization", "StrataEntityStore",
        "StrataJournal", "StrataInspection", "StrataStorage", "StrataMaintaining",
        "StrataPersistence",
      ]
    ),
    .target(
      name: "StrataArchive",
      dependencies: [
        "StrataBase", "StrataSQLite", "StrataCore", "StrataNormalization", "StrataEntityStore",
        "StrataSchema", "StrataJournal", "StrataStorage", "StrataArchiving", "StrataPersistence",
        metrics, lifecycle,
      ]
    ),
    .macro(
      name: "StrataMacros",
      dependencies: syntax + [
        product("SwiftCompilerPlugin", of: "swift-syntax", with: "Macros")
      ]
    ),
    .target(name: "StrataFlux", dependencies: ["StrataBase", "StrataCore"]),
    .target(
      name: "StrataFluxRecorder",
      dependencies: ["StrataBase", "StrataRecords", "StrataCore", "StrataFlux"]
    ),

    // An archive in PostgreSQL. Without the trait it is an empty module, and libpq is not looked for.
    .systemLibrary(
      name: "CStrataPostgres",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .target(
      name: "StrataPostgres",
      dependencies: ["StrataBase", "StrataJournal", "StrataArchiving", libpq]
    ),

    .executableTarget(
      name: "StrataCLI",
      dependencies: [
        "StrataBase", "StrataRecords", "StrataSQLite", "StrataJournal", "StrataInspection",
        "StrataStorage", "StrataMigrating", "StrataMaintaining", "StrataArchiving", "StrataSQL",
        "StrataScripts", "StrataInspector", "StrataPostgres",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),

    // What tests of the core use: it stands on no other product.
    .target(
      name: "TestSupport",
      dependencies: [
        "CStrataSQLite", "Strata", "StrataBase", "StrataCore", "StrataSQLite", "StrataRecords",
        "StrataJournal", "StrataStorage", "StrataPersistence",
      ],
      path: "Tests/TestSupport",
      exclude: ["Golden/read_store.py", "Golden/Kept"]
    ),
    // What tests of the products beside it use.
    .target(
      name: "ProductSupport",
      dependencies: [
        "Strata", "StrataBase", "StrataCore", "StrataSQLite", "StrataRecords", "StrataJournal",
        "StrataInspection", "StrataStorage", "StrataMigrating", "StrataArchiving",
        "StrataMaintaining", "StrataPersistence", "StrataMigrations", "StrataArchive",
        "StrataMaintenance", "TestSupport",
      ],
      path: "Tests/ProductSupport"
    ),
    .executableTarget(
      name: "CrashChild",
      dependencies: [
        "StrataBase", "StrataCore", "StrataSQLite", "StrataRecords", "StrataJournal",
        "StrataInspection", "StrataStorage", "StrataMaintaining", "StrataPersistence", "Strata",
        "TestSupport",
      ],
      path: "Tests/CrashChild"
    ),
    .executableTarget(
      name: "ProductChild",
      dependencies: [
        "StrataBase", "StrataCore", "StrataSQLite", "StrataRecords", "StrataJournal",
        "StrataInspection", "StrataStorage", "StrataMigrating", "StrataArchiving",
        "StrataMaintaining", "StrataPersistence", "Strata", "StrataMigrations", "StrataArchive",
        "StrataMaintenance", "TestSupport", "ProductSupport",
      ],
      path: "Tests/ProductChild"
    ),
    .executableTarget(
      name: "LivePage",
      dependencies: [
        "StrataInspection", "Strata", "StrataPersistence", "StrataInspector", "TestSupport",
      ],
      path: "Tests/LivePage"
    ),
    // Stores, archives and followers in a world that a seed determines, for Scripts/simulate.
    .executableTarget(
      name: "Simulation",
      dependencies: [
        "StrataBase", "TestSupport", "ProductSupport",
      ],
      path: "Tests/Simulation"
    ),
    .testTarget(name: "BaseTests", dependencies: ["StrataBase", "TestSupport"]),
    .testTarget(
      name: "RecordsTests",
      dependencies: ["StrataBase", "StrataRecords", "TestSupport"]
    ),
    .testTarget(name: "SQLiteTests", dependencies: ["StrataSQLite", "TestSupport"]),
    .testTarget(
      name: "SchemaTests",
      dependencies: ["StrataBase", "StrataSchema", "StrataSQLite", "TestSupport"]
    ),
    .testTarget(
      name: "CoreTests",
      dependencies: ["StrataBase", "StrataCore", "TestSupport", swiftLog]
    ),
    .testTarget(
      name: "NormalizationTests",
      dependencies: ["StrataBase", "StrataNormalization", "TestSupport"]
    ),
    .testTarget(
      name: "EntityStoreTests",
      dependencies: [
        "StrataBase", "StrataCore", "StrataNormalization", "StrataEntityStore", "TestSupport",
      ]
    ),
    .testTarget(
      name: "StorageTests",
      dependencies: [
        "StrataBase", "StrataSchema", "StrataRecords", "StrataSQLite", "StrataJournal",
        "StrataInspection", "StrataStorage", "StrataMaintaining", "TestSupport",
      ]
    ),
    .testTarget(
      name: "SQLTests",
      dependencies: [
        "StrataColumns", "StrataSQL", "StrataScripts", "StrataBase", "StrataCore", "StrataSQLite",
        "StrataSchema", "StrataRecords", "StrataJournal", "StrataInspection", "StrataStorage",
        "StrataMigrating", "StrataArchiving", "StrataMaintaining", "StrataPersistence", "Strata",
        "StrataMigrations", "StrataArchive", "StrataMaintenance", "TestSupport", "ProductSupport",
      ]
    ),
    .testTarget(
      name: "PersistenceTests",
      dependencies: [
        "StrataInspection", "StrataMaintaining", "StrataMaintenance",
        "StrataBase", "StrataCore", "StrataSQLite", "StrataSchema", "StrataRecords",
        "StrataJournal", "StrataStorage", "StrataPersistence", "Strata", "TestSupport",
        "StrataNormalization", metrics, tracing, lifecycle,
        product("MetricsTestKit", of: "swift-metrics", with: "SwiftMetrics"),
        product("InMemoryTracing", of: "swift-distributed-tracing", with: "Tracing"),
        product("Logging", of: "swift-log", with: "ServiceLifecycle"),
      ]
    ),
    // What the file holds after bad input, a failing disk, a kill; backups, rewriting.
    .testTarget(
      name: "DurabilityTests",
      dependencies: [
        "StrataBase", "StrataCore", "StrataSQLite", "StrataSchema", "StrataRecords",
        "StrataJournal", "StrataStorage", "StrataPersistence", "Strata", "TestSupport",
        "StrataNormalization", "StrataInspection", "StrataMaintaining", "StrataMaintenance",
        "CrashChild",
      ]
    ),
    .testTarget(
      name: "InspectionTests",
      dependencies: [
        "StrataBase", "StrataCore", "StrataSQLite", "StrataSchema", "StrataRecords",
        "StrataJournal", "StrataStorage", "StrataPersistence", "Strata", "TestSupport",
        "StrataNormalization", "StrataInspection",
        "StrataMaintenance",
      ]
    ),
    .testTarget(
      name: "MigratingTests",
      dependencies: [
        "StrataBase", "StrataCore", "StrataSQLite", "StrataSchema", "StrataRecords",
        "StrataJournal", "StrataInspection", "StrataStorage", "StrataMigrating", "StrataArchiving",
        "StrataMaintaining", "StrataPersistence", "Strata", "StrataMigrations", "StrataArchive",
        "StrataMaintenance", "TestSupport", "ProductSupport", "CrashChild", "ProductChild",
      ]
    ),
    .testTarget(
      name: "ArchiveTests",
      dependencies: [
        "StrataBase", "StrataCore", "StrataSQLite", "StrataSchema", "StrataRecords",
        "StrataJournal", "StrataInspection", "StrataStorage", "StrataMigrating", "StrataArchiving",
        "StrataMaintaining", "StrataPersistence", "Strata", "StrataMigrations", "StrataArchive",
        "StrataMaintenance", "TestSupport", "ProductSupport", "CrashChild", "ProductChild",
        metrics, lifecycle, product("MetricsTestKit", of: "swift-metrics", with: "SwiftMetrics"),
        product("Logging", of: "swift-log", with: "ServiceLifecycle"),
      ]
    ),
    .testTarget(
      name: "FluxTests",
      dependencies: [
        "StrataFlux", "StrataFluxRecorder", "StrataBase", "StrataRecords", "StrataCore", "Strata",
        "StrataPersistence", "TestSupport",
      ]
    ),
    .testTarget(
      name: "CLITests",
      dependencies: [
        "StrataCLI", "NotesFirst", "NotesSecond", "CrashChild", "ProductChild", "StrataSQL",
        "StrataBase",
        "StrataCore", "StrataSQLite", "StrataSchema", "StrataRecords", "StrataJournal",
        "StrataInspection", "StrataStorage", "StrataMigrating", "StrataArchiving",
        "StrataMaintaining", "StrataPersistence", "Strata", "StrataMigrations", "StrataArchive",
        "StrataMaintenance", "TestSupport", "ProductSupport",
      ],
      exclude: ["Scenarios"]
    ),
    // The two programs of the page "Start in ten minutes".
    .executableTarget(name: "NotesFirst", dependencies: ["Strata"], path: "Tests/Notes/First"),
    .executableTarget(
      name: "NotesSecond",
      dependencies: ["Strata", "StrataMigrations"],
      path: "Tests/Notes/Second"
    ),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "Strata", "StrataMigrations", "StrataArchive", "StrataMaintenance", "StrataFlux",
        "StrataFluxRecorder", tracing, lifecycle,
        product("UnixSignals", of: "swift-service-lifecycle", with: "ServiceLifecycle"),
      ],
      exclude: ["Manifests"]
    ),
    .testTarget(
      name: "InspectorTests",
      dependencies: [
        "StrataInspector", "StrataBase", "StrataCore", "StrataSQLite", "StrataSchema",
        "StrataRecords", "StrataJournal", "StrataInspection", "StrataStorage", "StrataMigrating",
        "StrataArchiving", "StrataMaintaining", "StrataPersistence", "Strata", "StrataMigrations",
        "StrataArchive", "StrataMaintenance", "TestSupport", "ProductSupport",
      ]
    ),
    .testTarget(
      name: "PostgresTests",
      dependencies: [
        "StrataPostgres", "StrataCLI", "StrataBase", "StrataCore", "StrataSQLite", "StrataSchema",
        "StrataRecords", "StrataJournal", "StrataInspection", "StrataStorage", "StrataMigrating",
        "StrataArchiving", "StrataMaintaining", "StrataPersistence", "Strata", "StrataMigrations",
        "StrataArchive", "StrataMaintenance", "TestSupport", "ProductSupport",
      ]
    ),
    .testTarget(
      name: "MacroExpansionTests",
      dependencies: syntax + [
        macros, product("SwiftSyntaxMacroExpansion", of: "swift-syntax", with: "Macros"),
      ]
    ),
    // Types by macro, each in another file than its uses, for Scripts/macro-batches.
    .target(name: "MacroBatches", dependencies: ["Strata"], path: "Tests/MacroBatches"),
    .testTarget(
      name: "MacrosTests",
      dependencies: [
        "MacroBatches", "StrataNormalization", "StrataBase", "StrataCore", "StrataSQLite",
        "StrataSchema", "StrataRecords", "StrataJournal", "StrataInspection", "StrataStorage",
        "StrataMigrating", "StrataArchiving", "StrataMaintaining", "StrataPersistence", "Strata",
        "StrataMigrations", "StrataArchive", "StrataMaintenance", "TestSupport", "ProductSupport",
      ]
    ),
    .testTarget(name: "SeedTests", dependencies: ["Strata", "StrataFlux", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// Only for `Scripts/fuzz`, as libFuzzer's library contains the main function of this program.
if Context.environment["STRATA_FUZZING"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "StrataBase", "StrataRecords", "StrataSQLite", "StrataJournal", "StrataArchiving",
      ],
      path: "Tests/Fuzz"
    )
  )
}

// `Scripts/test --only` and the thread sanitizer build only what some test targets need: their names, with commas.
if let names = Context.environment["STRATA_TESTS"] {
  let known = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var needed: Set<String> = []
  func need(_ name: String) {
    guard let target = known[name], needed.insert(name).inserted else { return }
    for case .targetItem(let name, _) in target.dependencies { need(name) }
    for case .byNameItem(let name, _) in target.dependencies { need(name) }
  }
  for name in names.split(separator: ",").map(String.init) {
    guard known[name]?.type == .test else { fatalError("There is no test target \(name).") }
    need(name)
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { product in
    guard let program = product as? Product.Executable else { return true }
    return !needed.isSuperset(of: program.targets)
  }
}

// A program has none of these features, and MemberImportVisibility hides an error that MacroBatches is there for.
for target in package.targets where target.type != .system && target.name != "MacroBatches" {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
}
