/**
 * What a forecast's page does in the browser: plain JavaScript over the forecast that the page holds as JSON. It asks for
 * nothing from anywhere, so that the page works from a disk.
 */
export const pageScript = `
'use strict';
const F = JSON.parse(document.getElementById('forecast').textContent);
const $ = (id) => document.getElementById(id);
const el = (tag, props, ...children) => {
  const node = Object.assign(document.createElement(tag), props || {});
  node.append(...children.filter((child) => child !== undefined && child !== ''));
  return node;
};
const span = (s) => {
  if (s < 60) return (Math.round(s * 10) / 10) + 's';
  const t = Math.round(s), h = Math.floor(t / 3600), m = Math.floor(t % 3600 / 60);
  return (h > 0 ? h + 'h' : '') + m + 'm' + t % 60 + 's';
};
const stops = [...new Set([0, ...F.timeline.map((line) => line.t), F.seconds])].sort((a, b) => a - b);
let now = 0, picked = 0;

// A pod's place and state at an instant, from the moments that the forecast tells of.
const stateAt = (pod, t) => {
  if (pod.isNew && t < pod.created) return undefined;
  if (pod.gone !== undefined && t >= pod.gone) return undefined;
  const bound = pod.from !== undefined || (pod.bound !== undefined && t >= pod.bound);
  const node = bound ? pod.from !== undefined ? pod.from : pod.node : undefined;
  if (pod.deleted !== undefined && t >= pod.deleted) return { node, state: 'terminating' };
  if (!bound) return { node, state: 'pending' };
  if (pod.ended !== undefined) return { node, state: 'still' };
  if (pod.notReady !== undefined && t >= pod.notReady && !(pod.readyAgain <= t)) return { node, state: 'notReady' };
  if (pod.from === undefined && (pod.started === undefined || t < pod.started)) return { node, state: 'starting' };
  return { node, state: 'running' };
};

// What never changes is counted once for each node.
const still = new Map();
{
  const told = new Map();
  for (const pod of F.pods) {
    const at = stateAt(pod, Infinity);
    if (at && at.node && !pod.ended) told.set(at.node, (told.get(at.node) || 0) + 1);
  }
  for (const node of F.nodes) still.set(node.node, Math.max(0, node.pods - (node.state === 'removed' ? 0 : told.get(node.node) || 0)));
}
const nodeFacts = new Map();
for (const line of F.timeline) {
  if (!line.object.startsWith('node/')) continue;
  const name = line.object.slice(5);
  if (!nodeFacts.has(name)) nodeFacts.set(name, []);
  nodeFacts.get(name).push(line);
}
const nodeAt = (node, t) => {
  const begin = node.before;
  const it = { here: node.state !== 'added', ready: begin ? begin.isReady : false, cordoned: begin ? begin.isCordoned : false, taints: new Set(begin ? begin.taints : []) };
  for (const { t: at, what, detail } of nodeFacts.get(node.node) || []) {
    if (at > t) break;
    if (what === 'created') it.here = true;
    if (what === 'deleted') it.here = false;
    if (what === 'ready') it.ready = detail === 'True';
    if (what === 'cordoned') it.cordoned = true;
    if (what === 'uncordoned') it.cordoned = false;
    if (what === 'tainted') it.taints.add(detail);
    if (what === 'untainted') it.taints.delete(detail);
  }
  return it;
};

const cells = new Map();
const buildMap = () => {
  const zones = new Map();
  for (const node of F.nodes) {
    const zone = node.zone || 'no zone';
    if (!zones.has(zone)) zones.set(zone, []);
    zones.get(zone).push(node);
  }
  const many = F.nodes.length > 200;
  for (const [zone, nodes] of [...zones].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const box = el('div', { className: many ? 'nodes many' : 'nodes' });
    for (const node of nodes) {
      const cell = el('div', { className: 'node' }, el('b', { textContent: node.node }), el('small'), el('div', { className: 'pods' }));
      cells.set(node.node, cell);
      box.append(cell);
    }
    $('map').append(el('section', { className: 'zone' }, el('h3', { textContent: zone + ' · ' + nodes.length + (nodes.length === 1 ? ' node' : ' nodes') }), box));
  }
};
const drawMap = (t) => {
  const here = new Map();
  let pending = 0;
  for (const pod of F.pods) {
    const at = stateAt(pod, t);
    if (!at) continue;
    if (!at.node) { pending++; continue; }
    if (!here.has(at.node)) here.set(at.node, []);
    here.get(at.node).push({ pod, state: at.state });
  }
  for (const node of F.nodes) {
    const cell = cells.get(node.node), it = nodeAt(node, t), pods = here.get(node.node) || [];
    const quiet = still.get(node.node) || 0;
    cell.className = 'node' + (it.here ? '' : ' absent') + (it.ready ? '' : ' off') + (it.cordoned ? ' cordoned' : '');
    const words = [quiet + pods.length + (quiet + pods.length === 1 ? ' pod' : ' pods'), it.ready ? '' : 'not ready', it.cordoned ? 'cordoned' : '', ...it.taints].filter(Boolean);
    cell.title = node.node + ': ' + words.join(', ');
    cell.children[1].textContent = words.join(', ');
    if (cell.parentElement.classList.contains('many')) {
      const sick = pods.some(({ state }) => state !== 'running');
      cell.style.background = !it.ready ? 'var(--terminating)' : sick ? 'var(--notready)' : pods.length ? 'var(--running)' : '';
      continue;
    }
    const box = cell.children[2];
    box.replaceChildren(...Array.from({ length: Math.min(quiet, 60) }, () => el('i')), ...pods.slice(0, 80).map(({ pod, state }) => el('i', { className: state, title: pod.pod + ': ' + state })));
  }
  $('pending').textContent = pending === 0 ? 'No pod waits for a node.' : pending + (pending === 1 ? ' pod waits' : ' pods wait') + ' for a node.';
};

const chart = (title, columns) => {
  const W = 600, H = 120, xs = F.series.seconds;
  const most = Math.max(1, ...columns.flatMap(({ values }) => values)), least = Math.min(0, ...columns.flatMap(({ values }) => values));
  const x = (s) => F.seconds === 0 ? 0 : s / F.seconds * W, y = (v) => H - 6 - (v - least) / (most - least) * (H - 12);
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 ' + W + ' ' + H);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', title);
  for (const { values, colour } of columns) {
    const path = document.createElementNS(svg.namespaceURI, 'path');
    let d = '';
    values.forEach((value, at) => { d += (at === 0 ? 'M' : 'H' + x(xs[at]).toFixed(1) + 'V') + (at === 0 ? x(xs[0]).toFixed(1) + ',' : '') + y(value).toFixed(1); });
    path.setAttribute('d', d + 'H' + W);
    path.setAttribute('fill', 'none');
    path.setAttribute('stroke', 'var(--' + colour + ')');
    path.setAttribute('stroke-width', '2');
    path.setAttribute('vector-effect', 'non-scaling-stroke');
    svg.append(path);
  }
  const hand = document.createElementNS(svg.namespaceURI, 'line');
  hand.setAttribute('y1', '0'); hand.setAttribute('y2', H); hand.setAttribute('stroke', 'var(--accent)'); hand.setAttribute('vector-effect', 'non-scaling-stroke');
  hand.classList.add('hand');
  svg.append(hand);
  svg.addEventListener('click', (event) => { const box = svg.getBoundingClientRect(); goTo((event.clientX - box.left) / box.width * F.seconds); });
  const names = columns.map(({ name, values }) => name + ' ' + Math.min(...values) + '–' + Math.max(...values)).join(', ');
  $('charts').append(el('figure', {}, el('figcaption', { textContent: title + ': ' + names }), svg));
};
const perMinute = () => {
  const { seconds, disrupted } = F.series;
  let first = 0;
  return seconds.map((s, at) => {
    while (seconds[first] < s - 60) first++;
    return disrupted[at] - (first > 0 ? disrupted[first - 1] : 0);
  });
};

const phrase = ({ what, object, detail }) => {
  const said = typeof detail === 'string' ? detail : '';
  switch (what) {
    case 'step': return 'step: ' + object + ' ' + JSON.stringify((detail || {})[object] || {});
    case 'ready': return 'Ready is ' + said;
    case 'bound': return 'bound to ' + said;
    case 'unschedulable': return 'cannot be placed: ' + said;
    case 'terminating': return 'deleted' + (said && ' on ' + said);
    case 'gone': return 'gone' + (said && ' from ' + said);
    case 'nominated': return 'nominated to ' + said;
    case 'notReady': return 'not ready on ' + said;
    default: return what + (said && ' ' + said);
  }
};
const MOST = 500;
const rowsOf = (body, rows, note) => {
  body.replaceChildren(...rows.slice(0, MOST));
  if (rows.length > MOST) body.append(el('tr', {}, el('td', { colSpan: 9, className: 'soft', textContent: (rows.length - MOST) + ' more ' + note + ': narrow the filter' })));
};
const num = (text) => el('td', { className: 'num', textContent: text });
const cell = (text, wrap) => el('td', { className: wrap ? 'wrap' : '', textContent: text === undefined ? '' : text });
const drawTimeline = () => {
  const words = $('what').value.toLowerCase();
  const lines = F.timeline.filter((line) => line.what !== 'disruption' && (words === '' || (line.object + ' ' + phrase(line)).toLowerCase().includes(words)));
  rowsOf($('timeline'), lines.map((line) => {
    const row = el('tr', { className: 'pick', tabIndex: 0 }, num(span(line.t)), cell(line.what === 'step' ? '' : line.object), cell(phrase(line), true));
    row.dataset.t = line.t;
    row.onclick = () => goTo(line.t);
    row.onkeydown = (event) => { if (event.key === 'Enter') goTo(line.t); };
    return row;
  }), 'lines');
};
const fates = {
  all: () => true,
  deleted: (pod) => pod.deleted !== undefined,
  pending: (pod) => pod.pending !== undefined,
  created: (pod) => pod.isNew,
};
const drawPods = () => {
  const words = $('who').value.toLowerCase(), fits = fates[$('fate').value];
  const pods = F.pods.filter((pod) => fits(pod) && (words === '' || [pod.pod, pod.from, pod.node, pod.cause, pod.pending].join(' ').toLowerCase().includes(words)));
  rowsOf($('pods'), pods.map((pod) => {
    const row = el('tr', { className: 'pick', tabIndex: 0 }, cell(pod.pod), cell(pod.from || ''), num(pod.deleted === undefined ? '' : span(pod.deleted)), cell(pod.cause || ''), cell(pod.pending ? 'pending' : pod.bound === undefined ? '' : pod.node), num(pod.bound === undefined ? '' : span(pod.bound)), cell(pod.replacement || ''));
    row.onclick = () => explain(pod);
    row.onkeydown = (event) => { if (event.key === 'Enter') explain(pod); };
    return row;
  }), 'pods');
};
const explain = (pod) => {
  const moments = [
    [pod.from !== undefined ? 0 : undefined, 'it is on ' + pod.from], [pod.created, 'it is created' + (pod.owner ? ' by ' + pod.owner : '')],
    [pod.bound, 'it is bound to ' + pod.node], [pod.started, 'it runs'], [pod.notReady, 'it is not ready any more'], [pod.readyAgain, 'it is ready again'],
    [pod.deleted, 'it is deleted: ' + pod.cause], [pod.gone, 'it is gone'],
  ].filter(([t]) => t !== undefined).sort(([a], [b]) => a - b);
  $('story').replaceChildren(
    el('h2', { textContent: pod.pod }),
    el('p', { className: 'soft', textContent: [pod.owner, 'priority ' + pod.priority].filter(Boolean).join(', ') }),
    el('ul', {}, ...moments.map(([t, text]) => el('li', { textContent: span(t) + ': ' + text }))),
    pod.pending ? el('p', { className: 'warn', textContent: 'It waits at the end: ' + pod.pending }) : '',
    pod.replacement ? el('p', { textContent: 'In its place: ' + pod.replacement }) : '',
  );
  $('dialog').showModal();
};
const drawAddresses = () => {
  const blocks = F.nodes.filter((node) => node.podCIDR);
  $('addresses').hidden = blocks.length === 0;
  $('blocks').replaceChildren(...blocks.slice(0, 2000).map((node) => el('span', { textContent: node.podCIDR + ' ' + node.node + ' (' + node.pods + ')' })));
};

const goTo = (t) => {
  now = Math.max(0, Math.min(F.seconds, t));
  let low = 0;
  for (let at = 0; at < stops.length && stops[at] <= now; at++) low = at;
  picked = low;
  $('scrub').value = now;
  $('time').value = span(now);
  drawMap(now);
  for (const hand of document.querySelectorAll('.hand')) { hand.setAttribute('x1', F.seconds === 0 ? 0 : now / F.seconds * 600); hand.setAttribute('x2', F.seconds === 0 ? 0 : now / F.seconds * 600); }
  for (const row of $('timeline').children) row.classList.toggle('now', Number(row.dataset.t) === stops[picked]);
};
let timer;
const play = () => {
  if (timer) { clearInterval(timer); timer = undefined; $('play').textContent = 'Play'; return; }
  if (picked >= stops.length - 1) goTo(0);
  $('play').textContent = 'Pause';
  timer = setInterval(() => { if (picked >= stops.length - 1) play(); else goTo(stops[picked + 1]); }, 300);
};

buildMap();
const share = (values, of) => values.map((value) => of.allocatable === 0 ? 0 : Math.round(1000 * (of.requested + value) / of.allocatable) / 10);
chart('Pods', [{ name: 'running', values: F.series.running, colour: 'running' }]);
chart('Missing', [{ name: 'pending', values: F.series.pending, colour: 'pending' }, { name: 'not ready', values: F.series.notReady, colour: 'notready' }, { name: 'terminating', values: F.series.terminating, colour: 'terminating' }]);
chart('Evictions a minute', [{ name: 'evictions', values: perMinute(), colour: 'terminating' }]);
chart('Requested, %', [{ name: 'cpu', values: share(F.series.cpuMilli, F.before.cpu), colour: 'accent' }, { name: 'memory', values: share(F.series.memoryBytes, F.before.memory), colour: 'running' }]);
chart('Nodes ready', [{ name: 'nodes', values: F.series.nodesReady, colour: 'accent' }]);
drawTimeline(); drawPods(); drawAddresses();
$('scrub').max = F.seconds; $('scrub').step = 0.01;
$('scrub').addEventListener('input', () => goTo(Number($('scrub').value)));
$('scrub').addEventListener('keydown', (event) => {
  const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (way === undefined) return;
  event.preventDefault();
  goTo(stops[Math.max(0, Math.min(stops.length - 1, picked + way))]);
});
$('play').addEventListener('click', play);
$('what').addEventListener('input', () => { drawTimeline(); goTo(now); });
$('who').addEventListener('input', drawPods);
$('fate').addEventListener('change', drawPods);
goTo(0);
document.documentElement.dataset.ready = 'true';
`
