/// All benchmarks, in the order of the report.
enum Catalog {
  /// - Parameters:
  ///   - strata: The path of the command; nil leaves its benchmark out.
  ///   - postgres: The URL of a server; nil leaves out what needs one.
  static func all(quick: Bool, strata: String?, postgres: String?) -> [any Benchmark] {
    let usual = quick ? 1_000 : 100_000
    let large = quick ? 10_000 : 1_000_000
    let sizes = quick ? [1_000, 2_000] : [1_000, 10_000, 100_000, 1_000_000]
    var benchmarks: [any Benchmark] = (quick ? [1_000] : [1_000, usual, large])
      .map { CommitBenchmark(count: $0) }
    benchmarks.append(GrowthBenchmark(small: 1_000, large: large))
    benchmarks.append(ReadBenchmark(count: usual))
    benchmarks.append(IndexBenchmark(count: usual, few: usual / 1_000, many: usual / 10))
    benchmarks.append(ReferenceBenchmark(count: quick ? 1_000 : 20_000))
    benchmarks += [1_000, 10_000].map { SubscriptionBenchmark(subscriptions: $0, count: usual) }
    benchmarks.append(DerivedBenchmark(subscriptions: quick ? 100 : 10_000, count: usual))
    benchmarks.append(DispatchBenchmark(observers: 1_000))
    benchmarks.append(DeliveryBenchmark())
    benchmarks.append(RecorderBenchmark(count: 1_000, entries: 200))
    benchmarks.append(BesideBenchmark(count: quick ? 100 : 1_000))
    benchmarks += UserForm.allCases.map { BurstBenchmark(count: usual, form: $0) }
    benchmarks += UserForm.allCases.map { SustainedBenchmark(count: usual, form: $0) }
    benchmarks += WritePeerKind.available.flatMap { peer in
      UserForm.allCases.flatMap { form in
        [1, 100].map { WriteBenchmark(peer: peer, count: usual, batch: $0, form: form) }
      }
    }
    benchmarks += [WholeFileBenchmark(count: usual), UnorderedBenchmark(count: usual)]
    benchmarks.append(DurableBenchmark(count: usual))
    benchmarks += ReadPeerKind.available.flatMap { peer in
      UserForm.allCases.map { form in
        RestoreBenchmark(peer: peer, form: form, count: usual)
      }
    }
    benchmarks += LaunchPeerKind.available.map { LaunchBenchmark(peer: $0, count: usual) }
    benchmarks.append(JournalRestoreBenchmark(count: usual))
    benchmarks.append(PointReadBenchmark(count: large, deltas: quick ? 200 : 10_000))
    benchmarks.append(SnapshotBenchmark(count: large, changes: large / 1_000))
    benchmarks += [StoredBytesBenchmark(count: usual), FileGrowthBenchmark(count: 2 * usual)]
    benchmarks += sizes.dropFirst().map { PersistedGrowthBenchmark(small: 1_000, large: $0) }
    benchmarks.append(
      MigrationBenchmark(count: 3 * usual, closureCount: 18 * usual / 5, strata: strata)
    )
    benchmarks.append(MemoryBenchmark(count: usual))
    benchmarks += [
      ArchiveCommitBenchmark(count: usual, postgres: postgres),
      ArchiveShippingBenchmark(count: usual, postgres: postgres),
      ArchiveReplicatedBenchmark(count: usual, postgres: postgres),
      ArchiveFollowingBenchmark(count: usual, postgres: postgres),
      ArchivePullBenchmark(count: large),
    ]
    if let strata {
      benchmarks.append(CommandBenchmark(strata: strata, count: 3 * usual, deltas: usual))
      benchmarks.append(ImportBenchmark(strata: strata, cells: 10 * usual))
    }
    return benchmarks
  }
}
