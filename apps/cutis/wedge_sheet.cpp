
#include "cutis/io/json.h"
#include "run.h"

namespace cutis::app {

namespace {

// Every frame of the sheet is a page that hides its own controls (#sheet) and obeys messages: the
// sheet tells all of them which moment to show, and passes the camera of one on to the others.
constexpr const char* before_list = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>cutis wedges</title>
<style>
:root { color-scheme: light dark; font: 14px system-ui, sans-serif; }
body { margin: 0; height: 100vh; display: flex; flex-direction: column; }
header, footer { display: flex; gap: 12px; align-items: center; padding: 8px 12px; }
h1 { font-size: 16px; margin: 0; flex: 1; }
main { flex: 1; min-height: 0; display: grid; gap: 6px; padding: 0 6px; }
figure { margin: 0; min-height: 0; display: flex; flex-direction: column; border: 1px solid #8886; border-radius: 6px; overflow: hidden; }
figcaption { padding: 4px 8px; font-weight: 600; }
iframe { flex: 1; border: 0; width: 100%; min-height: 0; }
footer input { flex: 1; }
@media (max-width: 600px) { main { grid-template-columns: 1fr !important; overflow: auto; } figure { min-height: 60vh; } }
</style></head><body>
<header><h1 id="title"></h1><button id="before">Previous</button><span id="where"></span><button id="after">Next</button></header>
<main id="sheet"></main>
<footer><button id="play">Play</button><input id="scrub" type="range" min="0" max="1000" value="0" aria-label="Moment"></footer>
<script type="application/json" id="list">)";

constexpr const char* after_list = R"(</script>
<script>
const { title, pages } = JSON.parse(document.getElementById('list').textContent);
const byId = (id) => document.getElementById(id);
const perScreen = 9;  // browsers allow about 16 pictures of this kind at once
let screen = 0, moment = 0, isPlaying = false, last = 0;
byId('title').textContent = title;
const tell = (words, but) => document.querySelectorAll('iframe').forEach((f) => f.contentWindow !== but && f.contentWindow.postMessage({ cutisSheet: words }, '*'));
function show() {
  const here = pages.slice(screen * perScreen, (screen + 1) * perScreen);
  byId('sheet').style.gridTemplateColumns = `repeat(${Math.ceil(Math.sqrt(here.length))}, 1fr)`;
  byId('sheet').replaceChildren(...here.map(([file, label]) => {
    const figure = document.createElement('figure');
    const caption = document.createElement('figcaption');
    caption.textContent = label;
    const frame = document.createElement('iframe');
    frame.title = label;
    frame.src = file + '#sheet';
    frame.addEventListener('load', () => setTimeout(() => tell({ moment }), 300));
    figure.append(caption, frame);
    return figure;
  }));
  const screens = Math.ceil(pages.length / perScreen);
  byId('where').textContent = `${screen + 1} / ${screens}`;
  for (const id of ['before', 'after', 'where']) byId(id).hidden = screens < 2;
}
function setMoment(value) { moment = value; byId('scrub').value = String(Math.round(1000 * value)); tell({ moment }); }
byId('scrub').addEventListener('input', (e) => { isPlaying = false; setMoment(e.target.value / 1000); });
byId('play').addEventListener('click', () => { isPlaying = !isPlaying; byId('play').textContent = isPlaying ? 'Pause' : 'Play'; });
byId('before').addEventListener('click', () => { screen = Math.max(0, screen - 1); show(); });
byId('after').addEventListener('click', () => { screen = Math.min(Math.ceil(pages.length / perScreen) - 1, screen + 1); show(); });
let seconds = 4;
addEventListener('message', (e) => {
  const words = e.data?.cutisPage;
  if (words?.seconds) { seconds = words.seconds; tell({ moment }); }
  if (words?.camera) tell({ camera: words.camera }, e.source);
});
requestAnimationFrame(function tick(now) {
  if (isPlaying) setMoment((moment + Math.min(now - last, 250) / 1000 / seconds) % 1);
  last = now;
  requestAnimationFrame(tick);
});
show();
</script></body></html>
)";

}  // namespace

std::string sheet_text(const std::string& title, const std::vector<std::pair<std::string, std::string>>& pages) {
    Json list = {{"title", title}, {"pages", Json::array()}};
    for (const auto& [file, label] : pages) {
        list["pages"].push_back({file, label});
    }
    std::string text = list.dump(-1, true);
    // The text stands inside a script element; "<" only occurs inside JSON strings.
    for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
        text.replace(at, 1, "\\u003c");
    }
    return before_list + text + after_list;
}

}  // namespace cutis::app
