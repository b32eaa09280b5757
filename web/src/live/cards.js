// Layers as cards: their main sliders open, the rest folded away, everything from the engine's description of options.

const finite = (x) => typeof x === 'number' && Number.isFinite(x);

/** Ends of a slider: where values usually lie, else the range, else around the default. */
export function sliderEnds(option) {
  const soft = option.soft ?? [null, null];
  const range = option.range ?? [null, null];
  const value = finite(option.value) ? option.value : finite(option.default) ? option.default : null;
  let low = finite(soft[0]) ? soft[0] : finite(range[0]) && Math.abs(range[0]) < 1e5 ? range[0] : 0;
  let high = finite(soft[1]) ? soft[1] : finite(range[1]) && Math.abs(range[1]) < 1e5 ? range[1] : value ? 4 * Math.abs(value) : 1;
  if (value !== null) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high > low ? [low, high] : [low, low + 1];
}

/** Wide ranges are moved through by factors: half way is the geometric mean. */
const isWide = (low, high) => low > 0 && high / low > 50;
const toSlider = (value, low, high) => (isWide(low, high) ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
const fromSlider = (x, low, high) => (isWide(low, high) ? low * (high / low) ** x : low + x * (high - low));

// What a layer is in a visitor's words.
const plainly = { curve: 'flesh', fold: 'cloth', slide: 'skin', wrinkle: 'wrinkles', shell: 'detail' };

const short = (value) => (finite(value) ? String(Number(value.toPrecision(3))) : '');

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** One option; `change(value, isFinal)` is called while and after it is moved, `paint(option, ends, button)` to take the brush. null: not for a page. */
function row(option, change, paint) {
  const name = option.name.replaceAll('_', ' ');
  const output = element('output');
  const back = element('button', { className: 'back', type: 'button', title: 'back to the default', textContent: '↺' });
  const label = element('label', {}, element('span', { textContent: name }), element('span', {}, output, back));
  const about = element('p', { className: 'about', textContent: `${option.about}${option.live ? '' : ' (the layer is prepared again)'}.` });
  const box = element('div', { className: 'row', title: '' }, label);
  box.dataset.key = option.name;
  let show = () => {};
  const isNumber = ['number', 'integer', 'painted'].includes(option.kind);
  if (isNumber && (finite(option.value) || option.value === null)) {
    const [low, high] = sliderEnds(option);
    const input = element('input', { type: 'range', min: 0, max: 1, step: 0.001, ariaLabel: `${name}, ${option.about}` });
    const read = () => {
      const value = fromSlider(Number(input.value), low, high);
      return option.kind === 'integer' ? Math.round(value) : Number(value.toPrecision(4));
    };
    show = () => {
      const value = option.value;
      input.value = finite(value) ? toSlider(Math.min(Math.max(value, low), high), low, high) : 0.5;
      if (Array.isArray(value)) {
        output.textContent = 'painted ';
        return;
      }
      output.textContent = `${finite(value) ? short(value) : 'automatic'}${finite(value) && option.unit && option.unit !== '1' ? ` ${option.unit}` : ''} `;
    };
    input.oninput = () => {
      option.value = read();
      show();
      mark();
      if (option.live) change(option.value, false);
    };
    input.onchange = () => change(read(), true);
    const slider = element('div', { className: 'slider' }, input);
    if (finite(option.default) && option.default >= low && option.default <= high) {
      const mark = element('i', { title: `default: ${short(option.default)}` });
      mark.style.setProperty('--default', toSlider(option.default, low, high));
      slider.append(mark);
    }
    box.append(slider);
    const unit = option.unit && option.unit !== '1' ? ` ${option.unit}` : '';
    about.append(` ${short(low)} to ${short(high)}${unit}; default ${finite(option.default) ? short(option.default) : option.automatic ?? 'automatic'}.`);
    if (option.kind === 'painted') {
      const brush = element('button', { className: 'brush', type: 'button', title: 'paint it on the surface', textContent: 'paint', ariaLabel: `paint ${name}` });
      brush.onclick = (event) => {
        event.preventDefault();
        paint(option, [low, high], brush);
      };
      output.after(brush);
    }
  } else if (option.kind === 'boolean') {
    const input = element('input', { type: 'checkbox' });
    show = () => { input.checked = option.value; };
    input.onchange = () => change((option.value = input.checked), true);
    output.before(input);
  } else if (option.choices && option.kind !== 'other') {
    const input = element('select', {}, ...option.choices.map((choice) => element('option', { value: choice, textContent: choice })));
    show = () => { input.value = option.value; };
    input.onchange = () => change((option.value = input.value), true);
    output.before(input);
  } else {
    return null;
  }
  const mark = () => box.classList.toggle('changed', JSON.stringify(option.value) !== JSON.stringify(option.default));
  back.onclick = () => {
    option.value = option.default;
    show();
    mark();
    change(option.default, true);
  };
  box.append(about);
  box.refresh = (value) => {
    option.value = value;
    show();
    mark();
  };
  show();
  mark();
  return box;
}

/** \param actions { set(layer, key, value, isFinal), on(layer, isOn), paint(layer, option, ends, button, card) } */
export function showCards(parent, layers, actions) {
  parent.replaceChildren(...layers.map((layer, i) => {
    const isOn = element('input', { type: 'checkbox', checked: layer.on, ariaLabel: `${layer.name} on or off` });
    const time = element('small');
    const card = element('section', { className: 'card' }, element('h2', {}, isOn, element('span', { textContent: layer.name }, element('em', { textContent: layer.name === plainly[layer.kind] ? '' : ` ${plainly[layer.kind] ?? ''}` })), time));
    card.classList.toggle('off', !layer.on);
    isOn.onchange = () => {
      card.classList.toggle('off', !isOn.checked);
      actions.on(i, isOn.checked);
    };
    card.time = time;
    card.setOn = (on) => {
      isOn.checked = on;
      card.classList.toggle('off', !on);
    };
    const rows = layer.options.map((option) => [option, row(option, (value, isFinal) => actions.set(i, option.name, value, isFinal, card), (...brush) => actions.paint(i, ...brush, card))]).filter(([, made]) => made);
    card.rows = new Map(rows.map(([option, made]) => [option.name, made]));
    card.append(...rows.filter(([option]) => option.main).map(([, made]) => made));
    const groups = new Map();
    for (const [option, made] of rows.filter(([{ main }]) => !main)) {
      const group = option.advanced ? 'advanced' : option.group || 'more';
      groups.set(group, [...(groups.get(group) ?? []), made]);
    }
    const rest = element('details', {}, element('summary', { textContent: 'more' }));
    for (const [group, made] of groups) rest.append(element('details', {}, element('summary', { textContent: group }), ...made));
    if (groups.size) card.append(rest);
    return card;
  }));
  return [...parent.children];
}
