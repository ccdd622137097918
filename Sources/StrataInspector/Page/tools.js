// SQL, and who commits.
import { h, fill, plain, cell, text, number, count, size, grid, th, numeric } from './dom.js';
import { ask, store, place, link, move, at, command } from './data.js';
import { title } from './log.js';

export async function showSQL(main, signal) {
  const { sql } = place().parameters;
  const result = h('section', { 'aria-label': 'Rows' });
  if (store.redacted.length) {
    fill(main, h('p', { class: 'note' }, 'SQL is refused while values are replaced: it would show more about them.'));
    return {};
  }
  const table = store.tables[0] ?? 'users';
  const examples = [
    `SELECT * FROM "${table}" LIMIT 20`,
    `SELECT * FROM "${table}_history" ORDER BY revision DESC LIMIT 20`,
    `SELECT commit_name, count(*) AS commits, sum(changes) AS changes FROM strata_log GROUP BY 1 ORDER BY 2 DESC`,
  ];
  const submit = event => {
    event?.preventDefault();
    move({ sql: document.getElementById('sql').value });
  };
  fill(main, h('form', { class: 'sql', 'aria-label': 'SQL', onsubmit: submit },
    h('label', { for: 'sql' }, 'One SELECT. Tables are also there as ', h('code', {}, `${table}_at('HEAD~10')`), ', ',
      h('code', {}, `${table}_history`), ', ', h('code', {}, `${table}_diff('A', 'B')`), ', ', h('code', {}, `${table}_blame`), '; ',
      h('code', {}, 'strata_log'), ' has the commits.'),
    h('textarea', {
      id: 'sql', rows: 4, spellcheck: 'false', value: sql ?? examples[0],
      onkeydown: event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event); },
    }),
    h('div', { class: 'bar' }, h('button', { type: 'submit', class: 'first' }, 'Run (Ctrl Enter)'),
      examples.map((e, i) => h('button', {
        type: 'button', class: 'link', onclick: () => { document.getElementById('sql').value = e; submit(); },
      }, ['A table', 'Its history', 'Commits by name'][i])))), result);
  if (!sql) return { command: command('query', [examples[0]], { at: at() }) };
  fill(result, h('p', { class: 'wait' }, 'Running …'));
  let answer;
  try { answer = await ask('query', { sql, at: at() }, signal); } catch (error) {
    if (signal.aborted) throw error;
    fill(result, h('p', { class: 'note', role: 'alert' }, error.message));
    return { command: command('query', [sql], { at: at() }) };
  }
  const names = answer.columns, right = numeric(names, answer.rows);
  fill(result, h('p', { class: 'faint' }, `${count(answer.rows.length, 'row', 'rows')}${answer.more || answer.cut ? ', and there are more' : ''}, at revision ${answer.revision}`),
    grid('Rows', names.map(n => h('th', { scope: 'col', class: right.has(n) ? 'n' : undefined }, plain(n))), answer.rows.map(row => h('tr', {}, names.map(n =>
      h('td', { class: right.has(n) ? 'n' : undefined }, cell(row[n])))))));
  return { rows: count(answer.rows.length, 'row', 'rows'), isAll: !answer.more && !answer.cut, subject: 'query', parameters: { sql, at: at() }, command: command('query', [sql], { at: at() }) };
}

const measures = { changes: ['Entities', number], bytes: ['Bytes', size], commits: ['Commits', number] };

/** Who commits: names, their places, and their tables, as large as what they change. */
export async function showWho(main, signal) {
  const { by = 'changes', last = '20000' } = place().parameters;
  const question = { last: last === 'all' ? 1e9 : last, at: at() };
  const result = h('section', { 'aria-label': 'Who commits' }, h('p', { class: 'wait' }, 'Counting …'));
  const choose = (name, chosen, choices) => h('div', { class: 'choice', role: 'group', 'aria-label': name }, h('span', {}, name),
    choices.map(([id, label]) => h('a', {
      class: 'button', 'aria-current': String(id === chosen),
      href: link(['who'], { by, last, [name === 'Sized by' ? 'by' : 'last']: id }),
    }, label)));
  fill(main, h('div', { class: 'bar' },
    choose('Sized by', by, Object.entries(measures).map(([id, [label]]) => [id, label])),
    choose('Of the last', last, [['1000', '1,000'], ['20000', '20,000'], ['all', 'all']])), result);
  const answer = await ask('who', question, signal);
  const [, format] = measures[by] ?? measures.changes;
  const total = answer.rows.reduce((sum, r) => sum + r[by], 0) || 1;
  const tree = new Map();
  for (const row of answer.rows) {
    let parts = tree;
    for (const step of [row.commit, row.place, row.table, row.user].map(text)) {
      if (!parts.has(step)) parts.set(step, { sum: 0, parts: new Map() });
      parts.get(step).sum += row[by];
      parts = parts.get(step).parts;
    }
  }
  let color = 0, small = 0;
  // Those that are too small for a bar have one together.
  const nodes = (level, map, path) => {
    const parts = [...map].sort((x, y) => y[1].sum - x[1].sum), isSmall = ([, part]) => part.sum / total < 0.004;
    const rest = parts.filter(isSmall), sum = rest.reduce((sum, [, part]) => sum + part.sum, 0);
    const shown = parts.filter(p => !isSmall(p)).map(([name, part]) => node(level, name, part, path));
    small += rest.length;
    if (sum / total >= 0.004) {
      shown.push(h('li', { class: 'rest' }, h('span', { class: 'leaf' }, label(`${number(rest.length)} more`, sum))));
      shown.at(-1).style.flexGrow = String(sum);
    }
    return shown;
  };
  const label = (name, sum) => [h('span', { class: 'names' }, name),
    h('span', { class: 'amount' }, `${format(sum)} · ${Math.round(sum / total * 1000) / 10} %`)];
  const node = (level, name, part, path) => {
    const own = level === 0 ? color++ % 8 : undefined;
    const href = level === 0 ? link(['log'], { name: name || undefined, at: undefined })
      : level === 2 ? link(['log'], { name: path[0] || undefined, table: name, at: undefined })
      : level === 3 && name ? link(['log'], { name: path[0] || undefined, table: path[2], user: name, at: undefined }) : undefined;
    const none = level === 3 ? 'no user' : 'no name';
    const shown = label(name ? plain(name) : none, part.sum);
    const box = h('li', {}, href ? h('a', { class: 'leaf', href, title: `${name || none}: ${format(part.sum)}` }, shown)
      : h('span', { class: 'leaf', title: name }, shown),
    part.parts.size > 0 && h('ul', {}, nodes(level + 1, part.parts, [...path, name])));
    box.style.flexGrow = String(part.sum);
    if (own !== undefined) box.className = 'tone' + own;
    return box;
  };
  const boxes = nodes(0, tree, []);
  const icicle = h('ul', { class: 'icicle', 'aria-label': 'Commit, place, table and user' }, boxes);
  icicle.style.minHeight = `${Math.min(900, Math.max(200, boxes.length * 44))}px`;
  fill(result,
    h('p', { class: 'faint' }, `${count(answer.deltas, 'commit', 'commits')}, revisions ${number(answer.after + 1)} to ${number(answer.through)}`,
      answer.isOfMoreNames && '; there are more names than are listed',
      small > 0 && `; ${count(small, 'share', 'shares')} below 0.4 % only in the table`),
    answer.rows.length ? [h('div', { class: 'icicle-heads', 'aria-hidden': true }, h('span', {}, 'Commit'), h('span', {}, 'Place'), h('span', {}, 'Table'), h('span', {}, 'User')), icicle,
      h('details', {}, h('summary', {}, 'As a table'),
        grid('Who commits', [th('Commit'), th('Place'), th('Table'), th('User'), th('Commits', 'n'), th('Entities', 'n'), th('Bytes', 'n')],
          answer.rows.slice(0, 200).map(r => h('tr', {}, h('td', {}, title(text(r.commit))), h('td', {}, cell(r.place)), h('td', {}, cell(r.table)), h('td', {}, r.user === null ? '' : cell(r.user)),
            h('td', { class: 'n' }, number(r.commits)), h('td', { class: 'n' }, number(r.changes)), h('td', { class: 'n' }, number(r.bytes))))))]
      : h('p', { class: 'faint' }, 'There are no commits here.'));
  return { rows: count(answer.rows.length, 'row', 'rows'), isAll: !answer.isOfMoreNames && !answer.cut, subject: 'who', parameters: question, command: command('stats', [], { until: at() }) };
}
