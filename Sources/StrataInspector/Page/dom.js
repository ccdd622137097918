// Elements and texts. Everything a store holds becomes text here, never markup.

/** A number that JavaScript cannot hold exactly, by its digits. */
export class Digits {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
}

/** An element with properties and children; texts become text nodes. */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else if (name === 'value') element.value = value;
    else if (name === 'checked') element.checked = value;
    else element.setAttribute(name, value === true && !name.startsWith('aria-') ? '' : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) add(element, child);
    else element.append(child);
  }
}

/** What the element that has the focus is called; nothing where none has it. */
export function focused() {
  const { activeElement: e, body } = document;
  return e && e !== body ? name(e) : undefined;
}

const name = e => [e.tagName, e.id, e.name, e.getAttribute('aria-label') ?? e.textContent.slice(0, 80)].join(' ');

/** Gives the focus back to the element of that name, once another one is in its place; false if there is none. */
export function refocus(root, wanted) {
  const { activeElement: e, body } = document;
  if (!wanted || e !== body && e.checkVisibility()) return true;
  const found = [...root.querySelectorAll('a, button, input, select, textarea, summary, [tabindex]')].find(e => name(e) === wanted && e.checkVisibility());
  found?.focus({ preventScroll: true });
  return Boolean(found);
}

/** Replaces what is in an element. */
export function fill(element, ...children) {
  const had = element.contains(document.activeElement) ? focused() : undefined;
  element.textContent = '';
  add(element, children);
  refocus(element, had);
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The start of the character at a place of a text: a character may have many code units. */
export const edge = (text, place) =>
  place >= text.length ? text.length : characters.segment(text).containing(Math.max(0, place)).index;

/** The beginning of a text, which ends between two characters. */
export const cut = (text, most) => text.slice(0, edge(text, most));

// Characters that are invisible, or that change how others are shown.
export const hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

function escaped(character) {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  return [...Array(character.length).keys()]
    .map(i => '\\u' + character.charCodeAt(i).toString(16).padStart(4, '0')).join('');
}

/** A text in which nothing is invisible, isolated from the text around it. */
export function plain(text, kind) {
  const box = h('bdi', { class: kind });
  let end = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > end) box.append(text.slice(end, match.index));
    box.append(h('span', { class: 'escape' }, escaped(match[0])));
    end = match.index + match[0].length;
  }
  if (end < text.length) box.append(text.slice(end));
  return box;
}

/** A value as JSON, with all digits of its numbers. */
export function json(value, indent, level = 0) {
  if (value instanceof Digits) return value.text;
  if (isCut(value)) return value.$cut;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const isArray = Array.isArray(value);
  const parts = isArray
    ? value.map(v => json(v, indent, level + 1))
    : Object.entries(value).map(([k, v]) =>
      JSON.stringify(k) + (indent ? ': ' : ':') + json(v, indent, level + 1));
  const [open, close] = isArray ? '[]' : '{}';
  const inner = parts.join(', ');
  if (!indent || inner.length + level * 2 < 60) {
    return open + (indent ? inner : parts.join(',')) + close;
  }
  const pad = '  '.repeat(level + 1);
  return open + '\n' + parts.map(p => pad + p).join(',\n') + '\n' + '  '.repeat(level) + close;
}

export const isCut = value =>
  value !== null && typeof value === 'object' && typeof value.$cut === 'string' && '$bytes' in value;

/** A value as a person reads it in one line. */
export function text(value) {
  if (value === undefined || value === null) return '';
  if (isCut(value)) return value.$cut;
  return typeof value === 'string' ? value : json(value);
}

const kindOf = value =>
  value instanceof Digits ? 'number' : value === null ? 'null'
  : isCut(value) ? 'string' : Array.isArray(value) ? 'parts'
  : typeof value === 'object' ? 'parts' : typeof value;

/** The columns that have numbers alone, which stand on the right. */
export const numeric = (columns, rows) => new Set(columns.filter(name => {
  const kinds = new Set(rows.map(row => row[name]).filter(v => v !== null && v !== undefined).map(kindOf));
  return kinds.size === 1 && kinds.has('number');
}));

/** A value in a cell of a table: its beginning. */
export function cell(value) {
  if (value === undefined) return '';
  const whole = value === null ? 'null' : value === '' ? '""' : text(value);
  return plain(whole.length > 160 ? cut(whole, 160) + '…' : whole, 'v-' + (value === '' ? 'null' : kindOf(value)));
}

/** A whole value; of a long one the beginning, and a button for the rest. */
export function value(v) {
  if (v === undefined) return h('span', { class: 'faint' }, 'absent');
  const kind = kindOf(v);
  let whole = isCut(v) ? v.$cut
    : typeof v === 'string' ? JSON.stringify(v) : json(v, true);
  const box = h('span', { class: 'value' });
  const limit = 600;
  const show = end => fill(
    box,
    plainLines(cut(whole, end), 'v-' + kind),
    end < whole.length && h('button', {
      type: 'button', class: 'link', onclick: () => show(whole.length),
    }, ` … ${count(whole.length - end, 'character', 'characters')} more`),
    isCut(v) && h('span', { class: 'faint' }, ` ${size(v.$bytes)} in all; strata show prints it`),
  );
  show(limit);
  return box;
}

/** An ID, of which an empty one can be seen. */
export const idText = id => id === '' ? '""' : id;

/** A text on several lines, whose line breaks stay. */
function plainLines(whole, kind = '', sign = '') {
  const box = h('span', { class: 'lines ' + kind });
  whole.split('\n').forEach((line, index) => {
    if (index) box.append(sign + '\n');
    box.append(plain(line));
  });
  return box;
}

/** How a list becomes another: runs that stay (` `), go (`-`) and come (`+`), by their longest common part. */
function steps(from, to) {
  let start = 0, end = 0;
  while (start < from.length && from[start] === to[start]) start += 1;
  while (end < Math.min(from.length, to.length) - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  const a = from.slice(start, from.length - end), b = to.slice(start, to.length - end);
  const runs = [], add = (sign, item) => runs.at(-1)?.[0] === sign ? runs.at(-1)[1].push(item) : runs.push([sign, [item]]);
  for (const item of from.slice(0, start)) add(' ', item);
  // Of what is too long, nothing is common.
  const isLong = a.length * b.length > 400_000, width = b.length + 1;
  const common = new Uint16Array(isLong ? 0 : (a.length + 1) * width);
  for (let i = a.length - 1; i >= 0 && !isLong; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      common[at] = a[i] === b[j] ? common[at + width + 1] + 1 : Math.max(common[at + width], common[at + 1]);
    }
  }
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const at = i * width + j;
    if (!isLong && i < a.length && a[i] === b[j]) { add(' ', a[i]); i += 1; j += 1; }
    else if (j === b.length || i < a.length && (isLong || common[at + width] >= common[at + 1])) { add('-', a[i]); i += 1; }
    else { add('+', b[j]); j += 1; }
  }
  for (const item of from.slice(from.length - end)) add(' ', item);
  return runs;
}

const words = new Intl.Segmenter('en', { granularity: 'word' });

/** Joins changes between which only white space stays. */
function joined(parts) {
  const result = [];
  let gone = '', come = '';
  const end = () => {
    if (gone) result.push(['-', gone]);
    if (come) result.push(['+', come]);
    gone = come = '';
  };
  parts.forEach(([sign, part], i) => {
    if (sign === ' ' && (part.trim() || !gone.trim() || !come.trim() || i === parts.length - 1)) {
      end();
      return result.push([sign, part]);
    }
    if (sign !== '+') gone += part;
    if (sign !== '-') come += part;
  });
  end();
  return result;
}

/** How a text becomes another: by lines, and by words in the lines that were replaced. */
function textSteps(from, to) {
  const lines = s => s.split(/(?<=\n)|(?=\n)/);
  const split = s => [...words.segment(s)].map(w => w.segment);
  const join = runs => runs.map(([sign, parts]) => [sign, parts.join('')]);
  const runs = join(steps(lines(from), lines(to)));
  return runs.flatMap((run, i) => {
    if (run[0] === '+' && runs[i - 1]?.[0] === '-') return [];
    if (run[0] !== '-' || runs[i + 1]?.[0] !== '+') return [run];
    const parts = join(steps(split(run[1]), split(runs[i + 1][1])));
    const kept = parts.reduce((sum, [sign, part]) => sum + (sign === ' ' ? part.trim().length : 0), 0);
    return kept * 4 > run[1].length ? joined(parts) : [run, runs[i + 1]];
  });
}

const signs = { '-': ['del', 'removed: '], '+': ['ins', 'added: '] };
const run = (sign, ...shown) => signs[sign] ? h(signs[sign][0], {}, h('span', { class: 'hidden' }, signs[sign][1]), shown) : h('span', { class: 'same' }, shown);

/** What two values do not have in common; with a word where there is no second one. */
export function change(from, to, gone) {
  if (typeof from === 'string' && typeof to === 'string' && from.length + to.length > 24) {
    const runs = textSteps(from, to), last = runs.length - 1;
    const shown = runs.map(([sign, part], i) => {
      if (sign !== ' ') return run(sign, plainLines(part.length > 2000 ? cut(part, 2000) + '…' : part, undefined, '↵'));
      const head = i > 0 ? cut(part, 60) : '', tail = i < last ? part.slice(edge(part, part.length - 60)) : '';
      return run(sign, plainLines(part.length < 140 ? part : `${head} … ${tail}`));
    });
    return h('span', { class: 'value difference' }, shown);
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const runs = steps(from.map(v => json(v)), to.map(v => json(v)));
    return h('ol', { class: 'value difference' }, runs.flatMap(([sign, items]) => {
      const few = items.length > 6 && sign === ' ' ? [...items.slice(0, 2), `… ${items.length - 4} more`, ...items.slice(-2)] : items;
      return few.map(item => h('li', {}, run(sign, plain(item.length > 400 ? cut(item, 400) + '…' : item))));
    }));
  }
  return [
    from !== undefined && h('del', {}, h('span', { class: 'hidden' }, 'before: '), value(from)),
    from !== undefined && to !== undefined && h('span', { class: 'arrow', 'aria-hidden': true }, ' → '),
    to !== undefined ? h('ins', {}, h('span', { class: 'hidden' }, 'after: '), value(to))
      : gone && h('span', { class: 'faint' }, ' ', gone),
  ];
}

export const number = n => n === undefined || n === null ? '' : Number(n).toLocaleString('en-US');

export const count = (n, one, many) => `${number(n)} ${Number(n) === 1 ? one : many}`;

export function size(bytes) {
  let n = Number(bytes);
  if (n < 1000) return count(n, 'byte', 'bytes');
  for (const unit of ['kB', 'MB', 'GB']) {
    n /= 1000;
    if (n < 999.95) return `${n.toFixed(1)} ${unit}`;
  }
  return `${(n / 1000).toFixed(1)} TB`;
}

/** `2026-02-01 10:10:00 UTC+1`, the time of this machine, and the exact one as a hint. */
export function time(iso) {
  if (!iso) return '';
  const date = new Date(iso), local = new Date(date - date.getTimezoneOffset() * 60_000);
  const zone = /GMT(?!.0000)(.\d\d)(\d\d)/.exec(date);
  return h('time', { datetime: iso, title: iso }, Number.isNaN(+date) ? iso
    : `${local.toISOString().slice(0, 19).replace('T', ' ')} UTC${zone ? zone[1] + ':' + zone[2] : ''}`);
}

export const icon = name => h('span', { class: 'icon', 'aria-hidden': true }, name);

/** A table that scrolls sideways on its own; one of kind `stack` has its cells below each other on a small screen. */
export function grid(label, titles, rows, kind = '') {
  return h('div', { class: 'scroll ' + kind, tabindex: 0, role: 'region', 'aria-label': label },
    h('table', {}, h('thead', {}, h('tr', {}, titles)), h('tbody', {}, rows)));
}

export const th = (title, kind) => h('th', { scope: 'col', class: kind }, title);

export function say(message) { document.getElementById('said').textContent = message; }
