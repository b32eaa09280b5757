// Painting a number on the surface. What is painted is a list of soft dabs in the rest pose, which is a region a scene can hold: it
// belongs to no mesh, and a finer one takes it as well.
const $ = (id) => document.getElementById(id);

/** A dab's share at a place, as the engine has it (region_values). */
function share([x, y, z, radius, strength], places, at) {
  const s = Math.hypot(places[at] - x, places[at + 1] - y, places[at + 2] - z) / radius;
  return s < 1 ? strength * (1 - s * s * (3 - 2 * s)) : 0;
}

export class Brush {
  /** \param actions { set(layer, key, value, card), redraw(), hint(words) } */
  constructor(stage, actions) {
    Object.assign(this, { stage, actions, isTaken: false, isDown: false });
    this.mode = 'add';
    const modes = Object.entries({ add: 'paint', smooth: 'smooth', erase: 'take away' }).map(([mode, words]) => {
      const button = Object.assign(document.createElement('button'), { type: 'button', textContent: words });
      button.dataset.value = mode;
      button.setAttribute('aria-pressed', String(mode === this.mode));
      button.onclick = () => {
        this.mode = mode;
        for (const other of modes) other.setAttribute('aria-pressed', String(other === button));
      };
      return button;
    });
    $('brush-modes').replaceChildren(...modes);
    $('brush-done').onclick = () => this.drop();
    $('brush-value').oninput = () => this.showValue();
  }

  take(layer, option, [low, high], button, card) {
    const again = this.option === option;
    this.drop();
    if (again) return;
    const painted = Array.isArray(option.value) ? option.value : null;
    Object.assign(this, { layer, option, card, button, isTaken: true });
    this.dabs = painted ? painted[0].any.map(({ sphere }) => sphere) : [];
    this.outside = painted ? painted[2] : option.value ?? option.default ?? low;
    Object.assign($('brush-value'), { min: low, max: high, step: (high - low) / 1000 });
    $('brush-value').value = painted ? painted[1] : high;
    $('brush-what').textContent = option.name.replaceAll('_', ' ');
    $('brush').hidden = false;
    button.setAttribute('aria-pressed', 'true');
    this.stage.canvas.classList.add('painting');
    this.showValue();
    this.show();
    this.actions.hint('Paint on the character; “Done” gives your hand back.');
  }

  drop() {
    this.button?.setAttribute('aria-pressed', 'false');
    Object.assign(this, { isTaken: false, isDown: false, option: null, button: null });
    this.stage.painted = null;
    this.stage.canvas.classList.remove('painting');
    $('brush').hidden = true;
    this.actions.redraw();
  }

  showValue() {
    $('brush-number').textContent = Number(Number($('brush-value').value).toPrecision(3));
  }

  begin(hit) {
    this.isDown = true;
    this.last = null;
    this.go(hit);
  }

  go(hit) {
    if (hit?.mesh !== 0) return;
    const { pref } = this.stage.surfaces[0].geometry.attributes;
    const place = [...pref.array.slice(3 * hit.drawn, 3 * hit.drawn + 3)];
    const radius = Number($('brush-radius').value) * this.stage.size;
    const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    if (this.last && far(this.last, place) < radius / 4) return;
    this.last = place;
    const places = $('brush-mirror').checked ? [place, [-place[0], place[1], place[2]]] : [place];
    for (const one of places) {
      if (this.mode === 'erase') this.dabs = this.dabs.filter((dab) => far(dab, one) > radius);
      else if (this.mode === 'smooth') this.smooth(one, radius);
      else this.dabs.push([...one, radius, Number($('brush-strength').value)].map((x) => Number(x.toPrecision(5))));
    }
    this.show();
  }

  /** Dabs under the brush go towards the mean of what is painted around them, and wider: hills become lower, borders softer. */
  smooth(place, radius) {
    const { rest } = this.stage.surfaces[0];
    const values = this.values();
    const near = (at) => Math.hypot(rest[3 * at] - place[0], rest[3 * at + 1] - place[1], rest[3 * at + 2] - place[2]) < 1.5 * radius;
    let sum = 0, count = 0;
    for (let v = 0; v < values.length; v++) {
      if (!near(v)) continue;
      sum += values[v];
      count++;
    }
    const share = 0.3 * Number($('brush-strength').value);
    this.dabs = this.dabs.map(([x, y, z, r, strength]) => {
      if (Math.hypot(x - place[0], y - place[1], z - place[2]) > radius) return [x, y, z, r, strength];
      const lower = strength + share * Math.min(0, sum / Math.max(1, count) - strength);
      return [x, y, z, Math.min(r * (1 + 0.5 * share), 0.5 * this.stage.size), lower].map((n) => Number(n.toPrecision(5)));
    }).filter(([, , , , strength]) => strength > 0.01);
  }

  /** What is painted, at the body's vertices. */
  values() {
    const { rest } = this.stage.surfaces[0];
    const values = new Float32Array(rest.length / 3);
    for (let v = 0; v < values.length; v++) for (const dab of this.dabs) values[v] = Math.max(values[v], share(dab, rest, 3 * v));
    return values;
  }

  /** The surface shows what is painted before the layer has it. */
  show() {
    if (!this.stage.surfaces[0]) return;
    this.stage.painted = this.values();
    this.actions.redraw();
  }

  async end() {
    this.isDown = false;
    const { layer, option, card } = this;
    const value = this.dabs.length ? [{ any: this.dabs.map((sphere) => ({ sphere })) }, Number($('brush-value').value), this.outside] : this.outside;
    option.value = value;
    await this.actions.set(layer, option.name, value, card);
  }
}
