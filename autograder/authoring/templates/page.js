"use strict";
// A button to copy each piece of code; without a clipboard, as on some learning platforms, by a selection.
const said = document.querySelector(".said");
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.body.appendChild(document.createElement("textarea"));
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
for (const code of document.querySelectorAll("pre > code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "{{ say("Copy") }}";
  button.setAttribute("aria-label", `{{ say("Copy the code that begins") }} ${code.textContent.split("\n", 1)[0].slice(0, 40)}`);
  button.addEventListener("click", async () => {
    await copy(code.textContent);
    button.focus();
    button.textContent = "{{ say("Copied") }}";
    said.textContent = "{{ say("Copied.") }}";
    setTimeout(() => { button.textContent = "{{ say("Copy") }}"; said.textContent = ""; }, 2000);
  });
  const frame = document.createElement("div");
  frame.className = "code";
  code.parentElement.replaceWith(frame);
  frame.append(code.parentElement, button);
}
// A formula wider than the column is made smaller, so that it needs no scrolling.
function fit() {
  for (const formula of document.querySelectorAll(".math.block")) {
    formula.style.fontSize = "";
    const share = formula.clientWidth / formula.scrollWidth;
    if (share < 1) formula.style.fontSize = `${0.98 * share * parseFloat(getComputedStyle(formula).fontSize)}px`;
  }
}
document.fonts.ready.then(fit);
addEventListener("resize", fit);
addEventListener("beforeprint", fit);
