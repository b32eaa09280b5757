// Curves over time beside the picture; dragging on one scrubs.
export class Plots {
  constructor(container, meta, onScrub) {
    this.meta = meta;
    this.items = [];
    if (!meta.plots?.length) return;
    const heading = document.createElement('h2');
    heading.textContent = 'Over time';
    container.append(heading);
    for (const plot of meta.plots) {
      const figure = document.createElement('figure');
      const caption = document.createElement('figcaption');
      const name = document.createElement('span');
      name.textContent = plot.unit && plot.unit !== '1' ? `${plot.name} (${plot.unit})` : plot.name;
      const value = document.createElement('b');
      caption.append(name, value);
      const canvas = document.createElement('canvas');
      canvas.setAttribute('role', 'img');
      canvas.setAttribute('aria-label', plot.name);
      figure.append(caption, canvas);
      container.append(figure);
      const scrub = (event) => {
        const box = canvas.getBoundingClientRect();
        onScrub(Math.round(((event.clientX - box.left) / box.width) * (meta.frames - 1)));
      };
      canvas.addEventListener('pointerdown', (event) => {
        canvas.setPointerCapture(event.pointerId);
        scrub(event);
      });
      canvas.addEventListener('pointermove', (event) => event.buttons && scrub(event));
      this.items.push({ plot, canvas, value });
    }
  }

  draw(frame) {
    const style = getComputedStyle(document.documentElement);
    const line = style.getPropertyValue('--accent');
    const soft = style.getPropertyValue('--line');
    for (const { plot, canvas, value } of this.items) {
      const ratio = Math.min(window.devicePixelRatio, 2);
      const width = Math.round(canvas.clientWidth * ratio);
      const height = Math.round(canvas.clientHeight * ratio);
      if (width === 0) continue;
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      const g = canvas.getContext('2d');
      const values = plot.values;
      const low = Math.min(0, ...values);
      const high = Math.max(...values, low + 1e-12);
      const x = (i) => (i / Math.max(1, values.length - 1)) * (width - 2) + 1;
      const y = (v) => height - 3 - ((v - low) / (high - low)) * (height - 6);
      g.clearRect(0, 0, width, height);
      g.strokeStyle = soft;
      g.lineWidth = ratio;
      g.beginPath();
      g.moveTo(0, y(0));
      g.lineTo(width, y(0));
      g.moveTo(x(frame), 0);
      g.lineTo(x(frame), height);
      g.stroke();
      g.strokeStyle = line;
      g.lineWidth = 1.5 * ratio;
      g.beginPath();
      // Frames without a number (null) leave a gap.
      values.forEach((v, i) => v !== null && (i && values[i - 1] !== null ? g.lineTo(x(i), y(v)) : g.moveTo(x(i), y(v))));
      g.stroke();
      if (values[frame] !== null) {
        g.fillStyle = line;
        g.beginPath();
        g.arc(x(frame), y(values[frame]), 3 * ratio, 0, 2 * Math.PI);
        g.fill();
      }
      value.textContent = pretty(values[frame]);
    }
  }
}

export function pretty(v) {
  if (v === null) return '\u2013';
  if (v === 0) return '0';
  const size = Math.abs(v);
  return size >= 1e5 || size < 1e-3 ? v.toExponential(2) : String(Number(v.toPrecision(3)));
}
