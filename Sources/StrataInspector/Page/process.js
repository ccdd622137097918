// The process that has the store open: its writer, and who follows the store.
import { h, fill, plain, text, number, count, time, grid, th } from './dom.js';
import { ask, link } from './data.js';

/** How often it is asked while it is shown. */
const pause = 1000;

/** How far the commits have come: from memory to the disk and the archive. */
function way(revisions) {
  const { committed, written, durable, replicated } = revisions;
  const place = (name, meaning, revision) => h('li', {}, h('span', { class: 'where' }, name),
    h('span', { class: 'rev' }, number(revision)),
    h('span', { class: 'faint' }, revision === committed ? meaning : `${count(committed - revision, 'commit', 'commits')} behind`));
  return h('ol', { class: 'way', 'aria-label': 'How far the commits have come' },
    place('In memory', 'the last commit', committed),
    place('In the file', 'survives the end of the process', written),
    place('On disk', 'survives a power cut', durable),
    replicated !== undefined && place('In the archive', 'survives the machine', replicated));
}

function writer(writer) {
  const { queue } = writer;
  const failure = writer.lastFailure;
  return [
    h('p', { class: writer.isHealthy ? 'state healthy' : 'state note' }, plain(writer.condition)),
    way(writer.revisions),
    h('dl', { class: 'facts' },
      h('dt', {}, 'Queue'), h('dd', {}, queue.commits === 0 ? 'Nothing waits for the writer'
        : `${count(queue.commits, 'commit', 'commits')} with ${count(queue.entities, 'entity', 'entities')} wait`,
      ' ', h('meter', { min: 0, max: queue.capacity, value: queue.entities, high: queue.capacity * 0.8, 'aria-label': 'The queue' }),
      ' ', h('span', { class: 'faint' }, `from ${count(queue.capacity, 'entity', 'entities')} on, commits wait`)),
      h('dt', {}, 'Last sync'), h('dd', {}, writer.lastSync ? time(writer.lastSync) : 'none since opening'),
      failure && [h('dt', {}, 'Last failure'), h('dd', {}, time(failure.time), ' ', plain(failure.message))],
      writer.pinnedWAL && [h('dt', {}, 'Reader'), h('dd', {}, plain(writer.pinnedWAL))],
      writer.heldTimes && [h('dt', {}, 'Times'), h('dd', {}, plain(writer.heldTimes))],
      writer.archive && [h('dt', {}, 'Archive'), h('dd', {}, plain(writer.archive))]),
    writer.notPersisted.length > 0 && [h('h3', {}, 'Only in memory'), h('ul', { class: 'note' }, writer.notPersisted.map(e => h('li', {},
      h('a', { href: link(['entity', e.table, e.table.startsWith('value:') ? 'value' : e.id]) }, plain(e.table), ' ', plain(e.id, 'id')),
      ' ', plain(e.reason))), writer.moreNotPersisted > 0 && h('li', {}, `and ${number(writer.moreNotPersisted)} more`))],
  ];
}

const amount = (label, n) => h('td', { class: 'n', 'data-label': label }, n || label === 'subscribers' ? number(n) : '');

function subscribers(rows) {
  const sum = rows.reduce((sum, row) => sum + row.subscribers, 0);
  const derived = rows.filter(row => row.kind === 'derived').reduce((sum, row) => sum + row.values, 0);
  return [
    h('h3', {}, 'Subscribers ', h('span', { class: 'faint' }, `${number(sum)}, and ${count(derived, 'derived value', 'derived values')} followed`)),
    grid('Subscribers', [th('Of'), th('Type'), th('Subscribers', 'n'), th('Values', 'n'), th('Feeds', 'n')],
      rows.map(row => h('tr', {},
        h('th', { scope: 'row' }, row.kind === 'derived' ? plain(text(row.source), 'place') : row.source),
        h('td', { class: 'type' }, plain(text(row.type), 'place')),
        amount('subscribers', row.subscribers), amount('values', row.kind === 'derived' && row.values),
        amount('feeds', row.dependents))), 'stack'),
    h('p', { class: 'faint' }, 'Derived values of one source and type are one row; “feeds” are the ones computed from them. A derived value without subscribers is not listed: the store does not hold it.'),
  ];
}

export async function showProcess(main, signal) {
  let shown;
  const paint = answer => {
    const all = JSON.stringify(answer);
    // What is selected and scrolled stays while nothing changes.
    if (all === shown) return;
    shown = all;
    const scrolled = main.querySelector('.scroll')?.scrollLeft ?? 0;
    fill(main,
      h('h2', {}, plain(answer.process), ' ', h('span', { class: 'faint' }, `process ${answer.id}`)),
      answer.writer ? [h('h3', {}, 'Writer'), writer(answer.writer)]
        : h('p', { class: 'note' }, 'The program has released its persistence. The other views show the file.'),
      answer.store ? [h('h3', {}, 'Store ', plain(answer.store.name)),
        h('dl', { class: 'facts' }, h('dt', {}, 'Version'), h('dd', {}, number(answer.store.version), ' ',
          h('span', { class: 'faint' }, 'commits in this process')),
        h('dt', {}, 'Deliveries'), h('dd', {}, answer.store.waiting === 0 ? 'None wait'
          : `${number(answer.store.waiting)} wait behind a subscriber that has not returned${answer.store.isBehind ? ', and committers have waited in vain' : ''}`)),
        subscribers(answer.rows)]
        : h('p', { class: 'note' }, 'The program has released its store.'));
    if (scrolled) main.querySelector('.scroll')?.scrollTo(scrolled, 0);
  };
  paint(await ask('process', {}, signal));
  const again = async () => {
    if (signal.aborted) return;
    try {
      if (!document.hidden) paint(await ask('process', {}, signal));
    } catch (error) {
      if (signal.aborted) return;
      shown = undefined;
      fill(main, h('p', { class: 'note', role: 'alert' }, `The process does not answer: ${error.message}`));
    }
    setTimeout(again, pause);
  };
  setTimeout(again, pause);
  return { subject: 'process', parameters: {}, rows: 'kinds of subscribers', isAll: true };
}
