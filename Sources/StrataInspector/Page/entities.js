// Tables, and one entity: its fields with the commits that set them, its references and its versions.
import { h, fill, plain, cell, value, text, number, count, size, time, grid, th, change, icon, isCut, numeric, edge, cut, idText } from './dom.js';
import { ask, store, place, link, entityLink, isValue as isOfValue, move, at, command } from './data.js';
import { current, head } from './strip.js';
import { title, who, options } from './log.js';

let known = new Map();

/** The tables with their fields, kept for a revision. */
async function tablesAt(signal) {
  const key = at() ?? 'head' + store.revision;
  if (!known.has(key)) {
    if (known.size > 20) known = new Map();
    known.set(key, await ask('tables', { at: at() }, signal));
  }
  return known.get(key);
}

export async function showTables(main, signal) {
  const answer = await tablesAt(signal);
  const values = answer.rows.filter(t => t.kind === 'value');
  const tables = answer.rows.filter(t => t.kind !== 'value');
  const fields = t => h('td', { class: 'fields-of' }, t.fields.map((f, i) =>
    [i > 0 && ', ', f.name && plain(f.name), ' ', h('span', { class: 'faint' }, f.kind),
      f.references && h('span', { class: 'faint' }, ' → ' + f.references)]));
  const rows = (list, path) => list.map(t => h('tr', {},
    h('th', { scope: 'row' }, h('a', { href: link(path(t)) }, plain(t.table))),
    h('td', { class: 'n', 'data-label': 'entities' }, t.kind === 'value' ? '' : number(t.entities)), h('td', { class: 'n' }, size(t.bytes)), fields(t)));
  fill(main,
    h('h2', {}, 'Tables'),
    tables.length === 0 ? h('p', { class: 'faint' }, 'The store has no tables.')
      : grid('Tables', [th('Table'), th('Entities', 'n'), th('Size', 'n'), th('Fields')], rows(tables, t => ['table', t.table]), 'stack'),
    values.length > 0 && [h('h2', {}, 'Values'),
      grid('Values', [th('Value'), th('', 'n'), th('Size', 'n'), th('Fields')], rows(values, t => ['entity', t.table, 'value']), 'stack')]);
  return { subject: 'tables', parameters: { at: at() }, rows: count(answer.rows.length, 'table', 'tables'), isAll: !answer.cut, command: command('tables', [], { at: at() }) };
}

const page = 50;

export async function showTable(main, signal) {
  const { steps, parameters } = place();
  const table = steps[1];
  const chosen = { sort: parameters.sort, where: parameters.where, columns: parameters.columns };
  const offset = Number(parameters.offset ?? 0);
  const [answer, tables] = await Promise.all([
    ask('rows', { table, at: at(), offset, limit: page, ...chosen }, signal), tablesAt(signal),
  ]);
  const info = tables.rows.find(t => t.table === table);
  const all = ['id', ...(info?.fields ?? []).map(f => f.name).filter(n => n !== 'id')];
  const isFree = store.redacted.length === 0;
  const columns = answer.columns;
  const targets = Object.fromEntries((info?.fields ?? [])
    .filter(f => store.tables.includes(f.references)).map(f => [f.name, f.references]));
  const right = numeric(columns, answer.rows);
  const heading = name => {
    const sorted = chosen.sort === name ? 'ascending' : chosen.sort === '-' + name ? 'descending' : undefined;
    const next = sorted === 'ascending' ? '-' + name : sorted ? undefined : name;
    return h('th', { scope: 'col', class: right.has(name) ? 'n' : undefined, 'aria-sort': sorted ?? 'none' }, isFree
      ? h('a', { href: link(['table', table], { ...chosen, sort: next }) }, plain(name),
        sorted && icon(sorted === 'ascending' ? ' ▲' : ' ▼'))
      : plain(name));
  };
  const rows = answer.rows.map(row => h('tr', {}, columns.map(name => {
    const v = row[name];
    const target = name === 'id' ? table : targets[name];
    const isID = target && v !== null && v !== undefined && !isCut(v) && (name === 'id' || !/^\[|^\{/.test(text(v)));
    return h('td', { class: right.has(name) ? 'n' : undefined },
      isID ? h('a', { href: entityLink(target, v) }, cell(v)) : cell(v));
  })));
  const last = offset + answer.rows.length;
  const pager = h('nav', { class: 'pager', 'aria-label': 'Pages' },
    offset > 0 && h('a', { class: 'button', href: link(['table', table], { ...chosen, offset: Math.max(0, offset - page) || undefined }) }, '← Previous'),
    h('span', {}, answer.rows.length ? `${number(offset + 1)}–${number(last)}` : '',
      answer.rows.length > 0 && !chosen.where && info && ` of ${number(info.entities)}`),
    answer.more && h('a', { class: 'button', href: link(['table', table], { ...chosen, offset: offset + answer.rows.length }) }, 'Next →'));
  const isShown = name => !chosen.columns || chosen.columns.split(',').includes(name);
  fill(main,
    h('h2', {}, h('a', { href: link(['tables']) }, 'Tables'), ' / ', plain(table)),
    isFree && h('form', {
      class: 'bar', 'aria-label': 'Which entities',
      onsubmit: event => {
        event.preventDefault();
        const data = new FormData(event.target);
        const columns = all.filter(n => n === 'id' || data.getAll('columns').includes(n));
        move({
          where: data.get('where').trim(), offset: undefined,
          columns: columns.length === all.length ? undefined : columns.join(','),
        });
      },
    },
    h('label', { class: 'grow' }, h('span', {}, 'Where (SQL)'), h('input', {
      name: 'where', value: chosen.where ?? '', spellcheck: 'false', autocomplete: 'off', placeholder: "name LIKE '%Ann%'",
    })),
    h('details', { class: 'menu' }, h('summary', { class: 'button' }, 'Columns'), h('div', {}, all.map(name =>
      h('label', {}, h('input', { type: 'checkbox', name: 'columns', value: name, checked: isShown(name), disabled: name === 'id' }), plain(name))))),
    h('button', { type: 'submit' }, 'Apply')),
    h('form', {
      class: 'bar', role: 'search', 'aria-label': 'Search this table',
      onsubmit: event => {
        event.preventDefault();
        location.hash = link(['find'], { q: new FormData(event.target).get('q'), table });
      },
    }, h('label', { class: 'grow' }, h('span', {}, 'Contains'), h('input', { name: 'q', spellcheck: 'false' })),
    h('button', { type: 'submit' }, 'Search')),
    pager,
    rows.length ? grid(`Entities of ${table}`, columns.map(heading), rows)
      : h('p', { class: 'note' }, chosen.where ? 'No entity meets the condition.' : offset ? 'There are no more entities.' : 'The table is empty.'));
  return {
    rows: count(answer.rows.length, 'entity', 'entities'), isAll: !offset && !answer.more && !answer.cut && columns.length === all.length,
    subject: 'rows', parameters: { table, at: at(), offset, limit: page, ...chosen },
    command: command('list', [table], { where: chosen.where, sort: chosen.sort, columns: chosen.columns, at: at(), limit: last > page ? last : undefined }),
  };
}

/** The commit that gave a field its value, as a link to it. */
function origin(row, oldest) {
  if (row.revision === null) return h('span', { class: 'faint' }, `at revision ${oldest} or before`);
  return h('span', { class: 'origin' },
    h('a', { href: link(['log'], { at: row.revision }) }, h('span', { class: 'rev' }, row.revision), ' ', title(text(row.commit))),
    ' ', plain(text(row.place), 'place'), ' ', time(row.time), ' ', who(row.context));
}

export async function showEntity(main, signal) {
  const { steps, parameters: { field } } = place();
  const [, table, id = 'value'] = steps;
  const isValue = isOfValue(table);
  const question = { table, id: isValue ? undefined : id, at: at() };
  const heading = h('h2', {}, isValue ? h('a', { href: link(['tables']) }, 'Values')
    : h('a', { href: link(['table', table]) }, plain(table)), ' / ', plain(isValue ? table.slice(6) : idText(id), 'id'));
  const versions = h('section', { class: 'film', 'aria-label': 'Versions' }, h('p', { class: 'wait' }, 'Reading the versions …'));
  const fields = h('section', { 'aria-label': 'Fields' }, h('p', { class: 'wait' }, 'Reading …'));
  const others = h('section', { class: 'refs', 'aria-label': 'References' });
  const line = h('section', { class: 'line', 'aria-label': 'Time line' });
  const found = h('section', { 'aria-label': 'What this version changed' });
  if (!main.firstChild || main.dataset.entity !== table + '/' + id) fill(main, heading, fields, line, found, others);
  else fill(main, heading, ...main.querySelectorAll('.film'), fields, line, found, others);
  main.dataset.entity = table + '/' + id;
  main.querySelectorAll('.film').forEach(e => e.remove());
  heading.after(versions);
  let answer, missing;
  try { answer = await ask('entity', question, signal); } catch (error) {
    if (signal.aborted) throw error;
    missing = error;
  }
  const since = new Map();
  const paint = oldest => {
    if (missing) return;
    const cleared = [...since.values()].filter(row => !answer.rows.some(r => r.field === row.field));
    fill(fields, grid('Fields', [th('Field'), th('Value'), th('Last changed by')], [...answer.rows, ...cleared].map(row => h('tr', {},
      h('th', { scope: 'row' }, h('a', {
        href: link(steps, { field: field === row.field ? undefined : row.field }), title: 'The time line of this field',
        'aria-current': field === row.field ? 'true' : undefined,
      }, plain(text(row.field)))),
      h('td', {}, cleared.includes(row) ? h('span', { class: 'faint' }, 'cleared') : value(row.value)),
      h('td', { class: 'since' }, since.has(row.field) ? origin(since.get(row.field), oldest)
        : oldest !== undefined ? '' : h('span', { class: 'wait' }, '…')))), 'stack'));
  };
  paint();
  const parts = [];
  if (!missing) {
    parts.push(ask('blame', question, signal).then(blame => {
      for (const row of blame.rows) since.set(row.field, row);
      paint(blame.oldest);
    }));
    parts.push(ask('references', { ...question, id }, signal).then(refs => {
      const side = (direction, name) => {
        const rows = refs.rows.filter(r => r.direction === direction);
        return h('div', {}, h('h3', {}, name, ' ', h('span', { class: 'faint' }, rows.length + (refs.more ? '+' : ''))),
          rows.length ? h('ul', {}, rows.map(r => h('li', {},
            h('a', { href: entityLink(r.table, text(r.id)) }, plain(r.table, 'faint'), ' ', !isOfValue(r.table) && plain(idText(text(r.id)), 'id')),
            ' ', plain(text(r.place).split(' → ')[0], 'faint'))))
            : h('p', { class: 'faint' }, 'none'));
      };
      fill(others, side('to', 'Refers to'), side('from', 'Is referred to by'));
    }));
  }
  const past = { table, id };
  if (field) {
    parts.push(ask('history', { ...past, field }, signal).then(answer => timeline(line, answer, { ...past, field })));
  }
  parts.push(ask('history', { ...past, around: current() }, signal).then(history => film(versions, found, history, past, missing && fields)).catch(error => {
    throw missing ?? error;
  }));
  for (const result of await Promise.allSettled(parts)) {
    if (result.status === 'rejected' && !signal.aborted) {
      fill(versions);
      fill(missing ? fields : versions, h('p', { class: 'note' }, result.reason.message));
    }
  }
  return {
    title: `${table} ${isValue ? '' : idText(id)}`, rows: answer && count(answer.rows.length, 'field', 'fields'), isAll: !answer?.cut,
    subject: answer && 'entity', parameters: question,
    command: command('blame', isValue ? [table] : [table, id], { at: at() }),
  };
}

/** The changes of one field, the last first, and who made them. */
function timeline(box, answer, question) {
  const { field } = question;
  const changes = answer.rows.filter(r => r.field === field || text(r.field).startsWith(field + '.')).reverse();
  fill(box, h('h3', {}, plain(field), ' over time ', h('span', { class: 'faint' }, count(answer.versions, 'change', 'changes')),
    ' ', h('a', { href: link(place().steps) }, 'Close')),
  grid(`The time line of ${field}`, [th('Change'), th('Changed by')], changes.map(r => h('tr', {},
    h('td', {}, r.field !== field && [plain(r.field, 'faint'), ' '], change(r.from, r.to, 'cleared')), h('td', { class: 'since' }, origin(r)))), 'stack'),
  answer.earlier > 0 && h('button', { type: 'button', onclick: async () => {
    const { earlier, rows } = await ask('history', { ...question, before: answer.rows[0].revision });
    timeline(box, { ...answer, earlier, rows: rows.concat(answer.rows) }, question);
    box.querySelectorAll('tbody tr')[changes.length]?.querySelector('a').focus();
  } }, `${number(answer.earlier)} earlier`));
}

/** The versions of an entity as a row of frames, and what the shown one changed; where it is not there, why. */
function film(box, found, history, question, gone) {
  const versions = [];
  for (const row of history.rows) {
    const last = versions.at(-1);
    if (last && last.revision === row.revision && last.operation === row.operation) last.rows.push(row);
    else versions.push({ ...row, rows: [row] });
  }
  const now = current();
  let chosen = -1;
  versions.forEach((v, i) => { if (v.revision <= now) chosen = i; });
  const signs = { base: '•', inserted: '+', updated: '~', removed: '−', erased: '×', notPersisted: '!' };
  const list = h('ol', {}, versions.map((v, i) => h('li', {},
    h('a', {
      href: link(place().steps, { field: place().parameters.field, at: i === versions.length - 1 && !history.later && v.revision >= head() ? undefined : v.revision }),
      class: v.operation, 'aria-current': i === chosen ? 'true' : undefined,
      title: `${v.operation} at ${v.time}`,
    }, h('span', { class: 'op', 'aria-hidden': true }, signs[v.operation]), h('span', { class: 'hidden' }, v.operation + ' '),
    h('span', { class: 'rev' }, v.revision), h('span', { class: 'names' }, title(text(v.commit))),
    h('span', { class: 'touched' }, v.rows.filter(r => r.field).slice(0, 3).map(r => text(r.field)).join(', ') || v.operation)))));
  // One page of versions more, before or after these.
  const more = (name, left, side) => left > 0 && h('li', {}, h('button', { type: 'button', onclick: async () => {
    const isBefore = side === 'before', key = isBefore ? 'earlier' : 'later';
    const answer = await ask('history', { ...question, [side]: versions.at(isBefore ? 0 : -1).revision });
    history[key] = answer[key];
    history.rows = isBefore ? answer.rows.concat(history.rows) : history.rows.concat(answer.rows);
    film(box, found, history, question, gone);
    box.querySelectorAll('a')[isBefore ? 0 : versions.length].focus();
  } }, `${number(left)} ${name}`));
  list.prepend(...[more('earlier', history.earlier, 'before')].filter(Boolean));
  list.append(...[more('later', history.later, 'after')].filter(Boolean));
  fill(box, h('h3', {}, 'Versions ', h('span', { class: 'faint' }, number(history.versions),
    history.trimmed && `; the history up to revision ${history.trimmed} was trimmed`)), list);
  const frame = list.querySelector('[aria-current]')?.parentNode;
  if (frame) list.scrollLeft = frame.offsetLeft - list.offsetLeft - 80;
  const version = versions[chosen];
  const to = v => h('a', { href: link(place().steps, { at: v.revision }) }, 'revision ', h('span', { class: 'rev' }, v.revision));
  if (gone) fill(gone, h('p', { class: 'note' }, !version ? ['It is not there yet: it was inserted at ', to(versions[0]), '.']
    : [version.operation === 'erased' ? 'It was erased with its history at revision ' : 'It was removed at revision ', origin(version),
      chosen > 0 && ['It was there at ', to(versions[chosen - 1]), '.']]));
  if (!version) return fill(found);
  const shown = version.rows.filter(r => r.field && (version.operation !== 'base'));
  fill(found, shown.length > 0 && [
    h('h3', {}, version.operation === 'inserted' ? 'Inserted' : version.operation === 'removed' ? 'Removed' : 'Changed', ' at revision ',
      h('a', { href: link(['log'], { at: version.revision }) }, h('span', { class: 'rev' }, version.revision)), ' by ', title(text(version.commit))),
    version.operation !== 'inserted' && h('dl', { class: 'fields entity' }, shown.map(r => [
      h('dt', {}, plain(text(r.field))), h('dd', {}, change(r.from, r.to, version.operation === 'updated' && 'cleared'))]))]);
}

/** Finds IDs and fields that contain a text. */
export async function showFind(main, signal) {
  const { parameters } = place();
  const { q, table, all } = parameters;
  const result = h('section', { 'aria-label': 'Hits' });
  fill(main, h('form', {
    class: 'bar', role: 'search', 'aria-label': 'Find',
    onsubmit: event => {
      event.preventDefault();
      const data = new FormData(event.target);
      move({ q: data.get('q'), table: data.get('table'), all: data.get('all') ? '1' : undefined });
    },
  },
  h('label', { class: 'grow' }, h('span', {}, 'ID or text'), h('input', { name: 'q', id: 'q', value: q ?? '', spellcheck: 'false', autofocus: true })),
  h('label', {}, h('span', {}, 'Table'), h('select', { name: 'table' }, h('option', { value: '' }, 'all'), options(table))),
  h('label', { class: 'check' }, h('input', { type: 'checkbox', name: 'all', checked: Boolean(all) }), 'in all of history'),
  h('button', { type: 'submit' }, 'Find')), result);
  if (!q) {
    document.getElementById('q').focus({ preventScroll: true });
    fill(result, h('p', { class: 'faint' }, 'Finds IDs, and fields whose values contain a text, without regard to case. In all of history, each hit comes with the commit that put the text there.'));
    return { command: command('find', ['TEXT']) };
  }
  fill(result, h('p', { class: 'wait' }, 'Searching …'));
  const answer = await ask('find', { q, table, all, at: all ? undefined : at() }, signal);
  const rows = answer.rows.map(r => h('tr', {},
    h('td', {}, h('a', {
      href: entityLink(r.table, text(r.id), all && r.revision ? { at: r.revision } : {}),
    }, plain(r.table, 'faint'), ' ', !isOfValue(r.table) && plain(idText(text(r.id)), 'id'))),
    h('td', {}, plain(text(r.field))), h('td', {}, excerpt(text(r.value), q)),
    all && h('td', { class: 'since' }, origin(r, answer.oldest))));
  fill(result, rows.length === 0
    ? h('p', { class: 'note' }, plain(q), ' is in no field and no ID ', all ? 'of any revision that can be read.' : `at revision ${answer.revision}.`)
    : [h('p', { class: 'faint' }, count(rows.length, 'hit', 'hits'), answer.more && ', and there are more'),
      grid('Hits', [th('Entity'), th('Field'), th('Value'), all && th('Put there by')].filter(Boolean), rows, 'stack')]);
  return {
    title: `Find “${q}”`, rows: count(rows.length, 'hit', 'hits'), isAll: !answer.more && !answer.cut,
    subject: 'find', parameters: { q, table, all, at: all ? undefined : at() },
    command: command('find', [q, table || undefined], { all: Boolean(all), at: all ? undefined : at() }),
  };
}

function excerpt(whole, q) {
  const hit = whole.toLowerCase().indexOf(q.toLowerCase());
  if (hit < 0) return plain(cut(whole, 200));
  const start = edge(whole, hit - 40), end = edge(whole, hit + q.length);
  return h('bdi', {}, start > 0 && '…', plain(whole.slice(start, hit)), h('mark', {}, plain(whole.slice(hit, end))),
    plain(whole.slice(end, edge(whole, end + 80))), whole.length > end + 80 && '…');
}
