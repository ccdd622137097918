import StrataNormalization
import Testing

private struct Parcel: EntityType {
  struct Address: Codable, Equatable, Sendable {
    var city = ""
    var code: String?
  }

  static let tableName: TableName = "parcels"
  let id: EntityID<Parcel>
  var code: String
  var label: String?
  var address = Address()
  var next: Address?
  var tags: [String] = []
  var shout: String { code.uppercased() }
}

private struct Depot: DatabaseType {
  var parcels = EntityTable<Parcel>()
  static let schema = DatabaseSchema<Depot> { Entities(\.parcels) }
}

extension Parcel {
  static let byCode = UniqueIndex(\Parcel.code)
  static let byShout = UniqueIndex(\Parcel.shout)
  static let byCity = GroupIndex(\Parcel.address.city)
  static let byLabel = GroupIndex(\Parcel.label, sortedBy: \.code)
  static let byTag = GroupIndex(each: \Parcel.tags)
  static let byNext = OrderedIndex(\Parcel.next?.code)
  static let indexes: EntityIndexes<Parcel> = [
    byCode, byShout, byCity, byLabel, byTag, byNext,
  ]
}

/// What an index without a name is called, and that its field is read as before.
@Suite struct IndexNameTests {
  @Test func `an index of a field has the name of the field`() {
    #expect(Parcel.byCode.name == "code")
    #expect(Parcel.byCity.name == "address.city")
    #expect(Parcel.byLabel.name == "label")
    #expect(Parcel.byTag.name == "tags")
    #expect(Parcel.byNext.name == "next?.code")
  }

  @Test func `the name it is given comes first`() {
    #expect(UniqueIndex(\Parcel.code, named: "codes").name == "codes")
    #expect(GroupIndex(\Parcel.label, named: "labels").name == "labels")
    #expect(GroupIndex(each: \Parcel.tags, named: "all tags").name == "all tags")
    #expect(OrderedIndex(\Parcel.code, named: "order").name == "order")
  }

  @Test func `an index of a closure or a computed property says that it has no name`() {
    #expect(Parcel.byShout.name == "unnamed (String)")
    #expect(UniqueIndex { (parcel: Parcel) in parcel.code + "x" }.name == "unnamed (String)")
    #expect(OrderedIndex { (parcel: Parcel) in parcel.code.count }.name == "unnamed (Int)")
  }

  @Test func `a violation calls the index by its table and its field`() {
    var depot = Depot()
    depot.parcels = [Parcel(id: "1", code: "a"), Parcel(id: "2", code: "a")]
    let error = #expect(throws: RuleViolation.self) { try depot.checkRules() }
    #expect(
      error?.description == """
        1 and 2 in parcels have the same key a of the unique index "parcels.code". Give all but one \
        of them another key, or remove them.
        """
    )
  }

  @Test func `fields of any place and kind are found by their key`() {
    let parcels: EntityTable<Parcel> = [
      Parcel(id: "1", code: "a", label: "red", address: .init(city: "Ulm"), tags: ["x", "y"]),
      Parcel(
        id: "2",
        code: "a code that is too long to be stored inline",
        address: .init(city: "Ulm"),
        next: .init(city: "Rom", code: "00184"),
        tags: ["y"]
      ),
    ]
    #expect(parcels[Parcel.byCode]["a code that is too long to be stored inline"]?.id == "2")
    #expect(parcels[Parcel.byShout]["A"]?.id == "1")
    #expect(Set(parcels[Parcel.byCity]["Ulm"].ids) == ["1", "2"])
    #expect(parcels[Parcel.byLabel].keys == ["red"])
    #expect(parcels[Parcel.byTag]["y"].count == 2)
    #expect(parcels[Parcel.byNext].map(\.id) == ["2"])
  }
}
