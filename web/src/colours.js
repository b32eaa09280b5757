// Colour scales that also read in grey and for the colour-blind: dark blue over orange to pale yellow for sizes,
// blue-white-red for values around a neutral middle.
const sizes = [[0.12, 0.13, 0.42], [0.33, 0.12, 0.52], [0.62, 0.2, 0.46], [0.9, 0.4, 0.33], [0.99, 0.68, 0.35], [0.99, 0.96, 0.7]];
const signed = [[0.13, 0.25, 0.6], [0.42, 0.6, 0.85], [0.93, 0.93, 0.93], [0.9, 0.5, 0.38], [0.65, 0.1, 0.15]];

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const linearSizes = sizes.map((c) => c.map(linear));
const linearSigned = signed.map((c) => c.map(linear));

function along(table, x, out, at) {
  const t = Math.min(Math.max(x, 0), 1) * (table.length - 1);
  const i = Math.min(Math.floor(t), table.length - 2);
  const f = t - i;
  for (let c = 0; c < 3; c++) out[at + c] = table[i][c] * (1 - f) + table[i + 1][c] * f;
}

/** Linear colour of x in [0, 1] into out[at .. at+2]. */
export function colourOf(x, isSigned, out, at) {
  along(isSigned ? linearSigned : linearSizes, x, out, at);
}

/** The same scale as CSS colours, for the legend. */
export function cssColour(x, isSigned) {
  const c = [0, 0, 0];
  along(isSigned ? signed : sizes, x, c, 0);
  return `rgb(${c.map((v) => Math.round(v * 255)).join(' ')})`;
}

/** What parts are made of, in the order of their numbers. */
export const classes = [['skin', [0.85, 0.45, 0.3]], ['cloth', [0.12, 0.3, 0.75]], ['hair', [0.3, 0.17, 0.05]], ['rigid', [0.55, 0.58, 0.6]]];

/** A colour for island 1, 2, ...: neighbours in number lie far apart in hue. */
export function islandColour(number) {
  const hue = (number * 0.61803398875) % 1;
  return [0, 1 / 3, 2 / 3].map((shift) => 0.08 + 0.8 * Math.abs(((hue + shift) % 1) * 2 - 1) ** 1.5);
}

export const cssLinear = (rgb) => `rgb(${rgb.map((c) => Math.round(255 * c ** (1 / 2.2)))})`;
