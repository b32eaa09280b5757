// The engine in WebAssembly, in a Worker: the same messages as a WebSocket to `cutis live` carries.
//   in:  { begin: { wasm, actors, demos } }   { command }   { file: { name, bytes } }   'drawn'
//   out: { ready }   { answer }   { frame }   { failed }
/* global cutisEngine */
let engine = null;
let underWay = 0;
let timer = 0;
let next = 0;
let interval = 1000 / 30;
const mostUnderWay = 2;

const failed = (error) => self.postMessage({ failed: String(error?.message ?? error) });

async function begin({ wasm, actors, demos }) {
  engine = await cutisEngine({
    instantiateWasm: (imports, done) => {
      WebAssembly.instantiate(wasm, imports).then(({ instance, module }) => done(instance, module), failed);
      return {};
    },
  });
  for (const folder of ['/work', '/actors', '/demos']) engine.FS.mkdir(folder);
  for (const [name, bytes] of Object.entries(actors)) engine.FS.writeFile(`/actors/${name}.glb`, new Uint8Array(bytes));
  for (const [name, text] of Object.entries(demos)) engine.FS.writeFile(`/demos/${name}.toml`, text);
  engine._live_begin();
  self.postMessage({ ready: true });
}

function command(text) {
  const bytes = engine.lengthBytesUTF8(text) + 1;
  const at = engine._malloc(bytes);
  engine.stringToUTF8(text, at, bytes);
  const answer = engine.UTF8ToString(engine._live_command(at));
  engine._free(at);
  const fps = JSON.parse(answer).fps;
  if (fps) interval = 1000 / fps;
  return answer;
}

// What cannot keep up goes slower instead of catching up: simulated time, never the step, gives way.
function loop() {
  timer = 0;
  if (underWay < mostUnderWay) {
    const made = engine._live_step();
    if (made > 0) {
      // The heap may have grown, which detaches older views of it.
      const at = engine._live_frame();
      const frame = engine.HEAPU8.slice(at, at + engine._live_frame_size()).buffer;
      underWay++;
      self.postMessage({ frame }, [frame]);
    }
    next = Math.max(next + interval, performance.now());
  } else {
    next = performance.now() + 2;
  }
  plan();
}

function plan() {
  if (!timer) timer = setTimeout(loop, Math.max(0, next - performance.now()));
}

self.onmessage = ({ data }) => {
  try {
    if (data === 'drawn') underWay = Math.max(0, underWay - 1);
    else if (data.begin) begin(data.begin).then(plan, failed);
    else if (data.command) self.postMessage({ answer: command(data.command) });
    else if (data.file) {
      const { name, bytes } = data.file;
      if (/[/\\]/.test(name)) throw new Error('file: expected a plain name');
      engine.FS.writeFile(`/work/${name}`, new Uint8Array(bytes));
      self.postMessage({ answer: JSON.stringify({ ok: true, file: name, name }) });
    }
  } catch (error) {
    failed(error);
  }
};
