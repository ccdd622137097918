// The store, as the server answers, and where in it the page is.
import { Digits, text } from './dom.js';

export const base = location.pathname.replace(/[^/]*$/, '');

// Numbers keep their digits: an ID of 64 bits is more than a number of JavaScript holds.
// A value that is not there is no member: null is one that is.
const exact = (key, v, context) =>
  typeof v === 'number' && context?.source !== undefined && String(v) !== context.source
    ? new Digits(context.source) : v;

export function address(subject, parameters, form = 'json') {
  const parts = Object.entries(parameters ?? {})
    .filter(([, v]) => v !== undefined && v !== null && v !== '')
    .map(([k, v]) => `${k}=${encodeURIComponent(v)}`);
  return `${base}api/${subject}.${form}${parts.length ? '?' + parts.join('&') : ''}`;
}

/** The server does not answer. */
export class Lost extends Error {
  constructor() { super('The server does not answer.'); }
}

/** Asks the server; throws what it says is wrong. */
export async function ask(subject, parameters, signal) {
  const response = await fetch(address(subject, parameters), { signal }).catch(error => {
    throw error.name === 'AbortError' ? error : new Lost();
  });
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

const quote = s => /^[\w@%+=:,./~-]+$/.test(s) ? s : `'${String(s).replaceAll("'", `'\\''`)}'`;

/** A command that shows the same. */
export function command(verb, words, options = {}) {
  const parts = ['strata', verb, quote(store.name), ...words.filter(w => w !== undefined && w !== '').map(w => quote(text(w)))];
  for (const [name, v] of Object.entries(options)) {
    if (v === undefined || v === '' || v === false) continue;
    parts.push(v === true ? `--${name}` : `--${name} ${quote(v)}`);
  }
  return parts.join(' ');
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
