// The store, as the server answers, and where in it the page is.
import { Digits, text, hidden } from './dom.js';

export const base = location.pathname.replace(/[^/]*$/, '');

// Numbers keep their digits: an ID of 64 bits is more than a number of JavaScript holds.
// A value that is not there is no member: null is one that is.
const exact = (key, v, context) =>
  typeof v === 'number' && context?.source !== undefined && String(v) !== context.source
    ? new Digits(context.source) : v;

export function address(subject, parameters, form = 'json') {
  const parts = Object.entries(parameters ?? {})
    .filter(([k, v]) => v !== undefined && v !== null && (v !== '' || k === 'id'))
    .map(([k, v]) => `${k}=${encodeURIComponent(v)}`);
  return `${base}api/${subject}.${form}${parts.length ? '?' + parts.join('&') : ''}`;
}

/** The server does not answer. */
export class Lost extends Error {
  constructor() { super('The server does not answer.'); }
}

/** Whether SQL is too long for an address: then it is the body of a request. */
export const isLong = parameters => encodeURIComponent(parameters?.sql ?? '').length > 2500;

/** Requests an answer in a form. */
export function request(subject, parameters, form = 'json', signal = undefined) {
  const { sql, ...others } = parameters ?? {};
  const answer = isLong(parameters)
    ? fetch(address(subject, others, form), { method: 'POST', body: sql, headers: { 'content-type': 'application/sql' }, signal })
    : fetch(address(subject, parameters, form), { signal });
  return answer.catch(error => { throw error.name === 'AbortError' ? error : new Lost(); });
}

/** Asks the server; throws what it says is wrong. */
export async function ask(subject, parameters, signal) {
  const response = await request(subject, parameters, 'json', signal);
  const answer = JSON.parse(await response.text(), exact);
  if (!response.ok) throw new Error(answer.error ?? `The server answered ${response.status}.`);
  return answer;
}

/** What is known of the store. */
export const store = { path: '', name: '', revision: 0, tables: [], values: [], redacted: [], snapshots: [] };

/** Takes over what is said of the store; false where the page starts again, as nothing that it shows is of this history. */
export function take(answer) {
  const isOther = store.history !== undefined && answer.history !== store.history;
  if (isOther && answer.store.store !== store.store) location.hash = '';
  if (isOther) location.reload();
  else Object.assign(store, answer.store, { history: answer.history });
  return !isOther;
}

export async function loadStore() {
  const answer = await ask('store');
  take(answer);
  store.redacted = answer.redacted;
  store.hasProcess = answer.hasProcess;
  store.name = store.path.split('/').pop();
  return answer;
}

/** The place of the page: `#table/users?at=41&sort=-name`. */
export function place() {
  const [path, query] = location.hash.slice(1).split('?', 2);
  const steps = (path || 'log').split('/').map(decode);
  const parameters = {};
  for (const part of (query ?? '').split('&')) {
    const [k, v] = part.split('=', 2);
    if (k) parameters[decode(k)] = decode(v ?? '');
  }
  return { view: steps[0], steps, parameters };
}

function decode(s) {
  try { return decodeURIComponent(s); } catch { return s; }
}

/** The address of a place; the revision and the pins stay unless others are given. */
export function link(path, parameters = {}) {
  const { at, a, b } = place().parameters;
  const all = { at, a, b, ...parameters };
  const query = Object.entries(all).filter(([, v]) => v !== undefined && v !== null && v !== '')
    .map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join('&');
  const steps = path.map(step => encodeURIComponent(text(step))).join('/');
  return `#${steps}${query ? '?' + query : ''}`;
}

/** Whether a table holds a persisted value. */
export const isValue = table => table.startsWith('value:');

/** The address of an entity, whose ID may be empty, or of a persisted value, which has none. */
export const entityLink = (table, id, parameters) =>
  link(['entity', table, isValue(table) ? 'value' : id], parameters);

/** Changes parameters of this place. */
export function move(parameters, isStep) {
  const { steps, parameters: old } = place();
  const address = link(steps, { ...old, ...parameters });
  if (address === (location.hash || '#log')) return;
  if (isStep) {
    history.replaceState(null, '', address);
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else location.hash = address;
}

/** The revision that is shown; nothing for the head. */
export const at = () => place().parameters.at || undefined;

/** A text as a word of a shell (sh; bash and zsh where something in it is invisible, which is written as its bytes). */
export function quote(word) {
  const s = String(word), isPlain = /^[\w@%+:,./-][\w@%+=:,./~-]*$/.test(s);
  if (isPlain) return s;
  const unseen = s.replace(/[\n\t]/g, '').search(hidden) >= 0;
  if (!unseen) return `'${s.replaceAll("'", `'\\''`)}'`;
  const bytes = c => [...new TextEncoder().encode(c)].map(b => '\\x' + b.toString(16).padStart(2, '0')).join('');
  return `$'${s.replace(/[\\']/g, '\\$&').replace(hidden, bytes)}'`;
}

/** A command that shows the same. */
export function command(verb, words, options = {}) {
  const start = ['strata', verb, quote(store.name.startsWith('-') ? './' + store.name : store.name)];
  const values = words.filter(w => w !== undefined).map(text);
  const chosen = Object.entries(options).filter(([, v]) => v !== undefined && v !== '' && v !== false)
    .map(([name, v]) => v === true ? `--${name}` : `--${name}${String(v).startsWith('-') ? '=' : ' '}${quote(v)}`);
  // A word that begins with - is taken for an option before --.
  return (values.some(v => v.startsWith('-')) ? [...start, ...chosen, '--', ...values.map(quote)]
    : [...start, ...values.map(quote), ...chosen]).join(' ');
}

/** Listens to new commits: one connection for all tabs, as browsers allow few. */
export function listen(receive) {
  const channel = new BroadcastChannel('strata' + base);
  channel.onmessage = event => receive(event.data);
  const lead = () => new Promise(() => {
    const pass = kind => event => {
      const message = { kind, ...JSON.parse(event.data, exact) };
      channel.postMessage(JSON.parse(JSON.stringify(message)));
      receive(message);
    };
    const state = kind => () => {
      channel.postMessage({ kind });
      receive({ kind });
    };
    const connect = () => {
      const events = new EventSource(base + 'events');
      events.addEventListener('head', pass('head'));
      events.addEventListener('trouble', pass('trouble'));
      events.onopen = state('open');
      events.onerror = () => {
        state('lost')();
        // The browser tries again by itself, but not after a refusal.
        if (events.readyState === EventSource.CLOSED) setTimeout(connect, 3000);
      };
    };
    connect();
  });
  if (navigator.locks) navigator.locks.request('strata' + base, lead);
  else lead();
}
