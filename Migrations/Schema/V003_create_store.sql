-- The file of a store, format 3: who it is, how its records are laid out, its journal and its snapshots.
-- OnDiskFormat.md in Sources/StrataStorage/StrataStorage.docc describes the format row by row. The table `migration` is
-- there before the first script: `MigrationLedger` has its text. Rows that no chain and no snapshot covers have a hash of
-- their own: `HashedTable` writes them.

-- One row: the identity of the store. `epoch` is the term of the last leader that the file knows of.
CREATE TABLE store (
  one          INTEGER PRIMARY KEY CHECK (one = 1),
  id           BLOB    NOT NULL CHECK (length(id) = 16),
  epoch        INTEGER NOT NULL,
  algorithm    INTEGER NOT NULL,            -- of every hash in this file; 1 = two XXH64
  created      INTEGER NOT NULL,            -- microseconds since 1970
  application  TEXT,                        -- the program that the store belongs to, as its configuration names it
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT;

-- The histories that the file has gone through: the last one is that of its next delta, and the parent of each is the one
-- before it. A row is added when the file is made from another, or rewritten.
CREATE TABLE lineage (
  number       INTEGER PRIMARY KEY,         -- 1, 2, 3 ...
  id           INTEGER NOT NULL,            -- at random
  reason       TEXT    NOT NULL,            -- created, erased, restored, forked, bundled or salvaged
  revision     INTEGER,                     -- up to where it has the commits of its parent; null for the first
  chain        BLOB,                        -- the chain of its parent there
  time         INTEGER NOT NULL,            -- microseconds since 1970
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT;

-- What a program must know of, besides the format, to write to the file: features of other products than the core.
CREATE TABLE feature (
  name         TEXT    PRIMARY KEY,
  since        INTEGER NOT NULL,            -- the revision after which the file has it
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT, WITHOUT ROWID;

-- One row for each time a writer opened the file: the origin of the deltas it appended.
CREATE TABLE origin (
  id           INTEGER PRIMARY KEY,
  uuid         BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16),
  opened       INTEGER NOT NULL,
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT;

-- Every entity table the file has had. One that a build adds starts from its initial state. It ends where it was renamed
-- or dropped; its history stays.
CREATE TABLE entity_table (
  name         TEXT    PRIMARY KEY,
  since        INTEGER NOT NULL,            -- the revision that brought it
  until        INTEGER,                     -- the revision that ended it; null while it is there
  rules        TEXT,                        -- the checks and unique keys of the program, a name on each line; null for none
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT, WITHOUT ROWID;

-- Columns that a script has declared, which are known before any record has a value in them. A row stays when its column
-- is declared otherwise, or no more.
CREATE TABLE declared_column (
  entity_table TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  position     INTEGER NOT NULL,            -- 0, 1, 2 ... in the order of the table
  field        BLOB    NOT NULL,            -- a layout of this one field: its kind and its reference
  required     INTEGER NOT NULL CHECK (required IN (0, 1)), -- 1 where it is NOT NULL
  default_value TEXT,                       -- its DEFAULT, as it was written; null for none
  since        INTEGER NOT NULL,            -- the revision after which it was declared
  until        INTEGER,                     -- the revision after which it was not; null while it is
  hash         BLOB    NOT NULL CHECK (length(hash) = 16),
  PRIMARY KEY (entity_table, name, since)
) STRICT, WITHOUT ROWID;

-- How to read the records of a table: the names and kinds of their fields. Rows are added, never
-- changed; the last one of a table is the one its next record is written against. So a layout that is in use again
-- has a row again.
CREATE TABLE layout (
  id           INTEGER PRIMARY KEY,
  entity_table TEXT    NOT NULL,
  hash         BLOB    NOT NULL CHECK (length(hash) = 16),
  body         BLOB    NOT NULL
) STRICT;

-- The journal. A row covers the revisions first...revision: one, unless commits were merged while
-- the disk refused them. The first part of the change set is in the row; further ones follow below.
CREATE TABLE delta (
  revision     INTEGER PRIMARY KEY,
  first        INTEGER NOT NULL,
  lineage      INTEGER NOT NULL,
  time         INTEGER NOT NULL,            -- microseconds since 1970, never less than the one before
  origin       INTEGER NOT NULL,
  trace        BLOB,                        -- which migration has written it; null in every other one
  name         TEXT    NOT NULL,
  place        TEXT    NOT NULL,
  entities     INTEGER NOT NULL,
  parts        INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,            -- of all parts
  body         BLOB    NOT NULL,
  hash         BLOB    NOT NULL CHECK (length(hash) = 16),
  context      BLOB                         -- who and why, where the commit said so; the chain covers it
) STRICT;

-- The parts of a delta after the first. Without a rowid there is no second index that could contradict the rows.
CREATE TABLE delta_part (
  revision     INTEGER NOT NULL,
  part         INTEGER NOT NULL CHECK (part > 0),          -- 1, 2, 3 ...
  body         BLOB    NOT NULL,
  PRIMARY KEY (revision, part)
) STRICT, WITHOUT ROWID;

-- Which entities the deltas of a run change, by its last revision. Nothing depends on it.
CREATE TABLE change_index (
  revision     INTEGER PRIMARY KEY,
  body         BLOB    NOT NULL
) STRICT;

-- The whole database at a revision, in chunks sorted by table and encoded ID.
CREATE TABLE snapshot (
  revision     INTEGER PRIMARY KEY,
  lineage      INTEGER NOT NULL,
  time         INTEGER NOT NULL,
  chain        BLOB    NOT NULL CHECK (length(chain) = 16),
  state        INTEGER NOT NULL,            -- 0 being written, 1 complete, 2 read back and verified
  chunks       INTEGER NOT NULL,
  entities     INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT;

-- The chunks of each snapshot, with what can be known of a chunk without reading it.
CREATE TABLE listing (
  revision     INTEGER NOT NULL,
  entity_table TEXT    NOT NULL,
  first        BLOB    NOT NULL,            -- the encoded ID of its first entity
  count        INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,            -- of its records
  chunk        INTEGER NOT NULL,
  PRIMARY KEY (revision, entity_table, first)
) STRICT, WITHOUT ROWID;

-- Runs of entities of one table, about 256 KB each, that snapshots list. Equal hashes do not make equal
-- chunks: the bytes decide.
CREATE TABLE chunk (
  id           INTEGER PRIMARY KEY,
  hash         BLOB    NOT NULL CHECK (length(hash) = 16),
  body         BLOB    NOT NULL
) STRICT;
CREATE INDEX chunk_hash ON chunk (hash);

-- Names people gave to snapshots. A named snapshot is never trimmed.
CREATE TABLE snapshot_name (
  name         TEXT    PRIMARY KEY,
  revision     INTEGER NOT NULL,
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT, WITHOUT ROWID;

-- One row, once the file has led an archive: the epoch that its last leadership started.
CREATE TABLE leadership (
  one          INTEGER PRIMARY KEY CHECK (one = 1),
  epoch        INTEGER NOT NULL,
  revision     INTEGER NOT NULL,            -- where the file ended then, and its chain there
  chain        BLOB    NOT NULL CHECK (length(chain) = 16),
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT;

-- The entities that were erased.
CREATE TABLE erasure (
  number       INTEGER PRIMARY KEY,         -- 1, 2, 3 ...
  entity_table TEXT    NOT NULL,
  entity       BLOB    NOT NULL CHECK (length(entity) = 16),     -- a hash of its ID
  time         INTEGER NOT NULL,            -- microseconds since 1970
  revision     INTEGER NOT NULL,            -- the last one then
  first        INTEGER,                     -- the deltas whose hashes were computed again
  last         INTEGER,
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT;
