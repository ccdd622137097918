extension FileSchema {
  /// The schema of the newest version, as the migrations make it.
  ///
  /// It is written down, because running the migrations takes a tenth of the time of a short command. A test compares it
  /// with what they make; `.schema` of the `sqlite3` shell prints that of a new store.
  package static let newest = FileSchema([
    Object(
      "table",
      "chunk",
      of: "chunk",
      """
      CREATE TABLE chunk (
        id           INTEGER PRIMARY KEY,
        hash         BLOB    NOT NULL CHECK (length(hash) = 16),
        body         BLOB    NOT NULL
      ) STRICT
      """
    ),
    Object(
      "index",
      "chunk_hash",
      of: "chunk",
      """
      CREATE INDEX chunk_hash ON chunk (hash)
      """
    ),
    Object(
      "table",
      "consumer",
      of: "consumer",
      """
      CREATE TABLE consumer (
        name       TEXT    PRIMARY KEY,
        revision   INTEGER NOT NULL,
        chain      BLOB    NOT NULL CHECK (length(chain) = 16)
      ) STRICT, WITHOUT ROWID
      """
    ),
    Object(
      "table",
      "delta",
      of: "delta",
      """
      CREATE TABLE delta (
        revision   INTEGER PRIMARY KEY,
        first      INTEGER NOT NULL,
        epoch      INTEGER NOT NULL,
        time       INTEGER NOT NULL,            -- microseconds since 1970, never less than the one before
        origin     INTEGER NOT NULL,
        key        BLOB,                        -- an idempotency key, where the committer gave one
        name       TEXT    NOT NULL,
        place      TEXT    NOT NULL,
        entities   INTEGER NOT NULL,
        parts      INTEGER NOT NULL,
        bytes      INTEGER NOT NULL,            -- of all parts
        body       BLOB    NOT NULL,
        hash       BLOB    NOT NULL CHECK (length(hash) = 16)
      , context BLOB) STRICT
      """
    ),
    Object(
      "table",
      "delta_part",
      of: "delta_part",
      """
      CREATE TABLE delta_part (
        revision   INTEGER NOT NULL,
        part       INTEGER NOT NULL,            -- 1, 2, 3 ...
        body       BLOB    NOT NULL,
        PRIMARY KEY (revision, part)
      ) STRICT
      """
    ),
    Object("index", "sqlite_autoindex_delta_part_1", of: "delta_part", ""),
    Object(
      "table",
      "entity_table",
      of: "entity_table",
      """
      CREATE TABLE entity_table (
        name       TEXT    PRIMARY KEY,
        since      INTEGER NOT NULL             -- the revision that brought it
      ) STRICT, WITHOUT ROWID
      """
    ),
    Object(
      "table",
      "layout",
      of: "layout",
      """
      CREATE TABLE layout (
        id           INTEGER PRIMARY KEY,
        entity_table TEXT    NOT NULL,
        hash         BLOB    NOT NULL CHECK (length(hash) = 16),
        body         BLOB    NOT NULL,
        UNIQUE (entity_table, hash)
      ) STRICT
      """
    ),
    Object("index", "sqlite_autoindex_layout_1", of: "layout", ""),
    Object(
      "table",
      "listing",
      of: "listing",
      """
      CREATE TABLE listing (
        revision     INTEGER NOT NULL,
        entity_table TEXT    NOT NULL,
        first        BLOB    NOT NULL,            -- the encoded ID of its first entity
        count        INTEGER NOT NULL,
        bytes        INTEGER NOT NULL,            -- of its records
        chunk        INTEGER NOT NULL,
        PRIMARY KEY (revision, entity_table, first)
      ) STRICT, WITHOUT ROWID
      """
    ),
    Object(
      "table",
      "migration",
      of: "migration",
      """
      CREATE TABLE migration (
        kind           INTEGER NOT NULL DEFAULT 0,  -- 0 of the file's schema, 1 of the user's data
        version        INTEGER NOT NULL,            -- 1, 2, 3 ... of its kind
        name           TEXT    NOT NULL,
        checksum       BLOB    NOT NULL CHECK (length(checksum) = 16),
        applied        INTEGER NOT NULL,            -- microseconds since 1970
        duration       INTEGER NOT NULL,            -- microseconds
        -- The rest is for the user's data; null for the file's schema.
        form           TEXT,                        -- how it is written: SQL, Swift, a declaration, a baseline
        script         TEXT,                        -- what ran, where it is SQL
        revision       INTEGER,                     -- the last revision after it
        layout         INTEGER,                     -- the highest number of a layout after it
        replaces_first INTEGER,                     -- of a squashed one: the versions it stands for
        replaces_last  INTEGER,
        PRIMARY KEY (kind, version)
      ) STRICT, WITHOUT ROWID
      """
    ),
    Object(
      "table",
      "origin",
      of: "origin",
      """
      CREATE TABLE origin (
        id         INTEGER PRIMARY KEY,
        uuid       BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16),
        opened     INTEGER NOT NULL
      ) STRICT
      """
    ),
    Object("index", "sqlite_autoindex_origin_1", of: "origin", ""),
    Object(
      "table",
      "snapshot",
      of: "snapshot",
      """
      CREATE TABLE snapshot (
        revision   INTEGER PRIMARY KEY,
        epoch      INTEGER NOT NULL,
        time       INTEGER NOT NULL,
        chain      BLOB    NOT NULL CHECK (length(chain) = 16),
        state      INTEGER NOT NULL,            -- 0 being written, 1 complete, 2 read back and verified
        chunks     INTEGER NOT NULL,
        entities   INTEGER NOT NULL,
        bytes      INTEGER NOT NULL,
        hash       BLOB    NOT NULL CHECK (length(hash) = 16)
      ) STRICT
      """
    ),
    Object(
      "table",
      "snapshot_name",
      of: "snapshot_name",
      """
      CREATE TABLE snapshot_name (
        name       TEXT    PRIMARY KEY,
        revision   INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID
      """
    ),
    Object(
      "table",
      "store",
      of: "store",
      """
      CREATE TABLE store (
        one        INTEGER PRIMARY KEY CHECK (one = 1),
        id         BLOB    NOT NULL CHECK (length(id) = 16),
        epoch      INTEGER NOT NULL,
        algorithm  INTEGER NOT NULL,            -- of every hash in this file; 1 = two XXH64
        created    INTEGER NOT NULL             -- microseconds since 1970
      , application TEXT) STRICT
      """
    ),
  ])
}
