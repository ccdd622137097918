-- The file of a store: who it is, how its records are laid out, its journal and its snapshots.
-- OnDiskFormat.md in Sources/StrataStorage/StrataStorage.docc describes the format row by row.

-- One row: the identity of the store. `epoch` is raised whenever history is cut.
CREATE TABLE store (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  id         BLOB    NOT NULL CHECK (length(id) = 16),
  epoch      INTEGER NOT NULL,
  algorithm  INTEGER NOT NULL,            -- of every hash in this file; 1 = two XXH64
  created    INTEGER NOT NULL             -- microseconds since 1970
) STRICT;

-- One row for each time a writer opened the file: the origin of the deltas it appended.
CREATE TABLE origin (
  id         INTEGER PRIMARY KEY,
  uuid       BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16),
  opened     INTEGER NOT NULL
) STRICT;

-- Every entity table the file has had. One that a build adds starts from its initial state.
CREATE TABLE entity_table (
  name       TEXT    PRIMARY KEY,
  since      INTEGER NOT NULL             -- the revision that brought it
) STRICT, WITHOUT ROWID;

-- How to read the records of a table: the names and kinds of their fields. Rows are added, never
-- changed; the last one of a table is the one its next record is written against.
CREATE TABLE layout (
  id           INTEGER PRIMARY KEY,
  entity_table TEXT    NOT NULL,
  hash         BLOB    NOT NULL CHECK (length(hash) = 16),
  body         BLOB    NOT NULL,
  UNIQUE (entity_table, hash)
) STRICT;

-- The journal. A row covers the revisions first...revision: one, unless commits were merged while
-- the disk refused them. The first part of the change set is in the row; further ones follow below.
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
) STRICT;

CREATE TABLE delta_part (
  revision   INTEGER NOT NULL,
  part       INTEGER NOT NULL,            -- 1, 2, 3 ...
  body       BLOB    NOT NULL,
  PRIMARY KEY (revision, part)
) STRICT;

-- The whole database at a revision, in chunks sorted by table and encoded ID.
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
) STRICT;

CREATE TABLE snapshot_chunk (
  revision   INTEGER NOT NULL,
  chunk      INTEGER NOT NULL,            -- 0, 1, 2 ...
  hash       BLOB    NOT NULL CHECK (length(hash) = 16),
  body       BLOB    NOT NULL,
  PRIMARY KEY (revision, chunk)
) STRICT;

-- Names people gave to snapshots. A named snapshot is never trimmed.
CREATE TABLE snapshot_name (
  name       TEXT    PRIMARY KEY,
  revision   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How far each reader of the journal has come; trimming keeps what the slowest still needs.
CREATE TABLE consumer (
  name       TEXT    PRIMARY KEY,
  revision   INTEGER NOT NULL,
  chain      BLOB    NOT NULL CHECK (length(chain) = 16)
) STRICT, WITHOUT ROWID;
