#!/usr/bin/env python3
"""Reads a store's file, written from the page "On-Disk Format" alone.

    python3 read_store.py FILE

Verifies every hash and prints the end of the journal, then a line for each entity at the last revision,
and for each context of a delta: its parts as the page names them, texts in hexadecimal digits.
"""

import sqlite3
import sys

MASK = (1 << 64) - 1
P1, P2, P3 = 11400714785074694791, 14029467366897019727, 1609587929392839161
P4, P5 = 9650029242287828579, 2870177450012600261


def rotated(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def xxh64(data, seed):
    """https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md"""

    def round_(accumulator, lane):
        return rotated((accumulator + lane * P2) & MASK, 31) * P1 & MASK

    def merge(accumulator, value):
        return ((accumulator ^ round_(0, value)) * P1 + P4) & MASK

    def number(start, count):
        return int.from_bytes(data[start:start + count], "little")

    offset, size = 0, len(data)
    if size >= 32:
        lanes = [(seed + P1 + P2) & MASK, (seed + P2) & MASK, seed, (seed - P1) & MASK]
        while offset + 32 <= size:
            for index in range(4):
                lanes[index] = round_(lanes[index], number(offset + 8 * index, 8))
            offset += 32
        result = sum(rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            result = merge(result, lane)
    else:
        result = (seed + P5) & MASK
    result = (result + size) & MASK
    while offset + 8 <= size:
        result = (rotated(result ^ round_(0, number(offset, 8)), 27) * P1 + P4) & MASK
        offset += 8
    if offset + 4 <= size:
        result = (rotated(result ^ number(offset, 4) * P1 & MASK, 23) * P2 + P3) & MASK
        offset += 4
    while offset < size:
        result = rotated(result ^ data[offset] * P5 & MASK, 11) * P1 & MASK
        offset += 1
    result = (result ^ result >> 33) * P2 & MASK
    result = (result ^ result >> 29) * P3 & MASK
    return result ^ result >> 32


def hash_of(data):
    return b"".join(xxh64(data, seed).to_bytes(8, "big") for seed in (0, 0x5374726174610001))


class Hashed(bytes):
    """A hash among several things: it has no count before it."""


def hash_of_all(*things):
    data = b""
    for thing in things:
        if isinstance(thing, int):
            data += (thing & MASK).to_bytes(8, "little")
        elif isinstance(thing, Hashed):
            data += thing
        else:
            thing = thing.encode() if isinstance(thing, str) else thing
            data += len(thing).to_bytes(8, "little") + thing
    return hash_of(data)


def check(condition, what):
    if not condition:
        sys.exit(f"damaged: {what}")


class Cursor:
    def __init__(self, data):
        self.data, self.offset = data, 0

    def take(self, count):
        check(self.offset + count <= len(self.data), "the bytes end too early")
        self.offset += count
        return self.data[self.offset - count:self.offset]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def block(self):
        return self.take(self.varint())


NAMES = {2: "i8", 3: "i16", 4: "i32", 5: "i64", 6: "u8", 7: "u16", 8: "u32", 9: "u64"}


def read_kind(cursor):
    """A kind: its byte, and what follows it in a layout."""
    kind = cursor.byte()
    if kind == 32:
        return kind, read_kind(cursor)
    if kind == 34:
        return kind, read_fields(cursor)
    return kind, None


def read_fields(cursor):
    return [(cursor.block(), read_field(cursor)) for _ in range(cursor.varint())]


def read_field(cursor):
    """The kind of a field, past its references: they change nothing about how it is stored."""
    if cursor.data[cursor.offset:cursor.offset + 1] == b"\x24":
        cursor.byte()
        check(read_references(cursor), "references of nothing")
    return read_kind(cursor)


def read_references(cursor):
    form = cursor.byte()
    if form == 1:
        return [cursor.block()]
    if form == 2:
        return read_references(cursor)
    if form == 3:
        return read_references(cursor) + read_references(cursor)
    check(form == 0, f"references of the form {form}")
    return []


def read_record(cursor, fields):
    size = (2 * (1 + len(fields)) + 7) // 8
    bits = int.from_bytes(cursor.take(size), "little")
    codes = [bits >> 2 * index & 3 for index in range(1 + len(fields))]
    if codes[0] == 2:
        return read_tagged(cursor)
    members = []
    for code, (name, kind) in zip(codes[1:], fields):
        if code == 1:
            members.append((name, "null"))
        elif code == 2:
            members.append((name, read_value(cursor, kind)))
        elif code == 3:
            members.append((name, read_tagged(cursor)))
    if codes[0] == 1:
        members += read_members(cursor)
    return text_of(members)


def read_members(cursor):
    return [(cursor.block(), read_tagged(cursor)) for _ in range(cursor.varint())]


def text_of(members):
    return "{" + ",".join(f"{name.hex()}={value}" for name, value in members) + "}"


def read_tagged(cursor):
    return read_value(cursor, (cursor.byte(), None))


def read_value(cursor, kind):
    kind, inner = kind
    if kind == 0:
        return "null"
    if kind == 1:
        return "true" if cursor.byte() else "false"
    if kind == 2:
        return f"i8:{int.from_bytes(cursor.take(1), 'little', signed=True)}"
    if kind == 6:
        return f"u8:{cursor.byte()}"
    if kind in (3, 4, 5):
        return f"{NAMES[kind]}:{cursor.zigzag()}"
    if kind in (7, 8, 9):
        return f"{NAMES[kind]}:{cursor.varint()}"
    if kind == 10:
        return f"float:{cursor.take(4)[::-1].hex()}"
    if kind == 11:
        return f"double:{cursor.take(8)[::-1].hex()}"
    if kind == 12:
        return f"string:{cursor.block().hex()}"
    if kind == 13:
        return f"data:{cursor.block().hex()}"
    if kind == 14:
        return f"date:{cursor.take(8)[::-1].hex()}"
    if kind == 15:
        return f"uuid:{cursor.take(16).hex()}"
    if kind == 16:
        return f"url:{cursor.block().hex()}"
    if kind == 17:
        return f"decimal:{cursor.block().hex()}"
    if kind == 32:
        count, is_tagged = divmod(cursor.varint(), 2)
        read = read_tagged if is_tagged else lambda cursor: read_value(cursor, inner)
        return "[" + ",".join(read(cursor) for _ in range(count)) + "]"
    if kind == 33:
        return text_of(read_members(cursor))
    if kind == 34:
        return read_record(cursor, inner)
    if kind == 35:
        return read_tagged(cursor)
    sys.exit(f"damaged: unknown kind {kind}")


def read_block(data):
    """The entries of a change block: op, table, ID, layout, record."""
    cursor = Cursor(data)
    entries = []
    for _ in range(cursor.varint()):
        table = cursor.block().decode()
        for _ in range(cursor.varint()):
            op, identifier = cursor.byte(), cursor.block()
            layout, length = (cursor.varint(), cursor.varint()) if op in (0, 3) else (None, 0)
            if op == 3:
                cursor.block(), cursor.block()  # the table and the ID that a moved record had before
            entries.append([op, table, identifier, layout, length])
    for entry in entries:
        entry[4] = cursor.take(entry[4])
    check(cursor.offset == len(data), "bytes after a block")
    return entries


TABLES_WITH_HASHES = (
    "store", "lineage", "feature", "origin", "entity_table", "declared_column", "snapshot_name", "leadership",
    "erasure", "migration",
)


def check_rows(file, table):
    """Each row has a hash of the table's name and its other columns."""
    for *values, digest in file.execute(f"SELECT * FROM {table}"):
        things = [table]
        for value in values:
            things += [0] if value is None else [1 if isinstance(value, int) else 2 if isinstance(value, str) else 3, value]
        check(hash_of_all(*things) == digest, f"a row of {table}")


def main(path):
    file = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    check(file.execute("PRAGMA application_id").fetchone()[0] == 0x53747274, "not a store")
    check(file.execute("PRAGMA user_version").fetchone()[0] == 3, "another format")
    for table in TABLES_WITH_HASHES:
        check_rows(file, table)
    store, algorithm = file.execute("SELECT id, algorithm FROM store").fetchone()
    lineages = [number for number, in file.execute("SELECT id FROM lineage ORDER BY number")]
    check(algorithm == 1, "another algorithm")

    layouts, hashes = {}, {}
    for number, digest, body in file.execute("SELECT id, hash, body FROM layout"):
        check(hash_of(body) == digest, f"layout {number}")
        check(body[0] == 1, f"the version of layout {number}")
        layouts[number], hashes[number] = read_fields(Cursor(body[1:])), Hashed(digest)

    def used(entries):
        things = []
        for number in sorted({entry[3] for entry in entries if entry[0] == 0}):
            things += [number, hashes[number]]
        return things

    # Every snapshot is verified; the last verified one is the start of the last state.
    entities, chains, start = {}, {0: Hashed(hash_of(b"strata" + store + lineages[0].to_bytes(8, "big")))}, -1
    rows = file.execute(
        "SELECT revision, lineage, time, chain, state, chunks, entities, bytes, hash FROM snapshot"
        " WHERE state = 2 ORDER BY revision"
    )
    for revision, *columns, digest in rows.fetchall():
        lineage, time, chain, _, chunks, count, size = columns
        found, things = {}, [store, revision, lineage, time, Hashed(chain), chunks, count, size]
        listed = file.execute(
            "SELECT entity_table, first, count, bytes, hash, body FROM listing"
            " JOIN chunk ON chunk.id = chunk WHERE revision = ? ORDER BY entity_table, first",
            (revision,),
        ).fetchall()
        for table, first, chunk_count, chunk_bytes, chunk_hash, body in listed:
            entries = read_block(body)
            place = f"a chunk of snapshot {revision}"
            check(hash_of_all(Hashed(hash_of(body)), *used(entries)) == chunk_hash, place)
            check(all(entry[0] == 0 and entry[1] == table for entry in entries), place)
            check(entries[0][2] == first and len(entries) == chunk_count, place)
            check(sum(len(entry[4]) for entry in entries) == chunk_bytes, place)
            keys = [entry[2] for entry in entries]
            check(keys == sorted(set(keys)), place)
            things += [table, first, chunk_count, chunk_bytes, Hashed(chunk_hash)]
            for _, _, identifier, layout, record in entries:
                found[table, identifier] = (layout, record)
        check(len(listed) == chunks and len(found) == count, f"snapshot {revision}")
        check(sum(len(row[5]) for row in listed) == size, f"snapshot {revision}")
        check(hash_of_all(*things) == digest, f"snapshot {revision}")
        chains[revision] = Hashed(chain)
        entities, start = found, revision
    check(start >= 0, "no snapshot")

    contexts = []
    revision = None
    rows = file.execute(
        "SELECT revision, first, lineage, time, origin, trace, name, place, entities,"
        " parts, bytes, body, hash, context FROM delta ORDER BY revision"
    )
    for row in rows.fetchall():
        (last, first, lineage, time, origin, trace, name, place, count, parts, size, body, digest,
         context) = row
        if revision is None:
            check(first - 1 in chains, "no snapshot before the journal")
            revision, chain = first - 1, chains[first - 1]
        check(first == revision + 1 and last >= first, f"a gap before delta {first}")
        blocks = [body] + [part for part, in file.execute(
            "SELECT body FROM delta_part WHERE revision = ? ORDER BY part", (last,))]
        entries = [entry for block in blocks for entry in read_block(block)]
        check(len(blocks) == parts and len(entries) == count, f"delta {last}")
        check(sum(map(len, blocks)) == size, f"delta {last}")
        things = [chain, store, last, first, lineage, time, origin]
        things += [0 if trace is None else 1, trace or b"", name, place, count, parts, size]
        things += [Hashed(hash_of(block)) for block in blocks] + used(entries)
        if context is not None:
            things += [1, context]
            contexts.append(f"context {last} {read_tagged(Cursor(context))}")
        revision, chain = last, Hashed(digest)
        check(hash_of_all(*things) == digest, f"delta {last}")
        check(last not in chains or chains[last] == chain, f"the chain of snapshot {last}")
        if last > start:
            for op, table, identifier, layout, record in entries:
                if op in (0, 3):
                    entities[table, identifier] = (layout, record)
                elif op == 1:
                    entities.pop((table, identifier), None)
    if revision is None or revision < start:
        revision, chain = start, chains[start]

    print(f"revision {revision} lineage {lineages[-1]:014x} chain {chain.hex()}")
    for (table, identifier), (layout, record) in sorted(
        entities.items(), key=lambda item: (item[0][0].encode(), item[0][1])
    ):
        cursor = Cursor(record)
        value = read_record(cursor, layouts[layout])
        check(cursor.offset == len(record), f"bytes after a record of {table}")
        print(f"{table.encode().hex()} {identifier.hex()} {value}")
    for line in contexts:
        print(line)


main(sys.argv[1])
