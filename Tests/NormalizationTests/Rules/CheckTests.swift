import StrataNormalization
import TestSupport
import Testing

/// Checks, `restrict` beside other rules, and keys that are not equal to themselves.
@Suite struct CheckTests {
  struct Part: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "parts"

    let id: EntityID<Part>
    var stock = 0
    var weight = 0.0
    var sizes: [Double] = []
    var owner: EntityID<Part>?

    static let byWeight = GroupIndex(\Part.weight)
    static let bySize = GroupIndex(each: \Part.sizes)
    static let oneOfWeight = UniqueIndex(
      { (part: Part) -> Double? in part.weight },
      named: "weight"
    )
    static let byOwner = GroupIndex(\Part.owner)
    static let indexes: EntityIndexes<Part> = [byWeight, bySize, oneOfWeight, byOwner]
  }

  struct Depot: DatabaseType {
    var parts = EntityTable<Part>()
    var used = EntityTable<Part>()

    static let schema = DatabaseSchema<Depot> {
      Entities(\.parts)
      Entities(\.used, named: "used_parts")
      Check("stock", \.parts) { $0.stock >= 0 }
      Check("used stock", \.used) { $0.stock == 0 }
      References(
        from: \.parts,
        Part.byOwner,
        to: \.used,
        onRemoval: .nullify(\.owner),
        existence: .unchecked
      )
    }
  }

  static let stockBroken = RuleViolation.checkFailed(
    table: "parts",
    check: "stock",
    ids: ["1", "2"]
  )

  @Test func `a commit that leaves an entity for which a check does not hold is refused`() throws {
    let old = Depot()
    var new = old
    new.parts.insert(contentsOf: [
      Part(id: 2, stock: -1, weight: 1), Part(id: 1, stock: -2), Part(id: 3, weight: 2),
    ])
    let error = #expect(throws: RuleViolation.self) { try new.applyRules(since: old) }
    #expect(error == Self.stockBroken)
    #expect(
      error?.description.hasPrefix(
        "the entities 1 and 2 in parts break the check \"stock\". Give them"
      ) == true
    )
    try new.parts.updateAll { $0.stock = 0 }
    #expect(try new.applyRules(since: old).count == 3)
  }

  @Test func `old data is reported, and stays until a commit changes it`() throws {
    var old = Depot()
    old.parts.insert(contentsOf: [Part(id: 2, stock: -1, weight: 1), Part(id: 1, stock: -2)])
    old.used.insert(Part(id: 7, stock: 1))
    #expect(
      old.brokenRules() == [
        Self.stockBroken, .checkFailed(table: "used_parts", check: "used stock", ids: ["7"]),
      ]
    )
    #expect(throws: Self.stockBroken) { try old.checkRules() }
    var new = old
    new.parts.insert(Part(id: 3, weight: 5))
    try new.applyRules(since: old)
    try new.parts.update(1) { $0.weight = 9 }
    #expect(throws: RuleViolation.checkFailed(table: "parts", check: "stock", ids: ["1"])) {
      try new.applyRules(since: old)
    }
  }

  @Test func `a check is asked what a rule makes of an entity`() throws {
    struct Guarded: DatabaseType {
      var parts = EntityTable<Part>()
      var used = EntityTable<Part>()

      static let schema = DatabaseSchema<Guarded> {
        Entities(\.parts)
        Entities(\.used, named: "used_parts")
        Check("owned", \.parts) { $0.owner != nil }
        References(from: \.parts, Part.byOwner, to: \.used, onRemoval: .nullify(\.owner))
      }
    }
    var old = Guarded()
    old.used.insert(Part(id: 1))
    old.parts.insert(Part(id: 2, owner: 1))
    var new = old
    new.used.remove(1)
    #expect(throws: RuleViolation.checkFailed(table: "parts", check: "owned", ids: ["2"])) {
      try new.applyRules(since: old)
    }
  }

  @Test func `a key that is not a number is in no group and in no unique index`() throws {
    var table = EntityTable<Part>()
    for number in 0..<500 {
      table.insert(Part(id: EntityID(number), weight: .nan, sizes: [.nan, 1]))
    }
    #expect(table[Part.byWeight].count == 0)
    #expect(table[Part.oneOfWeight].count == 0)
    #expect(table[Part.bySize].keys == [1])
    try table.update(7) {
      $0.weight = 5
      $0.sizes = [2, .nan]
    }
    #expect(table[Part.byWeight].keys == [5])
    #expect(table[Part.oneOfWeight][5]?.id == 7)
    #expect(table[Part.bySize][2].ids.map(\.raw) == [7])
    table.removeAll { _ in true }
    #expect(
      table[Part.byWeight].count + table[Part.bySize].count + table[Part.oneOfWeight].count == 0
    )
    let again = EntityTable([Part(id: 1, weight: .nan), Part(id: 2, weight: .nan), Part(id: 3)])
    #expect(again[Part.byWeight].keys == [0])
    #expect(again[Part.oneOfWeight].count == 1)
    try Depot(parts: again).checkRules()
  }

  @Test func `those without a number come last in a sorted list, and the others stay in order`() {
    var random = SeededGenerator(seed: 7)
    for count in 0..<40 {
      let parts = (0..<count).map { number in
        Part(
          id: EntityID(number),
          weight: number.isMultiple(of: 3) ? .nan : Double.random(in: 0..<9, using: &random)
        )
      }
      let sorted = EntityTable(parts).sorted(by: \.weight)
      let numbers = parts.filter { !$0.weight.isNaN }.sorted { $0.weight < $1.weight }
      #expect(sorted.map(\.id) == numbers.map(\.id) + parts.filter(\.weight.isNaN).map(\.id))
    }
  }
}

/// `restrict` beside a rule that takes those who refer along.
@Suite struct RestrictTests {
  struct Customer: EntityType {
    static let tableName: TableName = "customers"

    let id: EntityID<Customer>
  }

  struct Job: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "jobs"

    let id: EntityID<Job>
    var customer: Customer.ID
    var isOpen = false

    static let byCustomer = GroupIndex(\Job.customer)
    static let openByCustomer = GroupIndex(
      { (job: Job) -> Customer.ID? in job.isOpen ? job.customer : nil },
      named: "open"
    )
    static let indexes: EntityIndexes<Job> = [byCustomer, openByCustomer]
  }

  struct Shop: DatabaseType {
    var customers: EntityTable<Customer> = [Customer(id: "ada"), Customer(id: "bob")]
    var jobs = EntityTable<Job>()

    static let schema = DatabaseSchema<Shop> {
      Entities(\.customers)
      Entities(\.jobs)
      References(from: \.jobs, Job.byCustomer, to: \.customers, onRemoval: .cascade)
      References(from: \.jobs, Job.openByCustomer, to: \.customers, onRemoval: .restrict)
    }
  }

  @Test func `open jobs keep a customer though all jobs would go with it`() throws {
    var old = Shop()
    old.jobs.insert(contentsOf: [
      Job(id: 1, customer: "ada"), Job(id: 2, customer: "ada", isOpen: true),
    ])
    var new = old
    new.customers.remove("ada")
    let kept = RuleViolation.stillReferenced(table: "customers", id: "ada", by: "jobs", ids: ["2"])
    #expect(throws: kept) { try new.applyRules(since: old) }
    new = old
    new.customers.remove("ada")
    try new.jobs.update(2) { $0.isOpen = false }
    try new.applyRules(since: old)
    #expect(new.jobs.isEmpty)
    new = old
    new.customers.remove("ada")
    new.jobs.remove(2)
    try new.applyRules(since: old)
    #expect(new.jobs.isEmpty)
  }
}
