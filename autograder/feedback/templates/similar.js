"use strict";
const data = JSON.parse(document.getElementById("data").textContent);

function element(name, text, to) {
  const made = document.createElement(name);
  made.textContent = text;
  return to.appendChild(made);
}

function show(pair) {
  const { sources, pairs } = data[pair.dataset.homework];
  const [names, lines] = pairs[pair.dataset.pair];
  const sides = element("div", "", pair);
  sides.className = "sides";
  names.forEach((name, side) => {
    const [page, text] = sources[name];
    const part = element("section", "", sides);
    const link = element("a", name, element("h3", "", part));
    if (page) link.href = page + ".html";
    element("p", `${lines[side].length} lines alike, marked ▸`, part).className = "quiet";
    const list = element("ol", "", part);
    list.className = "source";
    const alike = new Set(lines[side]);
    text.split("\n").forEach((line, number) => {
      if (alike.has(number + 1)) element("li", line, list).className = "alike";
      else element("li", line, list);
    });
  });
}

for (const pair of document.querySelectorAll(".pair")) {
  pair.addEventListener("toggle", () => { if (pair.open && !pair.querySelector(".sides")) show(pair); });
}
