import CStrataSQLite

/// What SQLite calls while statements of a private database run.
extension Connection {
  /// Adds a collation: how the UTF-8 of two texts compares, as a number below, at or above 0.
  ///
  /// It must be a total order, the same in every process (`sqlite.org/c3ref/create_collation.html`). Only a private
  /// database may use it: another program could not read a table with it.
  package func addCollation(
    _ name: String,
    _ order: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32
  ) throws(SQLiteError) {
    let handle = try requireHandle(.configure)
    let collation = Collation(order)
    callbacks.named.append(collation)
    let status = sqlite3_create_collation(
      handle,
      name,
      SQLITE_UTF8,
      Unmanaged.passUnretained(collation).toOpaque(),
      { context, leftCount, left, rightCount, right in
        guard let context else { return 0 }
        let collation = Unmanaged<Collation>.fromOpaque(context).takeUnretainedValue()
        return collation.order(
          UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
          UnsafeRawBufferPointer(start: right, count: Int(rightCount))
        )
      }
    )
    guard status == SQLITE_OK else { throw failure(status, .configure) }
  }

  /// Adds a function of integers, which has no result.
  ///
  /// It must not use this connection. A statement for which it throws fails with that error's code.
  package func addFunction(
    _ name: String,
    arguments: Int,
    _ body: @escaping ([Int64]) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let handle = try requireHandle(.configure)
    let function = Function(body)
    callbacks.named.append(function)
    let status = sqlite3_create_function_v2(
      handle,
      name,
      Int32(arguments),
      SQLITE_UTF8,
      Unmanaged.passUnretained(function).toOpaque(),
      { context, count, values in
        guard let pointer = sqlite3_user_data(context) else { return }
        let function = Unmanaged<Function>.fromOpaque(pointer).takeUnretainedValue()
        do throws(SQLiteError) {
          try function.body((0..<Int(count)).map { sqlite3_value_int64(values?[$0]) })
        } catch {
          sqlite3_result_error_code(context, error.code.rawValue)
        }
      },
      nil,
      nil,
      nil
    )
    guard status == SQLITE_OK else { throw failure(status, .configure) }
  }

  /// Calls a closure with the table and the number of each row that a statement inserts into a table of the file itself,
  /// and not of another or a temporary one; nil removes the closure (`sqlite.org/c3ref/update_hook.html`).
  ///
  /// It must not use this connection.
  package func setInsertionHook(
    _ body: ((UnsafePointer<CChar>, Int64) -> Void)?
  ) throws(SQLiteError) {
    let handle = try requireHandle(.configure)
    callbacks.isInserted = body
    guard body != nil else {
      _ = sqlite3_update_hook(handle, nil, nil)
      return
    }
    _ = sqlite3_update_hook(
      handle,
      { context, operation, database, table, row in
        guard operation == SQLITE_INSERT, let context, let database, let table,
          // "main"
          database[0] == CChar(bitPattern: UInt8(ascii: "m"))
        else { return }
        Unmanaged<ConnectionCallbacks>.fromOpaque(context).takeUnretainedValue()
          .isInserted?(table, row)
      },
      Unmanaged.passUnretained(callbacks).toOpaque()
    )
  }
}

/// How texts compare under a name.
private final class Collation {
  let order: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32

  init(_ order: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32) {
    self.order = order
  }
}

/// What an SQL function does.
private final class Function {
  let body: ([Int64]) throws(SQLiteError) -> Void

  init(_ body: @escaping ([Int64]) throws(SQLiteError) -> Void) { self.body = body }
}
