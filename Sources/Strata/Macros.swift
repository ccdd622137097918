#if Macros
  /// Makes a struct an entity: the conformance to `EntityType`, the name of its table, its `ID`, and
  /// `RecordCodable`.
  ///
  /// ```swift
  /// @Entity("users")
  /// struct User {
  ///   let id: EntityID<User>
  ///   var name: String
  ///   var nickname: String?
  /// }
  /// ```
  ///
  /// With the package trait `Macros`, which is off by default. The records have the bytes of synthesized
  /// `Codable`, and are written and read several times as fast; `RecordCodableLaw.check([user])` checks
  /// it in a test. The page <doc:EntityMacro> says what the struct may have.
  ///
  /// - Parameter table: the name of the table on disk, a literal.
  @attached(member, names: named(CodingKeys), named(ID))
  @attached(
    extension,
    conformances: Encodable,
    Decodable,
    Equatable,
    Identifiable,
    Sendable,
    EntityType,
    RecordCodable,
    names: named(tableName),
    named(init(record:)),
    named(encode(record:))
  )
  public macro Entity(_ table: String) =
    #externalMacro(module: "StrataMacros", type: "EntityMacro")

  /// Makes a struct, or an enum without raw values, `RecordCodable`: a part of an entity that is written
  /// and read as fast as the entity is.
  ///
  /// ```swift
  /// @Record
  /// enum Contact: Equatable {
  ///   case none
  ///   case mail(String)
  ///   case phone(number: String, at: [Int])
  /// }
  /// ```
  ///
  /// With the package trait `Macros`, which is off by default. The records have the bytes of synthesized
  /// `Codable`. An enum with raw values, as `enum Color: String, Codable`, needs no macro.
  @attached(member, names: named(CodingKeys))
  @attached(
    extension,
    conformances: Encodable,
    Decodable,
    RecordCodable,
    names: named(init(record:)),
    named(encode(record:))
  )
  public macro Record() = #externalMacro(module: "StrataMacros", type: "RecordMacro")
#endif
