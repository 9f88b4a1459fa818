// What is wrong with a page, for the tests: each function returns a list of what a person would stumble over.
window.faults = (() => {
  "use strict";
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colours = new Map();

  function rgba(colour) {
    if (!colours.has(colour)) {
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = colour;
      pixel.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
      colours.set(colour, [r, g, b, a / 255]);
    }
    return colours.get(colour);
  }

  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);

  function canvas() {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.backgroundColor = "Canvas";
    const found = rgba(getComputedStyle(probe).backgroundColor);
    probe.remove();
    return found;
  }

  // The colour that an element's text stands on, and how opaque the element is.
  function ground(element, known) {
    if (!element) return [canvas(), 1];
    if (!known.has(element)) {
      const [below, alpha] = ground(element.parentElement, known), style = getComputedStyle(element);
      known.set(element, [over(rgba(style.backgroundColor), below), alpha * style.opacity]);
    }
    return known.get(element);
  }

  // In a drawing, text stands on the last shape before it that covers its middle.
  function shape(text, below) {
    const middle = text.getBoundingClientRect(), x = middle.x + middle.width / 2, y = middle.y + middle.height / 2;
    const under = [...text.ownerSVGElement.querySelectorAll("rect, circle, ellipse, path, polygon")].filter(one => {
      const box = one.getBoundingClientRect(), fill = getComputedStyle(one).fill;
      const covers = box.left <= x && x <= box.right && box.top <= y && y <= box.bottom && fill !== "none";
      return covers && one.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
    });
    return under.reduce((sum, one) => {
      const style = getComputedStyle(one), [r, g, b, a] = rgba(style.fill);
      return over([r, g, b, a * style.fillOpacity * style.opacity], sum);
    }, below);
  }

  function luminance(colour) {
    const [r, g, b] = colour.map(part => part / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  const name = element => {
    const own = element.id ? `#${element.id}` : element.classList.length ? `.${[...element.classList].join(".")}` : "";
    return `${element.tagName.toLowerCase()}${own} “${element.textContent.trim().replace(/\s+/g, " ").slice(0, 40)}”`;
  };

  const seen = element => {
    const box = element.getBoundingClientRect();
    return element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      && box.width > 1 && box.height > 1 && box.right > 0;
  };

  // Text whose ratio to what is behind it is under 4.5, or 3 where it is large.
  function contrast() {
    const known = new Map(), found = new Set();
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const element = walk.currentNode.parentElement;
      if (!walk.currentNode.data.trim() || element.closest("script, style, template, :disabled, title") || !seen(element)) continue;
      const style = getComputedStyle(element), size = parseFloat(style.fontSize);
      const inDrawing = element instanceof SVGElement, [plain, alpha] = ground(element, known);
      const below = inDrawing ? shape(element, plain) : plain;
      const [r, g, b, a] = rgba(inDrawing ? style.fill : style.color), ink = [r, g, b, a * alpha];
      const [light, dark] = [luminance(over(ink, below)), luminance(below)].sort((a, b) => b - a);
      const ratio = (light + 0.05) / (dark + 0.05), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
      if (ratio < (large ? 3 : 4.5) - 0.01) found.add(`${name(element)}: ${ratio.toFixed(2)}, ${[r, g, b]} on ${below.slice(0, 3).map(Math.round)}`);
    }
    return [...found];
  }

  const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex], [contenteditable]";

  // What makes the page wider than the window, and controls that are cut off at its edge.
  function wide() {
    const root = document.documentElement, is_wide = root.scrollWidth > root.clientWidth;
    const reach = [...document.body.querySelectorAll("*")].filter(one => {
      const box = one.getBoundingClientRect();
      if (Math.max(box.right, box.left + one.scrollWidth) <= root.clientWidth + 0.5) return false;
      if (!is_wide && !(one.matches(CONTROLS) && seen(one) && box.right > root.clientWidth + 0.5)) return false;
      for (let up = one.parentElement; up && up !== document.body; up = up.parentElement)
        if (/auto|scroll/.test(getComputedStyle(up).overflowX)) return false;
      return true;
    });
    const culprits = reach.slice(-3).map(name).join(", ");
    return is_wide || reach.length ? [`${root.scrollWidth} px in ${root.clientWidth} px: ${culprits}`] : [];
  }

  const reachable = one => one.matches(CONTROLS) && one.tabIndex >= 0;

  // What can be clicked or has to be scrolled, and is not reached with the Tab key.
  function unreachable() {
    const found = [];
    for (const one of document.body.querySelectorAll("*")) {
      if (!seen(one) || one.closest(":disabled")) continue;
      const style = getComputedStyle(one);
      const pointer = style.cursor === "pointer" && getComputedStyle(one.parentElement).cursor !== "pointer";
      const clickable = pointer || one.onclick || one.matches("[role=button], [role=tab], [role=link]");
      const label = one.closest("label")?.control;
      if (clickable && !reachable(one.closest(CONTROLS) ?? one) && !(label && reachable(label))) found.push(`click: ${name(one)}`);
      const box = (/auto|scroll/.test(style.overflowX) && one.scrollWidth > one.clientWidth + 1)
        || (/auto|scroll/.test(style.overflowY) && one.scrollHeight > one.clientHeight + 1);
      if (box && !reachable(one)) found.push(`scroll: ${name(one)}`);
    }
    return found;
  }

  // The elements that Tab should visit, in the order of the page.
  const tabbable = () => [...document.querySelectorAll(CONTROLS)].filter(one => reachable(one) && seen(one) && !one.matches(":disabled")
    && !(one.type === "radio" && one.name && !one.checked)).length;

  // Whether one can see where the focus is.
  function unseenFocus() {
    const one = document.activeElement;
    if (!one || one === document.body) return "";
    const style = getComputedStyle(one);
    const drawn = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
    return drawn ? "" : name(one);
  }

  // What every page has: language, viewport, title, one h1, a main landmark, headings without gaps, unique ids.
  function outline() {
    const found = [], heads = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(one => one.checkVisibility());
    const need = { "a language": "html[lang]", "a viewport": "meta[name=viewport]", "a main landmark": "main" };
    for (const [what, selector] of Object.entries(need)) if (!document.querySelector(selector)) found.push(`no ${what}`);
    if (!document.title.trim()) found.push("no title");
    if (heads.filter(one => one.matches("h1")).length !== 1) found.push("not one h1");
    heads.forEach((one, at) => { if (at && one.tagName[1] - heads[at - 1].tagName[1] > 1) found.push(`level left out before ${name(one)}`); });
    const ids = [...document.querySelectorAll("[id]")].map(one => one.id);
    found.push(...new Set(ids.filter((id, at) => ids.indexOf(id) !== at).map(id => `two elements have the id ${id}`)));
    for (const one of document.querySelectorAll("th:not([scope]):not([role])")) { found.push(`no scope: ${name(one)}`); break; }
    return found;
  }

  // Signs that a screen reader would read as "check mark" or not at all.
  function wordless() {
    const found = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const element = walk.currentNode.parentElement;
      if (/^\s*[✓✗–…?☐☑]\s*$/u.test(walk.currentNode.data) && element.childElementCount === 0 && !element.closest("[aria-hidden=true], code, kbd, pre, script, svg, math, .grid") && seen(element)) found.add(`only a sign: ${name(element.parentElement)}`);
    }
    return [...found];
  }

  // What scrolls by keyboard needs a role and a name, or a screen reader does not say what one is in.
  const nameless = () => [...document.querySelectorAll("pre[tabindex], .scroll[tabindex]")]
    .filter(one => !one.getAttribute("role") || !one.getAttribute("aria-label")).map(one => `no name: ${name(one)}`);

  const unfold = () => document.querySelectorAll("details").forEach(one => { one.open = true; });
  const links = () => [...document.querySelectorAll("a[href]")].map(one => one.href);
  return { contrast, wide, unreachable, tabbable, unseenFocus, outline, wordless, nameless, unfold, links };
})();
