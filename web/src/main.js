// Starts the page: numbers in, picture and controls out.
import { loadBake } from './data.js';
import { Plots } from './plots.js';
import { Stage } from './scene.js';
import { Interface } from './ui.js';

const byId = (id) => document.getElementById(id);

function initialState(meta) {
  const names = meta.views.map((v) => v.name);
  return {
    isPlaying: false, speed: 1, loop: true, wipe: 0.5, heat: '',
    layout: names.length > 1 ? 'side' : 'right',
    left: names[0], right: names[names.length - 1],
    paint: meta.paint ?? 'checker',
    layers: (meta.layers ?? []).map(() => true),
    show: { wireframe: false, skeleton: false, strokes: false, detail: true, pins: false, curves: false, follow: Boolean(meta.follow) },
    ...meta.start,
  };
}

async function start() {
  const bake = await loadBake();
  const { meta } = bake;
  const state = initialState(meta);
  const stage = new Stage(byId('canvas'), bake);
  let time = 0;
  let frame = 0;
  let isDirty = true;
  let isSized = false;

  const changed = () => { isDirty = true; };
  const actions = {
    set(values) {
      const isNewLayout = values.layout !== undefined && values.layout !== state.layout;
      Object.assign(state, values);
      if (isNewLayout && stage.isFramed) stage.frameAll();
      changed();
    },
    toggleLayer(index) { state.layers[index] = !state.layers[index]; changed(); },
    toggle(field) { state.show[field] = !state.show[field]; changed(); },
    togglePlay() {
      if (!state.isPlaying && !state.loop && frame === meta.frames - 1) time = 0;
      state.isPlaying = !state.isPlaying;
      changed();
    },
    goTo(target) {
      frame = Math.min(Math.max(target, 0), meta.frames - 1);
      time = frame / meta.fps;
      changed();
    },
    step(by) {
      state.isPlaying = false;
      const target = frame + by;
      actions.goTo(state.loop ? (target + meta.frames) % meta.frames : target);
    },
    frameAll() { stage.frameAll(); changed(); },
    nudge(amount) { stage.nudge(amount); changed(); },
    togglePanel() {
      const isClosed = document.body.classList.toggle('panel-closed');
      byId('panel-button').setAttribute('aria-expanded', String(!isClosed));
      changed();
    },
    toggleTheme() { setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'); changed(); },
  };
  const plots = new Plots(byId('plots'), meta, (f) => actions.goTo(f));
  const ui = new Interface(meta, state, actions);
  setTheme(window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  stage.controls.addEventListener('change', changed);
  // Until somebody takes the camera, it follows the size of the window.
  stage.controls.addEventListener('start', () => { stage.isFramed = false; });
  new ResizeObserver(() => { isSized = false; changed(); }).observe(byId('stage'));

  function draw() {
    if (!isSized) {
      stage.resize();
      isSized = true;
      if (stage.isFramed) stage.frameAll();
    }
    stage.draw(frame, state);
    ui.refresh(frame);
    plots.draw(frame);
    isDirty = false;
  }

  let last = performance.now();
  function tick(now) {
    // The first timestamp may lie before the start; a hidden page may sleep for long.
    const elapsed = Math.min(Math.max((now - last) / 1000, 0), 0.25);
    last = now;
    if (state.isPlaying && meta.frames > 1) {
      time += elapsed * state.speed;
      const duration = meta.frames / meta.fps;
      if (time >= duration) {
        if (state.loop) time %= duration;
        else { time = (meta.frames - 1) / meta.fps; state.isPlaying = false; }
        changed();
      }
      const next = Math.min(Math.floor(time * meta.fps + 1e-6), meta.frames - 1);
      if (next !== frame) { frame = next; changed(); }
    }
    if (isDirty) draw();
    requestAnimationFrame(tick);
  }
  stage.resize();
  isSized = true;
  stage.state = state;
  stage.frameAll();
  draw();
  byId('message').hidden = true;
  actions.togglePlay();
  requestAnimationFrame(tick);

  if (location.hash === '#sheet') joinSheet();

  /** Inside a sheet of pages: no controls of its own; the sheet says which moment, and cameras move together. */
  function joinSheet() {
    document.body.classList.add('sheet');
    state.isPlaying = false;
    let isTold = false;
    addEventListener('message', (event) => {
      const words = event.data?.cutisSheet;
      if (words?.moment !== undefined) actions.goTo(Math.round(words.moment * (meta.frames - 1)));
      if (words?.camera) {
        isTold = true;
        stage.camera.position.fromArray(words.camera.position);
        stage.controls.target.fromArray(words.camera.target);
        stage.controls.update();
        isTold = false;
        changed();
      }
    });
    stage.controls.addEventListener('change', () => {
      if (!isTold) parent.postMessage({ cutisPage: { camera: { position: stage.camera.position.toArray(), target: stage.controls.target.toArray() } } }, '*');
    });
    parent.postMessage({ cutisPage: { seconds: meta.frames / meta.fps } }, '*');
  }

  // For tests and figures: the same actions the buttons call, a draw that happens now, and what is on screen.
  window.cutis = {
    meta, state, actions, stage,
    at(target) { state.isPlaying = false; actions.goTo(target); draw(); },
    draw,
    startSeconds: performance.now() / 1000,
    get frame() { return frame; },
  };
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId('theme-button').textContent = theme === 'dark' ? 'Light' : 'Dark';
}

start().catch((error) => {
  byId('message').hidden = false;
  byId('message').textContent = `This page could not be shown: ${error.message}`;
  throw error;
});
