-- Format 3: a table for each thing, and a hash on each row that no chain and no snapshot covers.
-- Rows with a hash are written by `HashedTable`; OnDiskFormat.md says what the hash covers.

ALTER TABLE store RENAME TO store_of_format_2;
CREATE TABLE store (
  one          INTEGER PRIMARY KEY CHECK (one = 1),
  id           BLOB    NOT NULL CHECK (length(id) = 16),
  epoch        INTEGER NOT NULL,
  algorithm    INTEGER NOT NULL,            -- of every hash in this file; 1 = two XXH64
  created      INTEGER NOT NULL,            -- microseconds since 1970
  application  TEXT,
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT;

ALTER TABLE origin RENAME TO origin_of_format_2;
CREATE TABLE origin (
  id           INTEGER PRIMARY KEY,
  uuid         BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16),
  opened       INTEGER NOT NULL,
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT;

-- Every entity table the file has had. It ends where it was renamed or dropped; its history stays.
ALTER TABLE entity_table RENAME TO entity_table_of_format_2;
CREATE TABLE entity_table (
  name         TEXT    PRIMARY KEY,
  since        INTEGER NOT NULL,            -- the revision that brought it
  until        INTEGER,                     -- the revision that ended it; null while it is there
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT, WITHOUT ROWID;

-- Columns that a script has declared, which are known before any record has a value in them.
CREATE TABLE declared_column (
  entity_table TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  position     INTEGER NOT NULL,            -- 0, 1, 2 ... in the order of the table
  field        BLOB    NOT NULL,            -- a layout of this one field: its kind and its reference
  required     INTEGER NOT NULL CHECK (required IN (0, 1)),
  since        INTEGER NOT NULL,            -- the revision after which it was declared
  hash         BLOB    NOT NULL CHECK (length(hash) = 16),
  PRIMARY KEY (entity_table, name)
) STRICT, WITHOUT ROWID;

ALTER TABLE snapshot_name RENAME TO snapshot_name_of_format_2;
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

-- Who has written what follows a revision, once a build has that knew only some of the migrations that ran.
CREATE TABLE older_build (
  revision     INTEGER PRIMARY KEY,
  chain        BLOB    NOT NULL CHECK (length(chain) = 16),
  writer       INTEGER NOT NULL CHECK (writer BETWEEN 0 AND 2),  -- 0 an older build, 1 another, 2 nobody: undone
  migrations   INTEGER,                     -- how many an older build knew
  hash         BLOB    NOT NULL CHECK (length(hash) = 16)
) STRICT;

-- Runs of migrations whose deltas were trimmed, while a snapshot is older than they are.
CREATE TABLE migration_trace (
  revision     INTEGER PRIMARY KEY,         -- of the delta
  name         TEXT    NOT NULL,            -- its name
  trace        BLOB    NOT NULL,            -- which run has written it, as the delta said
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

-- The migrations that ran, of both kinds: of the file's schema, and of the user's data.
ALTER TABLE migration RENAME TO migration_of_format_2;
CREATE TABLE migration (
  kind           INTEGER NOT NULL CHECK (kind IN (0, 1)),  -- 0 of the file's schema, 1 of the user's data
  version        INTEGER NOT NULL,          -- 1, 2, 3 ... of its kind
  name           TEXT    NOT NULL,
  checksum       BLOB    NOT NULL CHECK (length(checksum) = 16),
  applied        INTEGER NOT NULL,          -- microseconds since 1970
  duration       INTEGER NOT NULL,          -- microseconds
  -- The rest is for the user's data; null for the file's schema.
  form           TEXT,                      -- how it is written: SQL, Swift, a declaration, a baseline
  script         TEXT,                      -- what ran, where it is SQL
  revision       INTEGER,                   -- the last revision after it
  layout         INTEGER,                   -- the highest number of a layout after it
  replaces_first INTEGER,                   -- of a squashed one: the versions it stands for
  replaces_last  INTEGER,
  hash           BLOB    NOT NULL CHECK (length(hash) = 16),
  PRIMARY KEY (kind, version)
) STRICT, WITHOUT ROWID;

-- Which run of migrations has written a delta; null in every other one. The chain covers it.
ALTER TABLE delta RENAME COLUMN key TO trace;

-- The parts of a delta after the first. Without a rowid there is no second index that could contradict the rows.
ALTER TABLE delta_part RENAME TO delta_part_of_format_2;
CREATE TABLE delta_part (
  revision     INTEGER NOT NULL,
  part         INTEGER NOT NULL CHECK (part > 0),          -- 1, 2, 3 ...
  body         BLOB    NOT NULL,
  PRIMARY KEY (revision, part)
) STRICT, WITHOUT ROWID;
INSERT INTO delta_part (revision, part, body)
  SELECT revision, part, body FROM delta_part_of_format_2 NOT INDEXED
    WHERE part > 0 AND revision IN (SELECT revision FROM delta);

-- Which entities the deltas of a run change, by its last revision. Nothing depends on it.
CREATE TABLE change_index (
  revision     INTEGER PRIMARY KEY,
  body         BLOB    NOT NULL
) STRICT;
INSERT OR IGNORE INTO change_index (revision, body)
  SELECT revision, body FROM delta_part_of_format_2 NOT INDEXED
    WHERE part = 0 AND revision IN (SELECT revision FROM delta);

-- Here the rows above with a hash are written.
-- strata:convert
DROP TABLE store_of_format_2;
DROP TABLE origin_of_format_2;
DROP TABLE entity_table_of_format_2;
DROP TABLE snapshot_name_of_format_2;
DROP TABLE migration_of_format_2;
DROP TABLE delta_part_of_format_2;
DROP TABLE consumer;
