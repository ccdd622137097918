// The strip of the commit rate, which is the time slider too.
import { h, fill, number, count, time, icon } from './dom.js';
import { ask, store, place, move, at, link } from './data.js';

let rate;
let canvas, slider, label, tip, playing, shown, drawn;
/** Which part of the commits is shown, from 0 to 1. */
let view = [0, 1];

export const head = () => store.revision;

/** The revision that is shown, as far as it is a number. */
export function current() {
  const wanted = at();
  if (wanted === undefined) return head();
  return /^\d+$/.test(wanted) ? Number(wanted) : shown ?? head();
}

/** Notes the number of a revision such as `@yesterday`. */
export function note(revision) {
  shown = revision;
  draw();
}

export function build(section) {
  canvas = h('canvas', { height: 56, 'aria-hidden': true });
  slider = h('div', {
    class: 'strip', role: 'slider', tabindex: 0, 'aria-label': 'Revision',
    'aria-valuemin': 0, onkeydown: keys, onpointerdown: drag, onpointermove: hover, onpointerleave: () => { tip.hidden = true; },
    onwheel: wheel,
  }, canvas, tip = h('div', { class: 'tip', hidden: true }));
  label = h('div', { class: 'range' });
  const button = (name, symbol, action, id) =>
    h('button', { type: 'button', 'aria-label': name, title: name, onclick: action, id }, icon(symbol));
  fill(section,
    h('div', { class: 'steps', role: 'group', 'aria-label': 'Steps' },
      button('First revision (Home)', '⇤', first),
      button('One commit back (←)', '←', () => step(-1)),
      button('Play (p)', '▶', play, 'play'),
      button('One commit on (→)', '→', () => step(1)),
      button('Head (h)', '⇥', toHead)),
    h('div', { class: 'track' }, slider, label),
    h('div', { class: 'steps zoom', role: 'group', 'aria-label': 'Zoom' },
      button('A shorter time (+)', '+', () => zoom(0.5)), button('A longer time (-)', '−', () => zoom(2))),
    h('div', { class: 'pins', role: 'group', 'aria-label': 'Pins' },
      h('button', { type: 'button', id: 'pin-a', title: 'Pin this revision as A (a)', onclick: () => pin('a') }, 'Pin A'),
      h('button', { type: 'button', id: 'pin-b', title: 'Pin this revision as B (b)', onclick: () => pin('b') }, 'Pin B'),
      h('a', { id: 'compare', class: 'button', href: '#diff' }, 'Compare')));
  new ResizeObserver(draw).observe(slider);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
}

export async function load() {
  rate = await ask('strip');
  rate.starts = rate.rows.map(r => Date.parse(r.start));
  draw();
}

let loading, lastLoad = 0;

/** Loads the rate again soon, at most every two seconds. */
export function refresh() {
  if (loading) return;
  loading = setTimeout(async () => {
    loading = undefined;
    lastLoad = performance.now();
    try { await load(); } catch { /* The next event tries again. */ }
  }, Math.max(0, 2000 - (performance.now() - lastLoad)));
}

function before(index) { return index > 0 ? rate.rows[index - 1].revision : Math.max(0, rate.first - 1); }

/** Where a revision is in the part that is shown, from 0 to 1. */
const position = revision => (fraction(revision) - view[0]) / (view[1] - view[0]);

/** Where a revision is in all of them. */
function fraction(revision) {
  if (!rate?.rows.length) return 1;
  if (revision >= rate.revision) return 1;
  let low = 0, high = rate.rows.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rate.rows[middle].revision >= revision) high = middle; else low = middle + 1;
  }
  const start = before(low), length = rate.rows[low].revision - start;
  const part = length > 0 ? Math.max(0, revision - start) / length : 1;
  return Math.min(1, (low + part) / rate.rows.length);
}

/** Shows a shorter or longer part of the commits around a place. */
export function zoom(factor, around = Math.min(1, Math.max(0, position(current())))) {
  const length = Math.min(1, Math.max(0.01, (view[1] - view[0]) * factor));
  const start = inside(around) - around * length;
  view = [0, length];
  pan(start);
  draw();
}

const inside = place => view[0] + Math.min(1, Math.max(0, place)) * (view[1] - view[0]);

/** Shows another part, which begins at a place of all of them. */
function pan(start) {
  const length = view[1] - view[0], begin = Math.min(1 - length, Math.max(0, start));
  view = [begin, begin + length];
}

/** The wheel zooms, and goes sideways. */
function wheel(event) {
  event.preventDefault();
  if (Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return zoom(event.deltaY < 0 ? 0.8 : 1.25, part(event));
  pan(view[0] + event.deltaX / slider.clientWidth * (view[1] - view[0]));
  draw();
}

/** Where a pointer is on the strip, from 0 to 1. */
function part(pointer) {
  const box = slider.getBoundingClientRect();
  return Math.min(1, Math.max(0, (pointer.clientX - box.left) / box.width));
}

/** Says what is under the pointer. */
function hover(event) {
  if (!rate?.rows.length) return;
  const x = part(event), row = rate.rows[Math.min(rate.rows.length - 1, Math.floor(inside(x) * rate.rows.length))];
  fill(tip, h('b', {}, `Revision ${number(revision(x))}`), time(row.start), count(row.commits, 'commit', 'commits'));
  tip.hidden = false;
  tip.style.left = `${Math.min(x * slider.clientWidth, slider.clientWidth - tip.offsetWidth)}px`;
}

/** The revision at a place of the part that is shown. */
function revision(place) {
  if (!rate?.rows.length) return head();
  const exact = inside(place) * rate.rows.length;
  const index = Math.min(rate.rows.length - 1, Math.floor(exact));
  const start = before(index);
  return Math.max(oldest(), Math.round(start + (exact - index) * (rate.rows[index].revision - start)));
}

const oldest = () => store.oldest ?? 0;

export function draw() {
  if (!canvas) return;
  const width = slider.clientWidth, height = 56, ratio = devicePixelRatio || 1;
  if (!width) return;
  if (canvas.width !== Math.round(width * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = height * ratio;
  }
  const style = getComputedStyle(document.documentElement);
  const color = name => style.getPropertyValue(name).trim();
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.fillStyle = color('--line');
  context.fillRect(0, height - 9, width, 1);
  const now = current(), { a, b } = place().parameters;
  // A step out of the part that is shown takes it along; commits that come at the head do not.
  const isBeyond = position(now) < 0 || position(now) > 1;
  if (now !== drawn && isBeyond && at() !== undefined) pan(fraction(now) - (view[1] - view[0]) / 2);
  drawn = now;
  if (rate?.rows.length) {
    const most = Math.max(...rate.rows.map(r => r.commits));
    const step = width / rate.rows.length / (view[1] - view[0]), left = view[0] * rate.rows.length, bar = Math.max(2, step - (step > 4 ? 1 : 0));
    const end = fraction(now) * rate.rows.length;
    rate.rows.forEach((row, index) => {
      if (!row.commits || index + 1 <= left || (index - left) * step >= width) return;
      const tall = Math.max(3, Math.sqrt(row.commits / most) * (height - 14));
      context.fillStyle = color(index < end ? '--bar' : '--bar-later');
      context.fillRect(Math.min((index - left) * step, width - bar), height - 10 - tall, bar, tall);
    });
    for (const named of store.snapshots ?? []) {
      context.fillStyle = color('--faint');
      context.fillRect(position(named.revision) * (width - 2), height - 8, 2, 6);
    }
  }
  const mark = (revision, name, letter) => {
    const exact = position(revision);
    if (exact < 0 || exact > 1) return;
    const x = Math.min(width - 1, Math.max(1, exact * width));
    context.fillStyle = color(name);
    context.fillRect(x - 1, 0, 2, height - 4);
    context.beginPath();
    if (letter) {
      context.font = '600 11px system-ui';
      const left = x > width - 16 ? x - 13 : x + 1;
      context.fillRect(left, 0, 13, 13);
      context.fillStyle = color('--paper');
      context.fillText(letter, left + 3, 10);
    } else {
      context.arc(x, height - 5, 5, 0, 7);
      context.fill();
    }
  };
  for (const [pin, letter] of [[a, 'A'], [b, 'B']]) {
    if (/^\d+$/.test(pin ?? '')) mark(Number(pin), '--pin', letter);
  }
  mark(now, now < head() ? '--amber' : '--accent');
  slider.setAttribute('aria-valuemax', head());
  slider.setAttribute('aria-valuenow', now);
  slider.setAttribute('aria-valuetext', `revision ${now} of ${head()}`);
  if (rate?.rows.length) {
    const span = rate.microseconds / 1e6;
    const edge = place => new Date((Number(rate.start) + place * (Number(rate.end) - Number(rate.start))) / 1000).toISOString();
    fill(label, time(edge(view[0])), h('span', {}, `${number(rate.commits)} commits, ${duration(span)} a bar`), time(edge(view[1])));
  }
  for (const letter of ['a', 'b']) {
    const pin = place().parameters[letter];
    document.getElementById('pin-' + letter).textContent =
      `Pin ${letter.toUpperCase()}${pin ? ' ' + pin : ''}`;
  }
  document.getElementById('compare').setAttribute('href', link(['diff']));
}

function duration(seconds) {
  for (const [length, name] of [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's'], [0.001, 'ms']]) {
    if (seconds >= length) return `${Math.round(seconds / length * 10) / 10} ${name}`;
  }
  return `${Math.round(seconds * 1e6)} µs`;
}

/** Goes to a revision; the head is no place of its own, so that it follows. */
export function go(revision, isStep = true) {
  move({ at: revision >= head() ? undefined : String(Math.max(oldest(), revision)) }, isStep);
}

export function toHead() { stop(); go(head(), false); }

function first() { stop(); go(oldest()); }

/** One commit back or on; commits that were merged are one step. */
export async function step(direction) {
  const now = current();
  if (direction < 0 ? now <= oldest() : now >= head()) return;
  try {
    const answer = await ask('commit', { rev: direction < 0 ? now : now + 1, plain: 1 });
    go(direction < 0 ? answer.from : answer.to);
  } catch {
    go(now + direction);
  }
}

function stop() {
  clearInterval(playing);
  playing = undefined;
  const button = document.getElementById('play');
  fill(button, icon('▶'));
  button.setAttribute('aria-label', 'Play (p)');
}

export function play() {
  if (playing) return stop();
  const button = document.getElementById('play');
  fill(button, icon('❚❚'));
  button.setAttribute('aria-label', 'Pause (p)');
  if (current() >= head()) go(oldest());
  let isBusy = false;
  playing = setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    await step(1);
    isBusy = false;
    if (current() >= head()) stop();
  }, 400);
}

export function pin(letter) { move({ [letter]: String(current()) }, true); }

let pending;

function drag(event) {
  stop();
  slider.setPointerCapture(event.pointerId);
  const update = pointer => {
    const wanted = revision(part(pointer));
    if (pending !== undefined) { pending = wanted; return; }
    pending = wanted;
    setTimeout(() => {
      const revision = pending;
      pending = undefined;
      go(revision);
    }, 80);
  };
  const end = () => {
    slider.removeEventListener('pointermove', update);
    slider.removeEventListener('pointerup', end);
  };
  slider.addEventListener('pointermove', update);
  slider.addEventListener('pointerup', end);
  update(event);
}

function keys(event) {
  const jump = Math.max(1, Math.round((head() - oldest()) / 50));
  const actions = {
    ArrowLeft: () => step(-1), ArrowDown: () => step(-1), ArrowRight: () => step(1),
    ArrowUp: () => step(1), PageDown: () => go(current() - jump), PageUp: () => go(current() + jump),
    Home: first, End: toHead,
  };
  if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  actions[event.key]();
}
