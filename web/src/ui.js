// Buttons, keys and labels. The state lives in one plain object; every change calls `changed`.
import { classes, cssColour, cssLinear, islandColour } from './colours.js';
import { paintsOf } from './paint.js';
import { pretty } from './plots.js';

const byId = (id) => document.getElementById(id);
export const speeds = [0.1, 0.25, 0.5, 1, 2];

export const keys = [
  ['Space', 'play or pause'], ['Left / Right', 'step one frame'], ['Shift + Left / Right', 'step ten frames'], ['Home / End', 'first or last frame'],
  ['[ / ]', 'slower or faster'], ['L', 'loop'], ['V', 'side by side, wipe, left, right'], [', / .', 'move the wipe'], ['P', 'next paint'], ['H', 'next heat map'],
  ['1 to 9', 'switch a layer off or on'], ['W', 'wireframe'], ['S', 'skeleton'], ['T', 'strokes'], ['D', 'detail'], ['N', 'pins'], ['C', 'curves'], ['G', 'go with the body'], ['Alt + arrows', 'orbit'],
  ['Alt + Shift + arrows', 'pan'], ['+ / -', 'zoom'], ['F', 'frame the character'], ['O', 'panel'], ['B', 'light or dark'], ['?', 'these keys'],
];

export function channelNames(meta) {
  const names = new Map();
  for (const surface of meta.surfaces) {
    for (const channels of Object.values(surface.channels ?? {})) {
      for (const c of channels) if (c.width === 1) names.set(c.name, c);
    }
  }
  return names;
}

/** Which switches make sense for this bake. */
export function switchesOf(meta) {
  const has = (kind) => [...(meta.lines ?? []), ...(meta.points ?? [])].some((x) => x.show === kind);
  return [
    ['wireframe', 'Wireframe', 'w', true],
    ['skeleton', 'Skeleton', 's', has('skeleton')],
    ['strokes', 'Directions', 't', meta.surfaces.some((s) => Object.values(s.channels ?? {}).some((list) => list.some((c) => c.width === 3)))],
    ['detail', 'Detail', 'd', meta.surfaces.some((s) => s.kind === 'detail')],
    ['pins', 'Pins', 'n', has('pins')],
    ['curves', 'Curves', 'c', has('curves')],
    ['follow', 'Follow', 'g', meta.frames > 1],
  ].filter(([, , , isThere]) => isThere);
}

export class Interface {
  constructor(meta, state, actions) {
    this.meta = meta;
    this.state = state;
    this.actions = actions;
    byId('title').textContent = document.title = meta.title;
    byId('caption').textContent = meta.caption ?? '';
    byId('caption').title = meta.caption ?? '';
    this.buildControls();
    this.buildTransport();
    this.buildFacts();
    this.buildHelp();
    byId('panel-button').addEventListener('click', () => actions.togglePanel());
    byId('theme-button').addEventListener('click', () => actions.toggleTheme());
    byId('help-button').addEventListener('click', () => byId('help').showModal());
    window.addEventListener('keydown', (event) => this.onKey(event));
    this.wipeHandle();
  }

  buildControls() {
    const layouts = this.meta.views.length > 1
      ? [['side', 'Side by side'], ['wipe', 'Wipe'], ['left', 'Left only'], ['right', 'Right only']] : [];
    this.groups = [];
    if (layouts.length > 1) this.addChoice('View', layouts, 'layout');
    if (this.meta.views.length > 2) {
      const names = this.meta.views.map((v) => [v.name, v.label]);
      this.addChoice('Left', names, 'left');
      this.addChoice('Right', names, 'right');
    }
    this.addChoice('Paint', paintsOf(this.meta).map((p) => [p, p[0].toUpperCase() + p.slice(1)]), 'paint');
    const channels = [...channelNames(this.meta).keys()];
    if (channels.length) this.addChoice('Heat map', [['', 'None'], ...channels.map((c) => [c, c])], 'heat');
    this.addLayers();
    this.addSwitches();
  }

  /** A switch per layer, with what it costs; off takes away what the layer moved and shows. */
  addLayers() {
    const { layers } = this.meta;
    if (!layers?.length) return;
    const choices = this.addGroup('Layers');
    layers.forEach((layer, i) => {
      const button = document.createElement('button');
      button.textContent = layer.milliseconds === undefined ? layer.name : `${layer.name} \u00b7 ${pretty(layer.milliseconds)} ms`;
      button.dataset.layer = String(i);
      button.title = 'Takes away what this layer moves and shows; the other layers stay as they were baked with it';
      button.addEventListener('click', () => this.actions.toggleLayer(i));
      choices.append(button);
      this.groups.push(() => button.setAttribute('aria-pressed', String(this.state.layers[i])));
    });
  }

  addGroup(title) {
    const group = document.createElement('fieldset');
    group.className = 'group';
    const legend = document.createElement('legend');
    legend.textContent = title;
    const choices = document.createElement('div');
    choices.className = 'choices';
    group.append(legend, choices);
    byId('controls').append(group);
    return choices;
  }

  addChoice(title, options, field) {
    const choices = this.addGroup(title);
    const buttons = options.map(([value, label]) => {
      const button = document.createElement('button');
      button.textContent = label;
      button.dataset[field] = value;
      button.addEventListener('click', () => this.actions.set({ [field]: value }));
      choices.append(button);
      return [value, button];
    });
    this.groups.push(() => buttons.forEach(([value, button]) => button.setAttribute('aria-pressed', String(this.state[field] === value))));
  }

  addSwitches() {
    const choices = this.addGroup('Show');
    for (const [field, label] of switchesOf(this.meta)) {
      const button = document.createElement('button');
      button.textContent = label;
      button.dataset.show = field;
      button.addEventListener('click', () => this.actions.toggle(field));
      choices.append(button);
      this.groups.push(() => button.setAttribute('aria-pressed', String(Boolean(this.state.show[field]))));
    }
    const frame = document.createElement('button');
    frame.textContent = 'Frame';
    frame.addEventListener('click', () => this.actions.frameAll());
    choices.append(frame);
  }

  buildTransport() {
    const { actions, meta } = this;
    byId('play').addEventListener('click', () => actions.togglePlay());
    byId('first').addEventListener('click', () => actions.goTo(0));
    byId('back').addEventListener('click', () => actions.step(-1));
    byId('forward').addEventListener('click', () => actions.step(1));
    byId('scrub').max = String(meta.frames - 1);
    byId('scrub').addEventListener('input', (event) => actions.goTo(Number(event.target.value)));
    for (const s of speeds) byId('speed').append(new Option(`${s}x`, String(s)));
    byId('speed').addEventListener('change', (event) => actions.set({ speed: Number(event.target.value) }));
    byId('loop').addEventListener('change', (event) => actions.set({ loop: event.target.checked }));
  }

  buildFacts() {
    const { meta } = this;
    if (!meta.facts?.length) return;
    const heading = document.createElement('h2');
    heading.textContent = 'Facts';
    const list = document.createElement('dl');
    for (const [name, value] of meta.facts) {
      const term = document.createElement('dt');
      const detail = document.createElement('dd');
      term.textContent = name;
      detail.textContent = value;
      list.append(term, detail);
    }
    byId('facts').append(heading, list);
  }

  buildHelp() {
    const help = byId('help');
    const table = document.createElement('table');
    for (const [key, meaning] of keys) {
      const row = table.insertRow();
      const mark = document.createElement('kbd');
      mark.textContent = key;
      row.insertCell().append(mark);
      row.insertCell().textContent = meaning;
    }
    const close = document.createElement('button');
    close.textContent = 'Close';
    close.addEventListener('click', () => help.close());
    help.append(table, close);
  }

  wipeHandle() {
    const divider = byId('divider');
    const move = (event) => {
      const box = byId('stage').getBoundingClientRect();
      this.actions.set({ wipe: Math.min(Math.max((event.clientX - box.left) / box.width, 0.02), 0.98) });
    };
    divider.addEventListener('pointerdown', (event) => divider.setPointerCapture(event.pointerId));
    divider.addEventListener('pointermove', (event) => event.buttons && move(event));
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || byId('help').open) return;
    const { actions, state } = this;
    const isField = ['INPUT', 'SELECT'].includes(event.target.tagName) && event.target.type !== 'checkbox';
    const sign = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 }[event.key];
    const isSideways = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
    let isUsed = true;
    if (sign && event.altKey) {
      const amount = event.shiftKey ? { right: isSideways ? -0.05 * sign : 0, up: isSideways ? 0 : -0.05 * sign }
        : { turn: isSideways ? -0.12 * sign : 0, tilt: isSideways ? 0 : -0.12 * sign };
      actions.nudge(amount);
    } else if (isSideways) actions.step(sign * (event.shiftKey ? 10 : 1));
    else if (event.key === ' ' && event.target.tagName !== 'BUTTON') actions.togglePlay();
    else if (isField) isUsed = false;
    else if (event.key === 'Home') actions.goTo(0);
    else if (event.key === 'End') actions.goTo(this.meta.frames - 1);
    else if (event.key === '[' || event.key === ']') {
      const i = speeds.indexOf(state.speed) + (event.key === ']' ? 1 : -1);
      if (speeds[i]) actions.set({ speed: speeds[i] });
    } else if (event.key === '+' || event.key === '=') actions.nudge({ zoom: 0.88 });
    else if (event.key === '-') actions.nudge({ zoom: 1 / 0.88 });
    else if (event.key === ',' || event.key === '.') actions.set({ wipe: Math.min(Math.max(state.wipe + (event.key === '.' ? 0.05 : -0.05), 0.02), 0.98) });
    else if (event.key === '?') byId('help').showModal();
    else isUsed = this.onLetter(event.key.toLowerCase());
    if (isUsed) event.preventDefault();
  }

  onLetter(letter) {
    const { actions, state, meta } = this;
    const next = (list, value) => list[(list.indexOf(value) + 1) % list.length];
    const toggle = switchesOf(meta).find(([, , key]) => key === letter);
    const layer = Number(letter) - 1;
    if (toggle) actions.toggle(toggle[0]);
    else if (letter >= '1' && letter <= '9' && layer < (meta.layers?.length ?? 0)) actions.toggleLayer(layer);
    else if (letter === 'l') actions.set({ loop: !state.loop });
    else if (letter === 'v') actions.set({ layout: next(meta.views.length > 1 ? ['side', 'wipe', 'left', 'right'] : ['right'], state.layout) });
    else if (letter === 'p') actions.set({ paint: next(paintsOf(meta), state.paint) });
    else if (letter === 'h') actions.set({ heat: next(['', ...channelNames(meta).keys()], state.heat) });
    else if (letter === 'f') actions.frameAll();
    else if (letter === 'o') actions.togglePanel();
    else if (letter === 'b') actions.toggleTheme();
    else return false;
    return true;
  }

  refresh(frame) {
    const { state, meta } = this;
    this.groups.forEach((update) => update());
    byId('scrub').value = String(frame);
    byId('clock').textContent = `${meta.firstFrame + frame} / ${meta.firstFrame + meta.frames - 1} \u00b7 ${(frame / meta.fps).toFixed(2)} s`;
    byId('play').textContent = state.isPlaying ? '\u2759\u2759' : '\u25B6';
    byId('speed').value = String(state.speed);
    byId('loop').checked = state.loop;
    const label = (name) => meta.views.find((v) => v.name === name)?.label ?? '';
    const { layout } = state;
    byId('left-label').textContent = layout === 'right' ? '' : label(state.left);
    byId('right-label').textContent = layout === 'left' ? '' : label(state.right);
    for (const id of ['left-label', 'right-label']) byId(id).hidden = byId(id).textContent === '';
    byId('divider').hidden = layout !== 'wipe';
    byId('divider').style.left = `${state.wipe * 100}%`;
    this.drawLegend();
  }

  drawLegend() {
    const legend = byId('legend');
    const channel = channelNames(this.meta).get(this.state.heat);
    const shown = channel?.name ?? (['classes', 'islands'].includes(this.state.paint) ? this.state.paint : undefined);
    legend.hidden = !shown;
    if (!shown || legend.dataset.channel === shown) return;
    legend.dataset.channel = shown;
    if (!channel) {
      const most = 12;
      const entries = shown === 'classes' ? classes : Array.from({ length: Math.min(most, this.meta.islandCount ?? most) }, (_, i) => [`island:${i + 1}`, islandColour(i + 1)]);
      legend.replaceChildren(...entries.map(([name, rgb]) => {
        const row = document.createElement('div');
        row.textContent = `\u25A0 ${name}`;
        row.style.color = cssLinear(rgb);
        return row;
      }));
      return;
    }
    const bar = document.createElement('canvas');
    bar.width = 180;
    bar.height = 1;
    const g = bar.getContext('2d');
    for (let i = 0; i < bar.width; i++) {
      g.fillStyle = cssColour(i / (bar.width - 1), channel.isSigned);
      g.fillRect(i, 0, 1, 1);
    }
    const name = document.createElement('div');
    name.textContent = channel.unit && channel.unit !== '1' ? `${channel.name} (${channel.unit})` : channel.name;
    const ends = document.createElement('div');
    ends.className = 'ends';
    for (const v of [channel.low, channel.high]) {
      const end = document.createElement('span');
      end.textContent = pretty(v);
      ends.append(end);
    }
    legend.replaceChildren(name, bar, ends);
  }
}
