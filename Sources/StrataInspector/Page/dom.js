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
    else element.setAttribute(name, value === true ? '' : value);
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

/** Replaces what is in an element. */
export function fill(element, ...children) {
  element.textContent = '';
  add(element, children);
}

// Characters that are invisible, or that change how others are shown.
const hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

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

/** A value in a cell of a table: its beginning. */
export function cell(value) {
  if (value === undefined || value === null) return '';
  const whole = text(value);
  return plain(whole.length > 160 ? whole.slice(0, 160) + '…' : whole, 'v-' + kindOf(value));
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
    plainLines(whole.slice(0, end), 'v-' + kind),
    end < whole.length && h('button', {
      type: 'button', class: 'link', onclick: () => show(whole.length),
    }, ` … ${count(whole.length - end, 'character', 'characters')} more`),
    isCut(v) && h('span', { class: 'faint' }, ` ${size(v.$bytes)} in all; strata show prints it`),
  );
  show(limit);
  return box;
}

/** JSON on several lines, whose line breaks stay. */
function plainLines(whole, kind) {
  const box = h('span', { class: 'lines ' + kind });
  whole.split('\n').forEach((line, index) => {
    if (index) box.append('\n');
    box.append(plain(line));
  });
  return box;
}

/** What two values do not have in common. */
export function change(from, to) {
  if (typeof from === 'string' && typeof to === 'string' && from.length + to.length > 40) {
    let start = 0;
    while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
    let end = 0;
    while (end < from.length - start && end < to.length - start
      && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1;
    if (start + end > 8) {
      const part = (s, tag, name) => {
        const before = s.slice(Math.max(0, start - 40), start);
        const after = s.slice(s.length - end, s.length - end + 40);
        const middle = s.slice(start, s.length - end);
        return h(tag, { class: 'block' }, h('span', { class: 'hidden' }, name),
          start > 40 && '…', plain(before, 'same'),
          middle && h('mark', {}, plain(middle.slice(0, 400)), middle.length > 400 && '…'),
          plain(after, 'same'), end > 40 && '…');
      };
      return [part(from, 'del', 'before: '), part(to, 'ins', 'after: ')];
    }
  }
  return [
    from !== undefined && h('del', {}, h('span', { class: 'hidden' }, 'before: '), value(from)),
    from !== undefined && to !== undefined && h('span', { class: 'arrow', 'aria-hidden': true }, ' → '),
    to !== undefined && h('ins', {}, h('span', { class: 'hidden' }, 'after: '), value(to)),
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

/** `2026-02-01 09:10:00`, and the exact time as a hint. */
export function time(iso) {
  if (!iso) return '';
  return h('time', { datetime: iso, title: iso }, iso.slice(0, 19).replace('T', ' '));
}

export const icon = name => h('span', { class: 'icon', 'aria-hidden': true }, name);

/** A table that scrolls sideways on its own. */
export function grid(label, titles, rows) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    h('table', {}, h('thead', {}, h('tr', {}, titles)), h('tbody', {}, rows)));
}

export const th = (title, kind) => h('th', { scope: 'col', class: kind }, title);

export function say(message) { document.getElementById('said').textContent = message; }
