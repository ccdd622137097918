// The log, what a commit changed, and how two revisions differ.
import { h, fill, plain, number, count, size, time, text, change, icon, say, idText } from './dom.js';
import { ask, store, place, link, entityLink, isValue, move, at, command } from './data.js';
import { current, go, head, note } from './strip.js';

/** The commit: its name, or that it has none. */
export const title = name => name ? plain(name, 'name') : h('span', { class: 'faint' }, 'no name');

/** `cron, request r-7`: who wanted a commit. */
export function who(contexts) {
  if (!Array.isArray(contexts)) return undefined;
  return contexts.map(context => {
    const parts = [];
    if (context.user) parts.push(['by', h('a', { href: link(['log'], { user: context.user, at: undefined }), title: 'The commits of this user' }, plain(context.user))]);
    if (context.request) parts.push(['request', context.request]);
    if (context.trace) parts.push(['trace', context.trace]);
    if (context.call) parts.push(['call', `${context.call.name}(${context.call.arguments ?? ''})`]);
    for (const [name, v] of Object.entries(context.fields ?? {})) parts.push([name, v]);
    return h('span', { class: 'context' }, parts.map(([name, v]) =>
      h('span', {}, h('span', { class: 'faint' }, name + ' '), v instanceof Node ? v : plain(text(v)))));
  });
}

/** The users of a commit in a row of the log. */
const users = row => [...new Set((row.context ?? []).map(c => c.user).filter(Boolean))]
  .map(user => h('span', { class: 'user' }, ' ', plain(user)));

/** Which tables a commit changed: `issues +2 −1`. */
function tables(row) {
  if (!Array.isArray(row.changes)) return h('span', { class: 'faint' }, count(row.entities, 'entity', 'entities'));
  return row.changes.map(t => h('span', { class: 'chip' }, plain(t.table), ' ',
    t.put > 0 && h('b', { class: 'put', title: 'put' }, number(t.put)),
    t.removed > 0 && h('b', { class: 'gone', title: 'removed' }, '−' + number(t.removed)),
    t.notPersisted > 0 && h('b', { class: 'gone' }, number(t.notPersisted) + ' not persisted')));
}

const revisions = row => row.first < row.revision ? `${row.first}…${row.revision}` : `${row.revision}`;

function item(row) {
  return h('li', { 'data-revision': row.revision },
    h('a', { href: link(['log'], { ...filters(), at: row.revision }) },
      h('span', { class: 'rev' }, revisions(row)),
      h('span', { class: 'what' }, h('span', { class: 'line' }, title(text(row.commit)), users(row)), h('span', { class: 'where' }, plain(text(row.place)))),
      h('span', { class: 'tables' }, tables(row)),
      h('span', { class: 'when' }, time(row.time))));
}

const names = ['name', 'table', 'id', 'user'];

function filters() {
  const { parameters } = place();
  return Object.fromEntries(names.map(n => [n, parameters[n]]));
}

let list, pane, listed, next, key, newest, request;

/** The log with the selected commit beside it. */
export async function showLog(main, signal) {
  const wanted = JSON.stringify(filters());
  if (!list?.isConnected || key !== wanted) {
    key = wanted;
    list = h('ol', { class: 'commits', 'aria-label': 'Commits, the last first' });
    pane = h('section', { class: 'pane', 'aria-label': 'The selected commit' });
    fill(main, bar(), h('div', { class: 'split' },
      h('div', { class: 'list', id: 'list', tabindex: -1 }, list, h('div', { class: 'more', id: 'more' })), pane));
    document.getElementById('list').addEventListener('scroll', scrolled, { passive: true });
    await load(signal);
  } else if (at() !== undefined && !find(current())) {
    await load(signal);
  }
  await select(signal);
  return twin();
}

/** The list as a command and as data. */
export function twin() {
  const chosen = filters(), options = {};
  for (const name of ['name', 'user']) options[name] = chosen[name];
  if (chosen.table && chosen.id) options.entity = `${chosen.table}/${chosen.id}`;
  else options.table = chosen.table;
  const revision = current(), rows = at() ? listed.filter(r => r.revision <= revision) : listed;
  const most = Math.min(200, rows.length);
  return {
    subject: 'log', parameters: { ...chosen, before: at() && revision + 1, limit: most || 1 },
    title: at() === undefined ? 'Log' : `Revision ${at()}`,
    rows: count(most, 'commit', 'commits'), isAll: next === undefined && most === rows.length && at() === undefined,
    command: at() === undefined ? command('log', [], options)
      : command('diff', [`${shown?.from ?? revision - 1}..${shown?.to ?? revision}`]),
  };
}

function bar() {
  const chosen = filters();
  const input = (name, label, extra) => h('label', {}, h('span', {}, label),
    h('input', { name, value: chosen[name] ?? '', spellcheck: 'false', autocomplete: 'off', ...extra }));
  return h('form', {
    class: 'bar', role: 'search', 'aria-label': 'Filter the log',
    onsubmit: event => {
      event.preventDefault();
      const data = new FormData(event.target);
      move({ ...Object.fromEntries(names.map(n => [n, data.get(n)?.trim() || undefined])), at: undefined });
    },
  },
  input('name', 'Commit'),
  h('label', {}, h('span', {}, 'Table'), h('select', {
    name: 'table', onchange: event => event.target.form.requestSubmit(),
  }, h('option', { value: '' }, 'all'), options(chosen.table))),
  input('id', 'ID'), input('user', 'User'),
  h('button', { type: 'submit' }, 'Filter'),
  names.some(n => chosen[n]) && h('a', { class: 'button', href: link(['log'], Object.fromEntries(names.map(n => [n, undefined]))) }, 'All'));
}

export const options = chosen =>
  [...store.tables, ...store.values.map(v => 'value:' + v)].map(name =>
    h('option', { value: name, selected: name === chosen }, name));

async function load(signal) {
  const revision = current();
  const isAtHead = at() === undefined || head() - revision < 20;
  fill(list, h('li', { class: 'wait' }, 'Reading …'));
  const answer = await ask('log', { ...filters(), before: isAtHead ? undefined : revision + 20, limit: 60 }, signal);
  listed = answer.rows;
  next = answer.next;
  newest = isAtHead;
  paint();
}

function paint() {
  fill(list, !newest && h('li', { class: 'later' }, h('button', {
    type: 'button', onclick: () => { listed = undefined; key = ''; go(head(), false); },
  }, 'Later commits')), listed.map(item));
  more();
}

function more() {
  fill(document.getElementById('more'),
    next !== undefined && h('button', { type: 'button', onclick: earlier },
      Object.values(filters()).some(Boolean) ? `Search before revision ${next}` : 'Earlier commits'),
    next !== undefined && !listed.length && h('p', { class: 'faint' }, `No commit from revision ${next} on matches.`),
    next === undefined && h('p', { class: 'faint' }, listed.length
      ? store.first > 1 ? `The journal starts at revision ${store.first}: earlier ones were trimmed.` : 'The journal starts here.'
      : 'No commit matches.'));
}

async function earlier() {
  if (request) return;
  request = ask('log', { ...filters(), before: next, limit: 60 });
  try {
    const answer = await request;
    listed = listed.concat(answer.rows);
    next = answer.next;
    list.append(...answer.rows.map(item));
    more();
    mark();
  } finally { request = undefined; }
}

function scrolled(event) {
  const box = event.target;
  if (box.scrollHeight - box.scrollTop - box.clientHeight < 200 && next !== undefined
    && !Object.values(filters()).some(Boolean)) earlier();
}

const find = revision => listed?.find(r => r.first <= revision && revision <= r.revision);

function mark() {
  const row = shown && find(shown.to);
  for (const child of list.children) {
    const isChosen = row && child.dataset.revision === String(row.revision);
    child.classList.toggle('chosen', Boolean(isChosen));
    const anchor = child.querySelector('a');
    if (!anchor) continue;
    if (isChosen) anchor.setAttribute('aria-current', 'true');
    else anchor.removeAttribute('aria-current');
    if (isChosen && at() !== undefined) {
      // Only the list scrolls, not the page around it.
      const box = document.getElementById('list');
      const [top, end] = [child.offsetTop - box.offsetTop, child.offsetTop - box.offsetTop + child.offsetHeight];
      if (top < box.scrollTop || end > box.scrollTop + box.clientHeight) box.scrollTop = top - 60;
    }
  }
}

let shown;

/** Shows the last commit soon after it came, unless somebody reads the one that is shown. */
let following;
function follow() {
  following ??= setTimeout(() => {
    following = undefined;
    if (!pane?.isConnected || at() !== undefined || !listed?.length || shown?.to === listed[0].revision) return;
    const isRead = pane.scrollTop > 0 || pane.matches(':hover, :focus-within') || pane.contains(getSelection().focusNode);
    if (isRead) offer(); else select().catch(offer);
  }, 400);
}

function offer() {
  const button = pane.querySelector('.newer') ?? h('button', { type: 'button', class: 'newer', onclick: () => { pane.scrollTop = 0; select(); } });
  button.textContent = `Revision ${listed[0].revision} is newer: show it`;
  pane.prepend(button);
}

async function select(signal) {
  const revision = at() === undefined ? listed[0]?.revision : current();
  if (!revision) {
    shown = undefined;
    mark();
    fill(pane, h('p', { class: 'faint' }, head() === 0
      ? 'The store has no commits yet.'
      : 'This is the state before the first commit.'));
    return;
  }
  if (shown?.to !== revision || !pane.firstChild) {
    const before = shown, wanted = { from: revision - 1, to: revision };
    shown = wanted;
    mark();
    pane.setAttribute('aria-busy', 'true');
    let answer;
    try { answer = await ask('commit', { rev: at() ?? revision }, signal); } catch (error) {
      if (shown === wanted) shown = before;
      throw error;
    } finally { pane.removeAttribute('aria-busy'); }
    // Somebody has chosen another one meanwhile.
    if (!signal && at() !== undefined) return;
    shown = answer;
    note(answer.to);
    fill(pane, commit(answer));
  }
  mark();
}

function commit(answer) {
  const { commit: c } = answer;
  const merged = c.first < c.revision;
  return [
    h('h2', {}, h('span', { class: 'rev' }, merged ? `${c.first}…${c.revision}` : c.revision), ' ', title(c.name)),
    h('dl', { class: 'facts' },
      c.place && [h('dt', {}, 'Place'), h('dd', {}, plain(c.place, 'place'))],
      h('dt', {}, 'Time'), h('dd', {}, time(c.time)),
      c.contexts && [h('dt', {}, 'Who'), h('dd', {}, who(c.contexts))],
      h('dt', {}, 'Size'), h('dd', {}, `${count(answer.entities, 'entity', 'entities')}, ${size(answer.bytes)}`)),
    merged && h('p', { class: 'faint' }, `${c.revision - c.first + 1} commits in one, merged after a disk error.`),
    answer.note && h('p', { class: 'note' }, answer.note),
    changes(answer),
  ];
}

/** What differs: an article for each entity, with a row for each field. */
export function changes(answer) {
  const groups = [];
  for (const row of answer.rows) {
    const id = text(row.id);
    const last = groups.at(-1);
    if (last && last.table === row.table && last.key === id && last.change === row.change) last.rows.push(row);
    else groups.push({ table: row.table, key: id, id: row.id, change: row.change, rows: [row] });
  }
  const signs = { added: '+', removed: '−', changed: '~' };
  return [
    answer.tables && !answer.note && h('p', { class: 'sums' }, answer.tables.length === 0 ? 'Nothing differs.'
      : answer.tables.map(t => h('span', { class: 'chip' }, plain(t.table), ' ',
        t.added > 0 && h('b', { class: 'put', title: 'added' }, '+' + number(t.added)),
        t.changed > 0 && h('b', { class: 'edit', title: 'changed' }, '~' + number(t.changed)),
        t.removed > 0 && h('b', { class: 'gone', title: 'removed' }, '−' + number(t.removed))))),
    groups.map(group => h('article', { class: 'entity ' + group.change },
      h('h3', {}, icon(signs[group.change]), h('span', { class: 'hidden' }, group.change + ' '),
        h('a', {
          href: entityLink(group.table, group.key,
            { at: group.change === 'removed' ? answer.from : answer.to >= head() ? undefined : answer.to }),
        }, plain(group.table, 'faint'), ' ', !isValue(group.table) && plain(idText(group.key), 'id'))),
      h('dl', { class: 'fields' }, group.rows
        .filter(r => group.change === 'changed' || r.field !== 'id')
        .map(r => [h('dt', {}, plain(text(r.field))), h('dd', {}, change(
          r.from, r.to, group.change === 'changed' && 'cleared'))])))),
    answer.unlisted > 0 && h('p', { class: 'faint' }, `${count(answer.unlisted, 'entity is', 'entities are')} not listed.`),
    answer.cut && h('p', { class: 'faint' }, 'Long values are cut.'),
  ];
}

/** New commits: they go on top while the list shows its top, and are announced otherwise. */
export function receive(event) {
  const box = document.getElementById('list');
  const isOnTop = box && newest && box.scrollTop < 40 && at() === undefined
    && !Object.values(filters()).some(Boolean) && place().view === 'log';
  if (!isOnTop || !listed) return false;
  const fresh = event.rows.filter(r => !listed.length || r.revision > listed[0].revision);
  // After a connection was lost, its first event names no commits.
  if (!fresh.length && event.revision > (listed[0]?.revision ?? 0)) load().then(follow);
  if (!fresh.length) return true;
  follow();
  const isGap = listed.length && fresh.at(-1).first > listed[0].revision + 1;
  const items = fresh.map(item);
  if (isGap) {
    listed = fresh;
    next = fresh.at(-1).first;
    fill(list, items);
    more();
  } else {
    listed = fresh.concat(listed);
    list.prepend(...items);
    while (listed.length > 200) {
      listed.pop();
      list.lastElementChild.remove();
      next = listed.at(-1).first;
    }
  }
  for (const element of items) element.classList.add('fresh');
  return true;
}

/** Compares the pins, or any two revisions. */
export async function showDiff(main, signal) {
  const { a, b, table } = place().parameters;
  const from = a ?? 'HEAD~1', to = b ?? 'HEAD';
  const result = h('section', { class: 'pane wide', 'aria-label': 'What differs' }, h('p', { class: 'wait' }, 'Reading …'));
  fill(main, h('form', {
    class: 'bar', 'aria-label': 'Revisions to compare',
    onsubmit: event => {
      event.preventDefault();
      const data = new FormData(event.target);
      move({ a: data.get('a'), b: data.get('b'), table: data.get('table') });
    },
  },
  h('label', {}, h('span', {}, 'From A'), h('input', { name: 'a', value: from, spellcheck: 'false' })),
  h('label', {}, h('span', {}, 'To B'), h('input', { name: 'b', value: to, spellcheck: 'false' })),
  h('label', {}, h('span', {}, 'Table'), h('select', { name: 'table' }, h('option', { value: '' }, 'all'), options(table))),
  h('button', { type: 'submit' }, 'Compare'),
  h('p', { class: 'hint' }, 'A revision is 42, HEAD~3, @yesterday, @2026-11-01T12:00 (UTC) or snap:NAME.')), result);
  const answer = await ask('diff', { a: from, b: to, table }, signal);
  fill(result, h('h2', {}, `Revision ${answer.from} → ${answer.to}`), changes(answer));
  say(`${count(answer.rows.length, 'field differs', 'fields differ')}`);
  return {
    title: `${from} … ${to}`, rows: count(answer.rows.length, 'field', 'fields'), isAll: !answer.unlisted && !answer.cut,
    subject: 'diff', parameters: { a: from, b: to, table }, command: command('diff', [`${from}..${to}`, table || undefined]),
  };
}
