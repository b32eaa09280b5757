// What leaves the page and what comes in: scenes, pictures, videos, GLB; files that are dropped.
import { glbOf } from './export.js';
import { zipOf } from './zip.js';

const $ = (id) => document.getElementById(id);

/** Buttons and drops of files for a page of main.js. */
export function offerFiles({ page, stage, engine, ask, problem, open, redraw, showPlaying }) {
  function download(blob, name) {
    const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  async function save(hands) {
    const answer = await ask({ do: 'save', hands });
    if (answer) download(new Blob([answer.scene], { type: 'application/toml' }), 'scene.toml');
  }
  $('save').onclick = () => save(false);
  $('save-hands').onclick = () => save(true);
  $('picture').onclick = () => {
    stage.draw();
    $('canvas').toBlob((blob) => download(blob, 'cutis.png'));
  };
  $('video').onclick = () => {
    if (page.recorder) return page.recorder.stop();
    const mimeType = ['video/webm', 'video/mp4'].find((type) => MediaRecorder.isTypeSupported(type));
    if (!mimeType) return problem('This browser records no video; a PNG sequence it can.');
    const recorder = (page.recorder = new MediaRecorder($('canvas').captureStream(30), { mimeType }));
    const pieces = [];
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    recorder.onstop = () => {
      page.recorder = null;
      $('video').textContent = 'Video';
      download(new Blob(pieces, { type: mimeType }), `cutis.${mimeType.slice(6)}`);
    };
    $('video').textContent = 'Stop';
    return recorder.start();
  };
  /** What is drawn from now on, until the button is pressed again or there is enough of it. */
  $('pictures').onclick = () => {
    if (page.sequence) return page.sequence.end();
    const most = 150;
    const blobs = [];
    const sequence = (page.sequence = {
      add() {
        blobs.push(new Promise((resolve) => { $('canvas').toBlob(resolve); }));
        $('pictures').textContent = `Stop (${blobs.length}/${most})`;
        if (blobs.length === most) sequence.end();
      },
      async end() {
        if (page.sequence !== sequence) return;
        page.sequence = null;
        $('pictures').textContent = 'PNG sequence';
        const files = await Promise.all(blobs.map(async (blob, i) => ({ name: `cutis-${String(i + 1).padStart(4, '0')}.png`, bytes: new Uint8Array(await (await blob).arrayBuffer()) })));
        if (files.length) download(zipOf(files), 'cutis.zip');
      },
    });
    return redraw();
  };
  /** Plays the clip once from its beginning and keeps what is seen. */
  $('export').onclick = async () => {
    const { duration, fps } = page.scene;
    const most = Math.min(600, Math.max(2, Math.round((duration || 2) * fps) + 1));
    const frames = [];
    const times = [];
    page.export = {
      add({ head, sections }) {
        if (head.meshes) frames.length = times.length = 0;
        const places = sections.filter(({ kind }) => kind === 'positions');
        if (!page.export.begun || frames.length >= most) return;
        times.push(head.clock);
        frames.push(new Map(places.map(({ mesh, values }) => [mesh, values.slice()])));
        $('export').textContent = `${frames.length}/${most}`;
        if (frames.length === most) page.export.done();
      },
    };
    const finished = new Promise((resolve) => { page.export.done = resolve; });
    await ask({ do: 'clock', time: 0, play: true });
    showPlaying(true);
    page.export.begun = true;
    await finished;
    page.export = null;
    $('export').textContent = 'GLB';
    const spread = (surface, places) => Float32Array.from({ length: 3 * surface.source.length }, (_, i) => places[3 * surface.source[Math.floor(i / 3)] + (i % 3)]);
    const meshes = stage.surfaces.map((surface, m) => ({ surface, m })).filter(({ surface, m }) => !surface.description.isOtherView && frames.every((frame) => frame.has(m))).map(({ surface, m }) => ({
      name: surface.description.name || (m === 0 ? 'body' : `detail ${m}`),
      indices: Uint32Array.from(surface.triangles),
      uv: surface.uv ? Float32Array.from(surface.geometry.attributes.uv.array, (x, i) => (i % 2 ? 1 - x : x)) : null,
      colour: m === 0 ? [0.69, 0.39, 0.24] : [0.58, 0.45, 0.27],
      positions: frames.map((frame) => spread(surface, frame.get(m))),
    }));
    download(glbOf(meshes, times.map((t) => t - times[0])), 'cutis.glb');
  };
  async function take(file) {
    if (!file) return;
    try {
      $('message').hidden = false;
      $('message').textContent = `Reading ${file.name}…`;
      await engine.file(file.name, await file.arrayBuffer());
      $('demos').value = '';
      page.settings = new URLSearchParams();
      if (/\.toml$/i.test(file.name)) await open({ scene: await file.text() });
      else await open({ character: file.name });
    } catch (error) {
      problem(error.message);
    }
    $('message').hidden = true;
  }
  $('open-file').onclick = () => $('file').click();
  $('file').onchange = () => take($('file').files[0]);
  for (const [event, isOver] of [['dragover', true], ['dragleave', false]]) {
    addEventListener(event, (dragged) => {
      dragged.preventDefault();
      $('drop').hidden = !isOver;
    });
  }
  addEventListener('drop', (event) => {
    event.preventDefault();
    $('drop').hidden = true;
    take(event.dataTransfer.files[0]);
  });
}
