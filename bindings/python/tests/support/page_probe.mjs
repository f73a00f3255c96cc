// SPDX-License-Identifier: Apache-2.0
// Runs the script of a trace's page with the few things of a browser that it uses, and prints what it drew: no browser, but its
// language and its logic.
import { readFileSync } from "node:fs";

const page = readFileSync(process.argv[2], "utf-8");
const [data, script] = [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map((found) => found[1]);
const listeners = {};
const drawn = { rectangles: 0, texts: [], marked: 0, lines: 0 };
const pen = new Proxy({}, {
  get: (_, name) => (...given) => {
    if (name === "fillRect") drawn.rectangles += 1;
    if (name === "fillText") drawn.texts.push(given[0]);
    if (name === "strokeRect") drawn.marked += 1;
    if (name === "lineTo") drawn.lines += 1;
  },
  set: () => true,
});
const element = (name) => ({
  style: {}, value: "", textContent: name === "data" ? data : "", clientWidth: 1000, getContext: () => pen,
  addEventListener: (event, call) => { listeners[`${name}.${event}`] = call; },
});
const elements = Object.fromEntries(["view", "search", "about", "found", "span", "all", "legend", "data"].map((name) => [name, element(name)]));
globalThis.document = { getElementById: (name) => elements[name] };
globalThis.Path2D = class {};
globalThis.window = { devicePixelRatio: 2 };
globalThis.addEventListener = (event, call) => { listeners[`page.${event}`] = call; };
new Function(script)();
const result = { first: { ...drawn, span: elements.span.textContent } };
const again = (name, act) => {
  Object.assign(drawn, { rectangles: 0, texts: [], marked: 0, lines: 0 });
  act();
  result[name] = { ...drawn, span: elements.span.textContent, found: elements.found.textContent, about: elements.about.textContent };
};
again("zoomed", () => listeners["view.wheel"]({ preventDefault() {}, offsetX: 600, deltaY: -300 }));
again("moved", () => {
  listeners["view.mousedown"]({ offsetX: 500 });
  listeners["view.mousemove"]({ offsetX: 450, offsetY: 0 });
  listeners["page.mouseup"]();
});
again("searched", () => { elements.search.value = process.argv[3]; listeners["search.input"](); });
again("whole", () => listeners["all.click"]());
again("hovered", () => {
  const isFound = () => elements.about.textContent.toUpperCase().startsWith(process.argv[3]);
  for (let place = 0; place < 25000 && !isFound(); place += 1)
    listeners["view.mousemove"]({ offsetX: (place % 250) * 4, offsetY: Math.floor(place / 250) * 4, clientX: 1, clientY: 2 });
});
console.log(JSON.stringify(result));
