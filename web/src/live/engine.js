// One way to talk to both engines: `cutis live` behind a WebSocket, or WebAssembly in a Worker.

/** What the page carries in itself: { script, worker, wasm, actors, demos }, gzipped and in base64; null where `cutis live` serves it. */
function carried() {
  const element = document.getElementById('cutis-engine');
  return element ? JSON.parse(element.textContent) : null;
}

async function unpacked(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

class Engine {
  constructor(handlers) {
    this.handlers = handlers;
    this.waiting = new Map();
    this.seq = 0;
  }

  /** A command; resolves with its answer, rejects with its words. */
  ask(command) {
    const seq = ++this.seq;
    return new Promise((resolve, reject) => {
      this.waiting.set(seq, { resolve, reject });
      this.send(JSON.stringify({ ...command, seq }));
    });
  }

  answered(text) {
    const answer = JSON.parse(text);
    const key = answer.seq ?? answer.file;
    const waiting = this.waiting.get(key);
    this.waiting.delete(key);
    if (answer.error) (waiting ? waiting.reject(new Error(answer.error)) : this.handlers.problem(answer.error));
    else waiting?.resolve(answer);
  }

  lost() {
    for (const { reject } of this.waiting.values()) reject(new Error('the connection was lost'));
    this.waiting.clear();
  }
}

class NativeEngine extends Engine {
  name = 'native';

  connect() {
    const address = new URL('socket', location.href);
    address.protocol = 'ws:';
    address.hash = '';
    const socket = new WebSocket(address);
    socket.binaryType = 'arraybuffer';
    let wasOpen = false;
    socket.onopen = () => {
      wasOpen = true;
      this.socket = socket;
      this.handlers.ready();
    };
    socket.onmessage = ({ data }) => (typeof data === 'string' ? this.answered(data) : this.handlers.frame(data));
    socket.onclose = () => {
      this.socket = null;
      this.lost();
      this.handlers.problem(wasOpen ? 'The connection to cutis live was lost; trying again.' : 'cutis live does not answer: it has ended, or shows its scene in another page.');
      setTimeout(() => this.connect(), 1000);
    };
  }

  send(text) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
    else this.lost();
  }

  drawn() {
    this.send('drawn');
  }

  file(name, bytes) {
    return new Promise((resolve, reject) => {
      this.waiting.set(name, { resolve, reject });
      fetch('file', { method: 'POST', headers: { 'X-Name': encodeURIComponent(name) }, body: bytes })
        .then((response) => { if (!response.ok) throw new Error(`the file was refused (${response.status})`); }).catch(reject);
    });
  }
}

class WasmEngine extends Engine {
  name = 'WebAssembly';

  async connect() {
    const data = carried();
    const text = async (packed) => new TextDecoder().decode(await unpacked(packed));
    const actors = {};
    for (const [name, packed] of Object.entries(data.actors)) actors[name] = await unpacked(packed);
    const source = `${await text(data.script)}\n${await text(data.worker)}`;
    this.worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
    this.worker.onerror = (event) => this.handlers.problem(event.message || 'the engine cannot be started');
    this.worker.onmessage = ({ data: message }) => {
      if (message.frame) this.handlers.frame(message.frame);
      else if (message.answer) this.answered(message.answer);
      else if (message.ready) this.handlers.ready();
      else if (message.failed) {
        this.lost();
        this.handlers.problem(message.failed);
      }
    };
    const wasm = await unpacked(data.wasm);
    this.worker.postMessage({ begin: { wasm, actors, demos: data.demos } }, [wasm]);
  }

  send(text) {
    this.worker.postMessage({ command: text });
  }

  drawn() {
    this.worker.postMessage('drawn');
  }

  file(name, bytes) {
    return new Promise((resolve, reject) => {
      this.waiting.set(name, { resolve, reject });
      this.worker.postMessage({ file: { name, bytes } });
    });
  }
}

/** \param handlers { ready, frame(ArrayBuffer), problem(words) } */
export function makeEngine(handlers) {
  const engine = document.getElementById('cutis-engine') ? new WasmEngine(handlers) : new NativeEngine(handlers);
  Promise.resolve(engine.connect()).catch((error) => handlers.problem(error.message));
  return engine;
}

const types = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };

/** A frame's head and its sections, positions as floats. */
export function readFrame(buffer) {
  const view = new DataView(buffer);
  const length = view.getUint32(4, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const sections = head.sections.map((section) => {
    const values = new types[section.type](buffer, 8 + length + section.offset, section.count);
    if (!section.box) return { ...section, values };
    const [x, y, z, ...high] = section.box;
    const low = [x, y, z];
    const scale = high.map((h, c) => (h - low[c]) / 65535);
    const places = new Float32Array(values.length);
    for (let i = 0; i < values.length; i += 3) {
      places[i] = low[0] + values[i] * scale[0];
      places[i + 1] = low[1] + values[i + 1] * scale[1];
      places[i + 2] = low[2] + values[i + 2] * scale[2];
    }
    return { ...section, values: places };
  });
  return { head, sections };
}
