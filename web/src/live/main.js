// The live page: a scene that runs in one of two engines, drawn and touched here.
import { cssColour } from '../colours.js';
import { showCards } from './cards.js';
import { Brush } from './brush.js';
import { makeEngine, readFrame } from './engine.js';
import { offerFiles } from './files.js';
import { LiveStage } from './stage.js';
import { Trace } from './trace.js';

const $ = (id) => document.getElementById(id);
const stage = new LiveStage($('canvas'));
const page = { cards: [], scene: null, changes: [], undone: [], settings: new URLSearchParams(location.hash.slice(1)), frames: 0, since: performance.now(), isReady: false };
window.cutisLive = { stage, page }; // for tests

function problem(words) {
  $('problem').textContent = words;
  $('problem').hidden = false;
  clearTimeout(page.problemTimer);
  page.problemTimer = setTimeout(() => { $('problem').hidden = true; }, 8000);
}

const engine = makeEngine({ ready: () => start().catch((error) => problem(error.message)), frame, problem });
page.engine = engine;
const ask = (command) => engine.ask(command).catch((error) => {
  problem(error.message);
  return null;
});

// --- opening -----------------------------------------------------------------------------------------------------------

async function start() {
  const { demos, characters, isOpen } = await engine.ask({ do: 'hello' });
  const group = (label, options) => {
    const made = Object.assign(document.createElement('optgroup'), { label });
    made.append(...options);
    return made;
  };
  $('demos').replaceChildren(
    group('scenes', demos.map((name) => new Option(name, name))),
    group('characters, set up by cutis suggest', characters.map((name) => new Option(name, `actor:${name}`))),
    new Option('as it was opened', ''),
  );
  const character = page.settings.get('character');
  const wanted = page.settings.get('demo');
  if (character && characters.includes(character)) return choose(`actor:${character}`);
  if (isOpen && !wanted) {
    const scene = await engine.ask({ do: 'describe' });
    $('demos').value = scene.demo;
    return opened(scene);
  }
  return choose(demos.includes(wanted) ? wanted : demos.includes('creature-walk') ? 'creature-walk' : demos[0]);
}

/** A scene, or a character as actor:NAME. */
function choose(value) {
  $('demos').value = value;
  return open(value.startsWith('actor:') ? { character: value } : { demo: value });
}

async function open(what) {
  $('message').hidden = false;
  $('message').textContent = 'Preparing the layers…';
  try {
    const answer = await engine.ask({ do: 'open', ...what });
    if (what.demo) page.settings.set('demo', what.demo);
    if (what.character?.startsWith('actor:')) page.settings.set('character', what.character.slice(6));
    stage.isFramed = false;
    opened(answer);
    await restoreSettings();
  } catch (error) {
    $('message').hidden = true;
    problem(error.message);
  }
}

function opened(scene) {
  page.scene = scene;
  page.changes = [];
  page.undone = [];
  for (const { options } of scene.layers) for (const option of options) option.applied = option.value;
  stage.setSkeleton(scene.joints);
  stage.state.hidden.clear();
  brush.drop();
  page.cards = showCards($('layers'), scene.layers, { set, on: switchLayer, paint: (...what) => brush.take(...what) });
  $('clips').replaceChildren(...scene.clips.map((name) => new Option(name, name)));
  $('clips').value = scene.clip;
  $('clips').hidden = scene.clips.length < 2;
  $('scrub').max = scene.duration || 1;
  $('speed').value = String(scene.speed);
  showPlaying(scene.play);
  showUndo();
  showChannels();
  teach();
}

/** Settings of the address after #: LAYER.KEY=VALUE, clip=NAME, off=LAYER,LAYER. */
async function restoreSettings() {
  const clip = page.settings.get('clip');
  if (clip && clip !== page.scene.clip && page.scene.clips.includes(clip)) {
    const answer = await ask({ do: 'clip', name: clip });
    if (answer) opened(answer);
  }
  for (const layer of page.settings.get('off')?.split(',').map(Number) ?? []) {
    if (!page.cards[layer]) continue;
    page.cards[layer].setOn(false);
    await switchLayer(layer, false, true);
  }
  for (const [name, text] of [...page.settings]) {
    const [, layer, key] = name.match(/^(\d+)\.(\w+)$/) ?? [];
    const row = page.cards[Number(layer)]?.rows.get(key);
    if (!row) continue;
    const value = JSON.parse(text);
    if (await ask({ do: 'set', layer: Number(layer), key, value })) settle(Number(layer), key, value);
  }
}

function keepSettings() {
  history.replaceState(null, '', `#${page.settings}`);
}

// --- options and layers ------------------------------------------------------------------------------------------------

const optionOf = (layer, key) => page.scene.layers[layer].options.find(({ name }) => name === key);
function settle(layer, key, value) {
  optionOf(layer, key).applied = value;
  page.cards[layer].rows.get(key).refresh(value);
}

const before = new Map(); // of options that are being moved
async function set(layer, key, value, isFinal, card) {
  const option = optionOf(layer, key);
  const place = `${layer}.${key}`;
  if (!before.has(place)) before.set(place, option.applied);
  if (!isFinal && page.pendingSet === place) {
    page.lateSet = [layer, key, value];
    return;
  }
  page.pendingSet = place;
  card?.classList.add('busy');
  const answer = await ask({ do: 'set', layer, key, value });
  card?.classList.remove('busy');
  page.pendingSet = null;
  if (!answer) {
    page.cards[layer].rows.get(key).refresh(before.get(place));
    before.delete(place);
    return;
  }
  option.applied = value;
  option.value = value;
  if (page.lateSet) {
    const late = page.lateSet;
    page.lateSet = null;
    if (!isFinal) set(late[0], late[1], late[2], false, card);
  }
  if (isFinal) {
    // A slider may say twice that it was let go: the first time takes what was before, and only a change is a step to undo.
    if (before.has(place) && JSON.stringify(before.get(place)) !== JSON.stringify(value)) {
      page.changes.push({ layer, key, from: before.get(place), to: value });
      page.undone = [];
    }
    before.delete(place);
    page.settings.set(place, JSON.stringify(value));
    keepSettings();
    showUndo();
  }
}

async function switchLayer(layer, on, isUndo = false) {
  await ask({ do: 'layer', layer, on });
  page.scene.layers[layer].on = on;
  const off = page.scene.layers.flatMap((one, i) => (one.on ? [] : [i]));
  off.length ? page.settings.set('off', off) : page.settings.delete('off');
  keepSettings();
  const info = page.layers?.[layer];
  for (let m = info?.firstMesh ?? 0; info && m < info.firstMesh + info.meshCount; m++) stage.state.hidden[on ? 'delete' : 'add'](m);
  if (!isUndo) {
    page.changes.push({ layer, on });
    page.undone = [];
    showUndo();
  }
}

async function travel(from, to, isBack) {
  const change = from.pop();
  if (!change) return;
  to.push(change);
  const card = page.cards[change.layer];
  if (change.on !== undefined) {
    const on = isBack ? !change.on : change.on;
    card.setOn(on);
    await switchLayer(change.layer, on, true);
  } else {
    const value = isBack ? change.from : change.to;
    await ask({ do: 'set', layer: change.layer, key: change.key, value });
    settle(change.layer, change.key, value);
    page.settings.set(`${change.layer}.${change.key}`, JSON.stringify(value));
    keepSettings();
  }
  showUndo();
}

function showUndo() {
  $('undo').disabled = page.changes.length === 0;
  $('redo').disabled = page.undone.length === 0;
}

// --- frames ------------------------------------------------------------------------------------------------------------

let newest = null;
let isDrawing = false;
let isBusy = false; // meshes are made
function frame(buffer) {
  const read = readFrame(buffer);
  page.export?.add(read);
  if (newest) engine.drawn(); // one of the two is left out; meshes come first
  if (read.head.meshes || !newest?.head.meshes) newest = read;
  redraw();
}

function redraw() {
  if (!isDrawing && !isBusy) requestAnimationFrame(draw);
  isDrawing = true;
}

async function draw() {
  isDrawing = false;
  if (isBusy) return;
  if (newest) {
    const { head, sections } = newest;
    newest = null;
    if (head.meshes) {
      isBusy = true;
      page.layers = head.layers;
      await stage.setMeshes(head, sections);
      page.channels = head.meshes.flatMap(({ channels }) => channels);
      showChannels();
      isBusy = false;
      if (isDrawing) requestAnimationFrame(draw);
    }
    if (stage.surfaces.length > 0) stage.setFrame(head, sections);
    engine.drawn();
    show(head);
  }
  stage.follow();
  stage.draw();
  page.sequence?.add();
}

function show(head) {
  if (head.problem) problem(head.problem);
  page.frames++;
  page.head = head;
  if (!$('message').hidden) {
    $('message').hidden = true;
    page.firstFrame ??= performance.now();
  }
  if (document.activeElement !== $('scrub') || !page.isScrubbing) $('scrub').value = head.time;
  $('clock').textContent = `${head.time.toFixed(2)} / ${head.duration.toFixed(2)} s`;
  const now = performance.now();
  if (now - page.since > 500) {
    page.fps = (1000 * page.frames) / (now - page.since);
    page.frames = 0;
    page.since = now;
    const wanted = page.scene?.fps ?? 30;
    const sum = head.ms.reduce((a, b) => a + b, 0);
    const slow = head.playing && page.fps < 0.85 * wanted ? `\nslower than real time: ${(page.fps / wanted).toFixed(2)}×` : '';
    $('readout').textContent = `${engine.name} · ${sum.toFixed(1)} ms a step · ${page.fps.toFixed(0)} frames/s${slow}`;
    page.cards.forEach((card, i) => { card.time.textContent = `${(head.ms[i + 1] ?? 0).toFixed(1)} ms`; });
  }
  traceUnderPointer(head);
  const { range } = stage;
  $('legend').hidden = !range;
  if (range) {
    const bar = $('legend-bar').getContext('2d');
    for (let x = 0; x < 180; x++) {
      bar.fillStyle = cssColour(x / 179, range.isSigned);
      bar.fillRect(x, 0, 1, 12);
    }
    $('legend-name').textContent = `${stage.state.heat}${range.unit && range.unit !== '1' ? ` (${range.unit})` : ''}`;
    $('legend-low').textContent = Number(range.low.toPrecision(3));
    $('legend-high').textContent = Number(range.high.toPrecision(3));
  }
}

function showChannels() {
  const all = page.channels ?? [];
  for (const [id, width] of [['heat', 1], ['directions', 3]]) {
    const names = [...new Set(all.filter((channel) => channel.width === width).map(({ name }) => name))];
    const known = new Set([...$(id).options].map(({ value }) => value));
    // A layer that was asked to measure: what it measures is seen at once.
    if (page.measures === id) stage.state[id] = names.find((name) => !known.has(name)) ?? '';
    if (page.measures === id && stage.state[id]) {
      page.measures = null;
      ask({ do: 'show', [id === 'heat' ? 'channel' : 'direction']: stage.state[id] });
    }
    const silent = (page.scene?.layers ?? []).flatMap((layer, i) => (layer.options.some(({ name, applied }) => name === 'channels' && applied === false) ? [new Option(`${layer.name}: measure it`, `on:${i}`)] : []));
    $(id).replaceChildren(new Option('none', ''), ...names.map((name) => new Option(name, name)), ...silent);
    $(id).value = names.includes(stage.state[id]) ? stage.state[id] : '';
    $(id).parentElement.hidden = names.length + silent.length === 0;
  }
}

/** What is seen of a channel; `on:LAYER` has that layer measure first. */
function look(id, what) {
  const value = $(id).value;
  const [, layer] = value.match(/^on:(\d+)$/) ?? [];
  if (layer !== undefined) {
    page.measures = id;
    page.cards[layer].rows.get('channels').refresh(true);
    return set(Number(layer), 'channels', true, true, page.cards[layer]);
  }
  stage.state[id] = value;
  redraw();
  return ask({ do: 'show', [what]: value });
}

// --- hands -------------------------------------------------------------------------------------------------------------

const hands = new Map(); // by pointer
let nextHand = 1;
let tool = 'auto';
const hints = { skin: 'Skin: it slides and comes back.', cloth: 'Cloth: it gives way and springs back.', flesh: 'Flesh: it swings when you let go.', detail: 'Detail: it quivers; with base stiffness above 0 the body follows.', joint: 'A joint: it stays until “Joints back”.', body: 'The whole character: shake it.' };
// What a visitor has not tried yet, one after the other; a tool that was used is not mentioned again.
const lessons = [
  ['any', '', 'Drag the character to pull it; drag beside it to look around.'],
  ['skin', 'slide', 'Pull at bare skin: it slides and comes back.'],
  ['detail', 'shell', 'Tug at a piece of detail and let go: it quivers.'],
  ['cloth', 'fold', 'Draw the cloth out: it springs back.'],
  ['flesh', 'curve', 'Choose “flesh” under Hand, drag, let go: it swings.'],
  ['joint', '', 'Choose “joint” under Hand and turn one.'],
];
const used = new Set();
try {
  for (const name of JSON.parse(localStorage.getItem('cutis-live-used') ?? '[]')) used.add(name);
} catch { /* a browser that keeps nothing */ }
function learnt(...names) {
  for (const name of names) used.add(name);
  try {
    localStorage.setItem('cutis-live-used', JSON.stringify([...used]));
  } catch { /* it is taught again on the next visit */ }
}
function teach() {
  const has = (kind) => page.scene.layers.some((layer) => layer.kind === kind && layer.on);
  const lesson = lessons.find(([name, kind]) => !used.has(name) && (kind ? has(kind) : name === 'any' || page.scene.joints.length > 0));
  hint(lesson?.[2] ?? '');
}

function hint(words) {
  $('hint').textContent = words;
  $('hint').hidden = !words;
}

$('canvas').addEventListener('pointerdown', async (event) => {
  if (event.button !== 0 || event.altKey || !page.scene) return;
  if (event.pointerType === 'touch' && hands.size > 0) return;
  const hit = stage.pick(event.clientX, event.clientY);
  if (!hit) return;
  if (brush.isTaken) {
    stage.controls.enabled = false;
    event.stopImmediatePropagation();
    $('canvas').setPointerCapture(event.pointerId);
    return brush.begin(hit);
  }
  stage.controls.enabled = false;
  event.stopImmediatePropagation();
  $('canvas').setPointerCapture(event.pointerId);
  $('canvas').classList.add('holding');
  const hand = { id: nextHand++, start: stage.onPlane(event.clientX, event.clientY, hit.point), place: hit.point, isHeld: false };
  hands.set(event.pointerId, hand);
  const radius = 0.02 * (stage.size ?? 1);
  const answer = await ask({ do: 'grab', id: hand.id, mesh: hit.mesh, vertex: hit.vertex, tool: hit.mesh > 0 && tool !== 'body' ? 'auto' : tool, instead: $('instead').checked, radius });
  page.lastHand = { ...hit, ...answer };
  if (!answer) return drop(event.pointerId);
  hand.isHeld = true;
  hint(hints[answer.tool]);
  learnt('any', answer.tool);
  if (hand.isOver) drop(event.pointerId);
}, { capture: true });

$('canvas').addEventListener('pointermove', (event) => {
  const hand = hands.get(event.pointerId);
  if (brush.isDown) return brush.go(stage.pick(event.clientX, event.clientY));
  if (!hand && event.pointerType !== 'touch' && event.buttons === 0) lookAt(event.clientX, event.clientY);
  if (!hand) return;
  hand.by = stage.onPlane(event.clientX, event.clientY, hand.place).sub(hand.start);
  if (hand.isMoving) return;
  hand.isMoving = true; // at most once a picture
  requestAnimationFrame(() => {
    hand.isMoving = false;
    if (hand.isHeld && hands.has(event.pointerId)) ask({ do: 'move', id: hand.id, by: hand.by.toArray() });
  });
});

function drop(pointer) {
  const hand = hands.get(pointer);
  if (!hand) return;
  hands.delete(pointer);
  if (hand.isHeld) ask({ do: 'release', id: hand.id });
  if (hands.size === 0) {
    stage.controls.enabled = true;
    $('canvas').classList.remove('holding');
    setTimeout(() => { if (hands.size === 0 && !brush.isTaken) teach(); }, 1500);
  }
}
for (const end of ['pointerup', 'pointercancel']) {
  $('canvas').addEventListener(end, (event) => {
    const hand = hands.get(event.pointerId);
    if (brush.isDown) {
      stage.controls.enabled = true;
      return brush.end();
    }
    if (hand && !hand.isHeld) hand.isOver = true; // the answer to the grab is under way
    else drop(event.pointerId);
  });
}
stage.controls.addEventListener('change', redraw);

// --- the brush, and the value under the pointer ------------------------------------------------------------------------

const brush = new Brush(stage, {
  set: (layer, key, value, card) => {
    page.cards[layer].rows.get(key).refresh(value);
    return set(layer, key, value, true, card);
  },
  redraw,
  hint,
});

const trace = new Trace($('trace'));
let looked = 0;
function lookAt(x, y) {
  if (performance.now() - looked < 100) return;
  looked = performance.now();
  const hit = stage.pick(x, y);
  if (hit?.mesh !== page.underPointer?.mesh || hit?.vertex !== page.underPointer?.vertex) {
    page.underPointer = hit;
    trace.points = [];
  }
}

function traceUnderPointer(head) {
  const at = page.underPointer;
  const surface = at && stage.surfaces[at.mesh];
  if (!surface || at.drawn >= surface.source.length) return trace.add(head.clock, null, '');
  const heat = stage.heat?.find(({ mesh }) => mesh === at.mesh);
  if (heat) return trace.add(head.clock, heat.values[at.vertex], stage.state.heat);
  const here = [...surface.geometry.attributes.position.array.slice(3 * at.drawn, 3 * at.drawn + 3)];
  if (!trace.points.length) at.from = here;
  return trace.add(head.clock, Math.hypot(...here.map((x, c) => x - at.from[c])), 'way of this point, m');
}

// --- controls ----------------------------------------------------------------------------------------------------------

function choices(id, names, chosen, choose) {
  const buttons = Object.entries(names).map(([value, words]) => {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: words });
    button.dataset.value = value;
    button.setAttribute('aria-pressed', String(value === chosen));
    button.onclick = () => {
      for (const other of buttons) other.setAttribute('aria-pressed', String(other === button));
      choose(value);
    };
    return button;
  });
  $(id).replaceChildren(...buttons);
}
choices('tools', { auto: 'what is there', skin: 'skin', cloth: 'cloth', flesh: 'flesh', joint: 'joint', body: 'whole' }, 'auto', (value) => { tool = value; });
choices('paints', { skin: 'skin', tattoo: 'tattoo', checker: 'checker', grid: 'grid', clay: 'clay' }, 'tattoo', (value) => {
  stage.state.paint = value;
  redraw();
});
stage.state.paint = 'tattoo';
choices('layouts', { cutis: 'cutis', wipe: 'wipe', side: 'side by side' }, 'cutis', (value) => {
  stage.state.layout = value;
  stage.hasPlain = false;
  $('divider').hidden = value !== 'wipe';
  $('left-label').hidden = $('right-label').hidden = value === 'cutis';
  ask({ do: 'show', plain: value !== 'cutis' });
  placeDivider();
});
function placeDivider() {
  $('divider').style.left = `${100 * stage.state.wipe}%`;
}
$('divider').onpointerdown = (event) => $('divider').setPointerCapture(event.pointerId);
$('divider').onpointermove = (event) => {
  if (!$('divider').hasPointerCapture(event.pointerId)) return;
  const box = $('stage').getBoundingClientRect();
  stage.state.wipe = Math.min(0.98, Math.max(0.02, (event.clientX - box.left) / box.width));
  placeDivider();
  redraw();
};
$('heat').onchange = () => look('heat', 'channel');
$('directions').onchange = () => look('directions', 'direction');
$('bones').onchange = () => {
  stage.state.bones = $('bones').checked;
  redraw();
};
function showPlaying(plays) {
  page.plays = plays;
  $('play').textContent = plays ? '❚❚' : '▶';
}
// Paused, time goes on for the layers: they settle on the pose that is shown.
const play = (plays) => {
  showPlaying(plays);
  return ask({ do: 'clock', play: plays, pose: !plays });
};
$('play').onclick = () => play(!page.plays);
$('scrub').oninput = async () => {
  page.isScrubbing = true;
  if (page.plays) play(false);
  await ask({ do: 'clock', time: Number($('scrub').value) });
};
$('scrub').onchange = () => { page.isScrubbing = false; };
$('speed').onchange = () => ask({ do: 'clock', speed: Number($('speed').value) });
$('demos').onchange = () => {
  page.settings = new URLSearchParams();
  if ($('demos').value) choose($('demos').value).then(keepSettings);
};
$('clips').onchange = async () => {
  const answer = await ask({ do: 'clip', name: $('clips').value });
  if (!answer) return;
  page.settings.set('clip', answer.clip);
  keepSettings();
  opened(answer);
};
$('undo').onclick = () => travel(page.changes, page.undone, true);
$('redo').onclick = () => travel(page.undone, page.changes, false);
$('straighten').onclick = () => ask({ do: 'straighten' });
$('panel-button').onclick = () => {
  document.body.classList.toggle('panel-closed');
  redraw();
};
const setTheme = (theme) => { document.documentElement.dataset.theme = theme; };
setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
$('theme-button').onclick = () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
addEventListener('resize', redraw);
addEventListener('keydown', (event) => {
  if (/INPUT|SELECT/.test(event.target.tagName) && event.target.type !== 'range') return;
  if (event.key === ' ') { event.preventDefault(); play(!page.plays); }
  if (event.key === 'z' && (event.ctrlKey || event.metaKey)) travel(...(event.shiftKey ? [page.undone, page.changes, false] : [page.changes, page.undone, true]));
  if (event.key === 'f') { stage.frameAll(); redraw(); }
});

offerFiles({ page, stage, engine, ask, problem, open, redraw, showPlaying });
