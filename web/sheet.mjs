/** Pictures in rows, put together by the browser: PNG and JPEG. A label stands in the first picture of its row. */
export async function sheetOf(context, rows, labels = [], scale = 1) {
  const sheet = await context.newPage();
  const data = await sheet.evaluate(async ({ list, words, size }) => {
    const load = async (text) => {
      const image = new Image();
      image.src = `data:image/png;base64,${text}`;
      await image.decode();
      return image;
    };
    const pictures = await Promise.all(list.map((row) => Promise.all(row.map(load))));
    const width = size * pictures[0][0].width;
    const height = size * pictures[0][0].height;
    const canvas = document.createElement('canvas');
    canvas.width = width * pictures[0].length;
    canvas.height = height * pictures.length;
    const g = canvas.getContext('2d');
    pictures.forEach((row, y) => row.forEach((image, x) => g.drawImage(image, x * width, y * height, width, height)));
    g.font = '20px sans-serif';
    g.fillStyle = '#333';
    words.forEach((word, y) => g.fillText(word, 14, y * height + 30));
    return [canvas.toDataURL('image/png'), canvas.toDataURL('image/jpeg', 0.82)];
  }, { list: rows, words: labels, size: scale });
  await sheet.close();
  return data.map((url) => Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
}
