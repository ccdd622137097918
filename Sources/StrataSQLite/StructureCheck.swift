import CStrataSQLite

/// Checks what has to be right in a file so that writing to it destroys nothing.
///
/// Hashes protect what is read. SQLite's own bookkeeping has none: it overwrites a page that the list of
/// free pages names, and it moves pages by the pointer map. Checked are
///
/// - the list of free pages: each page once, within the file, and free according to the pointer map;
/// - the pointer map: as many free pages as in the list, and the entries of every page read here;
/// - every page of the indexes, and of tables that are stored as one;
/// - every interior page of the other tables, and their last three leaves, where rows are added.
///
/// Not read are the other leaves and the pages that long values continue on, so this is cheap in a large
/// file: for 1 GB it reads about 2 MB. `quick_check` reads all of it.
struct StructureCheck {
  private let reader: PageReader
  private let reserved: Int
  private let hasPointerMap: Bool
  private let entriesPerMapPage: Int
  private let lockBytePage: Int
  private let header: [UInt8]
  /// The pages of the pointer map that were read.
  private var mapPages: [Int: [UInt8]] = [:]
  /// A bit for each page that was found in use or free.
  private var claimed: [UInt64]
  private var freePages = 0

  private enum Owner {
    case free, root
    case node(parent: Int)
    case overflow(parent: Int)

    /// The entry of the pointer map (`sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages`).
    var entry: (kind: Int, parent: Int) {
      switch self {
      case .root: (1, 0)
      case .free: (2, 0)
      case .overflow(let parent): (3, parent)
      case .node(let parent): (5, parent)
      }
    }
  }

  init(_ connection: Connection) throws(SQLiteError) {
    reader = try PageReader(connection)
    header = try reader.page(1)
    reserved = Int(header[20])
    hasPointerMap = header.number(at: 52, bytes: 4) != 0
    entriesPerMapPage = max(1, (reader.pageSize - reserved) / 5)
    lockBytePage = 0x4000_0000 / reader.pageSize + 1
    claimed = [UInt64](repeating: 0, count: reader.count / 64 + 1)
  }

  /// Checks everything.
  ///
  /// - Parameter roots: the root pages of all tables and indexes.
  mutating func run(roots: [Int]) throws(SQLiteError) {
    try walkFreeList()
    if hasPointerMap { try countFreePages() }
    for root in roots { try walk(root, .root) }
  }

  private func damage(_ message: String) -> SQLiteError { PageReader.damage(message, reader.path) }

  /// Notes that a page is used, and checks its entry in the pointer map.
  private mutating func claim(_ page: Int, _ owner: Owner) throws(SQLiteError) {
    guard page >= 2, page <= reader.count, page != lockBytePage,
      !hasPointerMap || page != mapPage(for: page)
    else { throw damage("it refers to page \(page) of \(reader.count)") }
    guard claimed[page / 64] & 1 << (page % 64) == 0 else {
      throw damage("page \(page) is used twice")
    }
    claimed[page / 64] |= 1 << (page % 64)
    guard hasPointerMap else { return }
    let (kind, parent) = try mapEntry(of: page)
    guard kind == owner.entry.kind, kind <= 2 || parent == owner.entry.parent else {
      throw damage("the pointer map is wrong about page \(page)")
    }
  }

  /// The page of the pointer map that has the entry of a page; a page of the map itself is its own.
  private func mapPage(for page: Int) -> Int {
    let first = (page - 2) / (entriesPerMapPage + 1) * (entriesPerMapPage + 1) + 2
    return first == lockBytePage ? first + 1 : first
  }

  private mutating func mapEntry(of page: Int) throws(SQLiteError) -> (kind: Int, parent: Int) {
    let map = mapPage(for: page)
    let bytes = try mapPage(map)
    let offset = 5 * (page - map - 1)
    guard offset >= 0, offset + 5 <= bytes.count else {
      throw damage("it refers to page \(page) of \(reader.count)")
    }
    return (Int(bytes[offset]), bytes.number(at: offset + 1, bytes: 4))
  }

  private mutating func mapPage(_ number: Int) throws(SQLiteError) -> [UInt8] {
    if let bytes = mapPages[number] { return bytes }
    let bytes = try reader.page(number)
    mapPages[number] = bytes
    return bytes
  }

  /// Walks the list of free pages: trunk pages, each with the next one, a count and that many leaves.
  private mutating func walkFreeList() throws(SQLiteError) {
    let stated = header.number(at: 36, bytes: 4)
    var trunk = header.number(at: 32, bytes: 4)
    while trunk != 0 {
      try claim(trunk, .free)
      freePages += 1
      let bytes = try reader.page(trunk)
      let leaves = bytes.number(at: 4, bytes: 4)
      guard 8 + 4 * leaves <= reader.pageSize - reserved else {
        throw damage("page \(trunk) of the list of free pages has \(leaves) entries")
      }
      for index in 0..<leaves { try claim(bytes.number(at: 8 + 4 * index, bytes: 4), .free) }
      freePages += leaves
      trunk = bytes.number(at: 0, bytes: 4)
    }
    guard freePages == stated else {
      throw damage("its header states \(stated) free pages, and the list has \(freePages)")
    }
  }

  private mutating func countFreePages() throws(SQLiteError) {
    var count = 0
    var map = 2
    while map <= reader.count {
      let number = map == lockBytePage ? map + 1 : map
      let bytes = try reader.page(number)
      mapPages[number] = bytes
      let entries = min(entriesPerMapPage, reader.count - number)
      for index in 0..<max(0, entries) {
        let page = number + 1 + index
        if page == lockBytePage { continue }
        let kind = bytes[5 * index]
        guard (1...5).contains(kind) else {
          throw damage("the pointer map is wrong about page \(page)")
        }
        if kind == 2 { count += 1 }
      }
      map += entriesPerMapPage + 1
    }
    guard count == freePages else {
      throw damage("the pointer map has \(count) free pages, and the list has \(freePages)")
    }
  }

  /// Walks a table or an index.
  private mutating func walk(_ root: Int, _ owner: Owner) throws(SQLiteError) {
    // Page 1 is the root of the schema, and has no entry in the pointer map.
    if root != 1 { try claim(root, owner) }
    var level = [(number: root, page: try page(root))]
    let isIndex = level[0].page.isIndex
    // No table of 2^31 pages is deeper.
    for _ in 0..<20 {
      guard let first = level.first, !first.page.isLeaf else { return }
      var below = level.flatMap { parent in parent.page.children.map { (parent.number, $0) } }
      var next: [(number: Int, page: BTreePage)] = []
      if !isIndex, let last = below.last, try page(last.1).isLeaf { below = below.suffix(3) }
      for (parent, child) in below {
        try claim(child, .node(parent: parent))
        let page = try page(child)
        guard page.isIndex == isIndex, next.first.map({ $0.page.isLeaf == page.isLeaf }) ?? true
        else { throw damage("page \(child) is of another table or level") }
        next.append((child, page))
      }
      level = next
    }
    throw damage("a table or index has more than 20 levels")
  }

  /// Reads and checks a page of a table or index.
  private mutating func page(_ number: Int) throws(SQLiteError) -> BTreePage {
    let bytes = try reader.page(number)
    let page: BTreePage
    do {
      page = try BTreePage(bytes, isFirst: number == 1, reserved: reserved)
    } catch {
      throw damage("page \(number) \(error.reason)")
    }
    guard hasPointerMap else { return page }
    for overflow in page.overflows {
      let (kind, parent) = try mapEntry(of: overflow)
      guard overflow <= reader.count, kind == 3, parent == number else {
        throw damage("the pointer map is wrong about page \(overflow)")
      }
    }
    return page
  }
}

extension Connection {
  /// The most pages of a file that is checked whole.
  package static let wholeCheckPages = 1_000

  /// Throws if something is wrong in the file that would make writing destroy what is there.
  ///
  /// A file of up to 1,000 pages is checked whole, by `quick_check`. Of a larger one only what
  /// ``StructureCheck`` lists is read: O(pages / 800, and interior pages).
  ///
  /// Only for the one writer, before its first write. The caller has compared the schema.
  ///
  /// - Throws: `.corrupt` with what is wrong, and errors of reading.
  package func checkStructure(
    wholeUpTo limit: Int = wholeCheckPages
  ) throws(SQLiteError) {
    if try pageCount() <= limit {
      guard let problem = try quickCheck().first else { return }
      throw PageReader.damage(problem, path)
    }
    let roots = try all("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0") {
      row throws(SQLiteError) in try row.int(0)
    }
    var check = try StructureCheck(self)
    try check.run(roots: [1] + roots.map { Int($0) })
  }

  /// Throws if SQLite reads the file and does not write to it: its header has an unknown version for writing.
  ///
  /// O(1) for a writer. The caller has read from the file. Source: offset 18 of "The Database Header" in SQLite's file
  /// format page.
  ///
  /// - Throws: `.corrupt`, and errors of reading.
  package func checkWriteVersion() throws(SQLiteError) {
    // A connection that does not write cannot tell by this.
    guard sqlite3_db_readonly(try requireHandle(.read), "main") != 0, try pageCount() > 0 else {
      return
    }
    let version = try PageReader(self).page(1)[18]
    guard version > 2 else { return }
    throw PageReader.damage(
      "its header has version \(version) of the format for writing, and the newest is 2",
      path
    )
  }
}
