// The value under the pointer over the last seconds: how far skin has slid, or what the heat map shows.
const seconds = 5;

export class Trace {
  constructor(canvas) {
    this.canvas = canvas;
    this.points = [];
  }

  /** \param clock the session's seconds; null value: nothing is under the pointer */
  add(clock, value, what) {
    if (what !== this.what || (this.points.length && clock < this.points.at(-1)[0])) this.points = [];
    this.what = what;
    if (value !== null) this.points.push([clock, value]);
    while (this.points.length && this.points[0][0] < clock - seconds) this.points.shift();
    this.canvas.hidden = this.points.length < 2;
    if (!this.canvas.hidden) this.draw(clock);
  }

  draw(clock) {
    const { canvas, points } = this;
    const g = canvas.getContext('2d');
    const { width, height } = canvas;
    const style = getComputedStyle(canvas);
    let low = Infinity, high = -Infinity;
    for (const [, y] of points) {
      low = Math.min(low, y);
      high = Math.max(high, y);
    }
    if (!(high - low > 1e-9 * Math.abs(high))) high = low + (Math.abs(low) || 1) * 1e-3;
    g.clearRect(0, 0, width, height);
    g.strokeStyle = style.getPropertyValue('--accent') || style.color;
    g.fillStyle = style.color;
    g.lineWidth = 2;
    g.beginPath();
    points.forEach(([t, y], i) => g[i ? 'lineTo' : 'moveTo'](width * (1 - (clock - t) / seconds), height - 4 - ((y - low) / (high - low)) * (height - 22)));
    g.stroke();
    g.font = '11px system-ui, sans-serif';
    g.fillText(`${this.what}: ${Number(points.at(-1)[1].toPrecision(3))}  (${Number(low.toPrecision(2))} to ${Number(high.toPrecision(2))})`, 4, 12);
  }
}
