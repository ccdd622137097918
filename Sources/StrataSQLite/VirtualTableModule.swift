import CStrataSQLite

extension Connection {
  /// Makes a virtual table known to the statements of this connection, until it closes.
  ///
  /// A later table of the same name replaces it for statements that are compiled then. Names are compared
  /// without case.
  package func addTable(_ name: String, _ table: any VirtualTable) throws(SQLiteError) {
    let handle = try requireHandle(.configure)
    let module = VirtualTableModule(table, callbacks)
    // SQLite releases it, also when this fails.
    let context = Unmanaged.passRetained(module).toOpaque()
    let status = sqlite3_create_module_v2(handle, name, module.methods, context) { context in
      guard let context else { return }
      Unmanaged<VirtualTableModule>.fromOpaque(context).release()
    }
    guard status == SQLITE_OK else { throw failure(status, .configure) }
  }

  /// The error that made the last statement with a virtual table fail; nil if it was one of SQLite.
  ///
  /// It is returned once.
  package func takeTableError() -> (any Error)? {
    defer { callbacks.tableError = nil }
    return callbacks.tableError
  }
}

/// A virtual table with the functions through which SQLite calls it.
///
/// The functions are allocated for each table, because SQLite refers to them until the module is released.
private final class VirtualTableModule {
  let table: any VirtualTable
  let callbacks: ConnectionCallbacks
  let methods: UnsafeMutablePointer<sqlite3_module>

  init(_ table: any VirtualTable, _ callbacks: ConnectionCallbacks) {
    self.table = table
    self.callbacks = callbacks
    methods = .allocate(capacity: 1)
    methods.initialize(to: Self.makeMethods())
  }

  deinit {
    methods.deinitialize(count: 1)
    methods.deallocate()
  }

  private static func makeMethods() -> sqlite3_module {
    var methods = sqlite3_module()
    methods.iVersion = 1
    // Without xCreate the table exists under the name of its module only.
    methods.xConnect = { handle, context, _, _, result, _ in
      guard let context, let result else { return SQLITE_ERROR }
      let module = Unmanaged<VirtualTableModule>.fromOpaque(context).takeUnretainedValue()
      module.callbacks.isDeclaring = true
      let status = sqlite3_declare_vtab(handle, module.table.declaration)
      module.callbacks.isDeclaring = false
      guard status == SQLITE_OK else { return status }
      let table = UnsafeMutablePointer<strata_vtab>.allocate(capacity: 1)
      table.initialize(to: strata_vtab())
      table.pointee.owner = Unmanaged.passRetained(module).toOpaque()
      result.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    methods.xDisconnect = { table in
      guard let table else { return SQLITE_OK }
      let whole = UnsafeMutableRawPointer(table).assumingMemoryBound(to: strata_vtab.self)
      if let owner = whole.pointee.owner {
        Unmanaged<VirtualTableModule>.fromOpaque(owner).release()
      }
      whole.deinitialize(count: 1)
      whole.deallocate()
      return SQLITE_OK
    }
    methods.xBestIndex = { table, info in
      guard let info, let module = VirtualTableModule.of(table) else { return SQLITE_ERROR }
      return module.table.plan(IndexRequest(info)) ? SQLITE_OK : SQLITE_CONSTRAINT
    }
    methods.xOpen = { table, result in
      guard let module = VirtualTableModule.of(table), let result else { return SQLITE_ERROR }
      do {
        let open = OpenCursor(try module.table.makeCursor(), module.callbacks)
        let cursor = UnsafeMutablePointer<strata_vtab_cursor>.allocate(capacity: 1)
        cursor.initialize(to: strata_vtab_cursor())
        cursor.pointee.owner = Unmanaged.passRetained(open).toOpaque()
        result.pointee = UnsafeMutableRawPointer(cursor)
          .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        return SQLITE_OK
      } catch {
        module.callbacks.tableError = error
        return SQLITE_ERROR
      }
    }
    methods.xClose = { cursor in
      guard let cursor else { return SQLITE_OK }
      let whole = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: strata_vtab_cursor.self)
      if let owner = whole.pointee.owner { Unmanaged<OpenCursor>.fromOpaque(owner).release() }
      whole.deinitialize(count: 1)
      whole.deallocate()
      return SQLITE_OK
    }
    methods.xFilter = { cursor, plan, _, count, values in
      OpenCursor.call(cursor) {
        try $0.filter(Int(plan), FilterArguments(values, count: count))
      }
    }
    methods.xNext = { cursor in OpenCursor.call(cursor) { try $0.next() } }
    methods.xEof = { cursor in OpenCursor.of(cursor)?.cursor.isAtEnd ?? true ? 1 : 0 }
    methods.xColumn = { cursor, context, column in
      OpenCursor.call(cursor) { try $0.column(Int(column), ColumnResult(context)) }
    }
    methods.xRowid = { cursor, result in
      result?.pointee = OpenCursor.of(cursor)?.cursor.rowID ?? 0
      return SQLITE_OK
    }
    return methods
  }

  private static func of(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> VirtualTableModule? {
    guard let table else { return nil }
    let whole = UnsafeMutableRawPointer(table).assumingMemoryBound(to: strata_vtab.self)
    return whole.pointee.owner.map {
      Unmanaged<VirtualTableModule>.fromOpaque($0).takeUnretainedValue()
    }
  }
}

/// A cursor that SQLite has open.
private final class OpenCursor {
  let cursor: any VirtualTableCursor
  private let callbacks: ConnectionCallbacks

  init(_ cursor: any VirtualTableCursor, _ callbacks: ConnectionCallbacks) {
    self.cursor = cursor
    self.callbacks = callbacks
  }

  static func of(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> OpenCursor? {
    guard let cursor else { return nil }
    let whole = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: strata_vtab_cursor.self)
    return whole.pointee.owner.map { Unmanaged<OpenCursor>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Calls the cursor, and notes the error that it throws.
  @inline(__always)
  static func call(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?,
    _ body: (any VirtualTableCursor) throws -> Void
  ) -> Int32 {
    guard let open = of(cursor) else { return SQLITE_ERROR }
    do {
      try body(open.cursor)
      return SQLITE_OK
    } catch {
      open.callbacks.tableError = error
      return SQLITE_ERROR
    }
  }
}
