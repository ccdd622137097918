// The page: which view is shown, the head, and what is new.
import { h, fill, plain, number, count, time, say, focused, refocus } from './dom.js';
import { store, ask, request, isLong, loadStore, take, place, link, at, listen, address, Lost } from './data.js';
import * as strip from './strip.js';
import * as log from './log.js';
import * as entities from './entities.js';
import * as tools from './tools.js';
import { showProcess } from './process.js';

const views = {
  log: ['Log', log.showLog], tables: ['Tables', entities.showTables], table: [null, entities.showTable],
  entity: [null, entities.showEntity], diff: ['Compare', log.showDiff], find: ['Find', entities.showFind],
  sql: ['SQL', tools.showSQL], who: ['Who', tools.showWho], process: ['Process', showProcess],
};
const parents = { table: 'tables', entity: 'tables' };
const element = id => document.getElementById(id);
let running, viewed, unseen = 0, isTroubled = false, isLost = false, heard = new Date();

/** The views with a tab; that of the process only where the page is of one. */
const tabbed = () => Object.entries(views).filter(([id, [name]]) => name && (id !== 'process' || store.hasProcess));

function tabs(view) {
  const own = parents[view] ?? view;
  const box = element('tabs');
  fill(box, tabbed().map(([id, [name]]) =>
    h('a', { href: link([id]), 'aria-current': id === own ? 'page' : undefined }, name)));
  // On a small screen the last ones are beyond its edge.
  const shown = box.querySelector('[aria-current]');
  if (shown) box.scrollLeft = shown.offsetLeft + shown.offsetWidth - box.offsetLeft - box.clientWidth;
}

function banner() {
  const wanted = at();
  const isPast = wanted !== undefined && strip.current() < store.revision || wanted !== undefined && !/^\d+$/.test(wanted);
  const box = element('banner');
  box.hidden = !isPast;
  document.body.classList.toggle('past', isPast);
  if (!isPast) return;
  fill(box, h('strong', {}, `Revision ${/^\d+$/.test(wanted) ? number(wanted) : wanted}`), ' ',
    /^\d+$/.test(wanted) && h('span', {}, `${count(store.revision - strip.current(), 'commit', 'commits')} before the head`), ' ',
    h('button', { type: 'button', onclick: strip.toHead }, 'To the head (h)'));
}

function heading() {
  fill(element('name'), plain(store.name));
  const modes = { live: 'open in a program', atRest: 'at rest', copy: 'left behind' };
  fill(element('mode'), modes[store.mode] ?? '', store.redacted.length > 0 && ` · ${count(store.redacted.length, 'field', 'fields')} replaced`);
  element('mode').className = 'mode ' + store.mode;
  element('mode').title = store.redacted.join(', ');
  fill(element('head'), 'revision ', h('b', {}, number(store.revision)),
    store.heldTimes && h('span', { class: 'note' }, ' ', plain(store.heldTimes)));
}

const entitle = title => { document.title = [title, store.name, 'Strata'].filter(Boolean).join(' · '); };

/** The same as a command and as data. */
function twin(shown) {
  const box = element('twin');
  const copy = line => h('span', { class: 'command' }, h('code', {}, line), h('button', {
    type: 'button', onclick: async event => {
      const button = event.target;
      try { await navigator.clipboard.writeText(line); } catch {
        getSelection().selectAllChildren(button.previousSibling);
        document.execCommand('copy');
      }
      button.textContent = 'Copied';
      say('Copied');
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    },
  }, 'Copy'));
  fill(box, shown?.command && [h('span', { class: 'faint' }, 'This view is'), copy(shown.command)],
    h('span', { class: 'forms' }),
    h('details', { class: 'keys' }, h('summary', {}, 'Keys'), h('dl', {}, [
      ['← →', 'one commit back, on'], ['Home h', 'first revision, head'], ['p', 'play'],
      ['+ −', 'zoom into the time'], ['a b c', 'pin A, pin B, compare'], [`1 … ${tabbed().length}`, 'views'], ['/', 'find'],
    ].map(([key, what]) => [h('dt', {}, key), h('dd', {}, what)]))));
  forms(shown);
}

/** The rows as data, and whether these are all. */
function forms(shown) {
  fill(element('twin').querySelector('.forms'), shown?.subject && [
    shown.rows && h('span', { class: 'faint' }, shown.isAll ? `All ${shown.rows} as` : `These ${shown.rows} as`),
    isLong(shown.parameters)
      ? ['json', 'csv'].map(form => h('button', { type: 'button', class: 'link', onclick: () => save(shown, form) }, form.toUpperCase()))
      : [h('a', { href: address(shown.subject, shown.parameters), target: '_blank' }, 'JSON'),
        h('a', { href: address(shown.subject, shown.parameters, 'csv'), download: `${shown.subject}.csv` }, 'CSV')]]);
}

/** Saves the rows of SQL that is too long for an address. */
async function save({ subject, parameters }, form) {
  const response = await request(subject, parameters, form);
  const href = URL.createObjectURL(await response.blob());
  h('a', { href, download: `${subject}.${form}` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

function trouble(message) {
  const box = element('trouble');
  box.hidden = !message;
  fill(box, message && plain(message));
}

async function show() {
  const { view, steps } = place();
  const [, render] = views[view] ?? views.log;
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  tabs(view);
  strip.draw();
  banner();
  const main = element('main'), had = focused();
  const isOther = viewed !== steps.join('/');
  entitle(views[view]?.[0] ?? steps.slice(1).join(' '));
  viewed = steps.join('/');
  main.className = 'view-' + view;
  main.setAttribute('aria-busy', 'true');
  if (isOther) main.dataset.entity = '';
  try {
    const shown = await render(main, signal);
    if (signal.aborted) return;
    if (!isTroubled) trouble();
    twin(shown);
    if (shown?.title) entitle(shown.title);
  } catch (error) {
    if (signal.aborted || error.name === 'AbortError') return;
    if (isOther) fill(main, h('p', { class: 'faint' }, 'There is nothing to show here.'));
    if (error instanceof Lost) lost(); else trouble(error.message);
    twin();
  } finally {
    if (!signal.aborted) {
      main.removeAttribute('aria-busy');
      strip.draw();
      banner();
      if (!refocus(document.body, had)) main.focus({ preventScroll: true });
    }
  }
}

/** Says that the server has gone, and since when the page is as it is. */
function lost() {
  if (isLost) return;
  isLost = true;
  element('mode').classList.add('lost');
  isTroubled = true;
  fill(element('trouble'), 'The server has ended, or does not answer. The page is as it was at ', time(heard.toISOString()),
    '. Start strata serve again and open the address that it prints.');
  element('trouble').hidden = false;
}

/** Asks whether the server is there, and how the store is. */
const greet = () => ask('store').then(answer => receive({ ...answer, kind: 'head', revision: answer.store.revision, rows: [] }),
  error => { if (error instanceof Lost) lost(); else trouble(error.message); });

function receive(message) {
  if (message.kind === 'lost') { greet(); return; }
  heard = new Date();
  if (message.kind === 'open') heading();
  isLost = false;
  if (message.kind === 'trouble') {
    trouble(message.error);
    isTroubled = true;
  }
  if (message.kind !== 'head') return;
  if (isTroubled) {
    trouble();
    isTroubled = false;
    if (!element('main').querySelector('h2, form, .split')) show();
  }
  const fresh = message.revision - store.revision;
  if (!take(message)) return;
  heading();
  if (fresh <= 0) return;
  if (log.receive(message)) forms(log.twin());
  else {
    unseen += fresh;
    const pill = element('news');
    pill.hidden = false;
    pill.textContent = `${number(unseen)} new`;
    if (unseen === fresh) say(`${unseen} new commits`);
  }
  document.dispatchEvent(new CustomEvent('strata-shown', { detail: message.revision }));
  strip.draw();
  banner();
  strip.refresh();
}

function seen() {
  unseen = 0;
  element('news').hidden = true;
  loadStore().then(heading);
  const main = element('main');
  fill(main);
  if (at() === undefined) show(); else strip.toHead();
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const names = tabbed().map(([id]) => id);
  const actions = {
    ArrowLeft: () => strip.step(-1), ArrowRight: () => strip.step(1), h: strip.toHead, p: strip.play,
    '+': () => strip.zoom(0.5), '-': () => strip.zoom(2),
    Home: () => strip.go(store.oldest ?? 0), End: strip.toHead,
    a: () => strip.pin('a'), b: () => strip.pin('b'), c: () => { location.hash = link(['diff']); },
    '/': () => { location.hash = link(['find']); },
  };
  names.forEach((id, i) => { actions[String(i + 1)] = () => { location.hash = link([id]); }; });
  if (event.target.closest?.('.scroll, .film') && /Arrow|Home|End/.test(event.key)) return;
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

async function start() {
  strip.build(element('time'));
  addEventListener('hashchange', show);
  addEventListener('keydown', keys);
  addEventListener('unhandledrejection', ({ reason }) => { if (reason instanceof Lost) lost(); else if (reason.name !== 'AbortError') trouble(reason.message); });
  element('news').addEventListener('click', seen);
  element('skip').addEventListener('click', event => {
    event.preventDefault();
    element('main').focus();
  });
  try {
    await loadStore();
  } catch (error) {
    trouble(error.message);
    return;
  }
  heading();
  await show();
  document.dispatchEvent(new CustomEvent('strata-ready'));
  performance.mark('ready');
  strip.load().catch(error => receive({ kind: 'trouble', error: error.message }));
  listen(receive);
}

start();
