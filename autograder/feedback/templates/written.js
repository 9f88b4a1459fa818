"use strict";
(() => {
const $ = id => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const HOMEWORK = 1, QUESTION = 2, POINTS = 4, COMMENT = 5;  // the columns that every table begins with, from 0
const store = `written answers ${data.gradebook}`;
const given = data.rows.map(row => [row[POINTS], row[COMMENT]]);  // what the page came with
const rowOf = new Map(data.rows.map((row, at) => [keyOf(row), at]));
const names = [];  // of each row, as the page shows it
const undos = [];
let items = [];  // one per article: rows, points, comment, lines of the rubric; with `lead`, the mark is that one's
let log = [];  // how to undo the step that is under way
let touched = new Set();

function keyOf(row) { return JSON.stringify(row.slice(0, 3)); }

function make(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

const markOf = item => item.lead ?? item;
const isMarked = item => markOf(item).points !== "";
const itemAt = element => element?.closest?.(".answer")?.item;
const current = () => itemAt(document.activeElement);
const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const asNumber = text => /^\d*[.,]?\d*$/.test(text) && /\d/.test(text) ? Number(text.replace(",", ".")) : NaN;
const isFine = (item, text) => text === "" || asNumber(text) <= item.question.max;
const asText = points => String(Math.round(points * 100) / 100);

// ---- the answers, and what is done to them: each step can be undone

function newItem(el, rows, question, head) {
  const item = { el, rows, question, points: "", comment: "", lines: null, lead: null, conflict: null, built: false };
  item.head = head ?? item;
  item.equals = el;  // the same for answers that are equal and were split, because their marks differ
  el.item = item;
  return item;
}

function set(item, values) {
  const was = Object.fromEntries(Object.keys(values).map(name => [name, item[name]]));
  log.push(() => { Object.assign(item, was); touched.add(item); });
  Object.assign(item, values);
  touched.add(item);
}

function split(item, parts) {
  const was = item.rows;
  item.el.querySelector(".who")?.remove();  // names, of which there may be many
  item.el.querySelector("h3").replaceChildren();
  const others = parts.slice(1).map(rows => {
    const el = item.el.cloneNode(true);
    el.classList.add("near");
    el.querySelectorAll(".controls, .conflict, .quiet").forEach(one => one.remove());
    const { points, comment, lines } = item;
    return Object.assign(newItem(el, rows, item.question, item.head), { points, comment, lines, text: item.text, equals: item.equals });
  });
  item.rows = parts[0];
  item.el.after(...others.map(one => one.el));
  items.splice(items.indexOf(item) + 1, 0, ...others);
  for (const one of [item, ...others]) { entitle(one); touched.add(one); }
  log.push(() => {
    const focused = others.includes(current());
    for (const one of others) { one.el.remove(); touched.delete(one); }
    items = items.filter(one => !others.includes(one));
    item.rows = was;
    entitle(item);
    if (focused) item.el.focus();
  });
  if (item.built) others.forEach(build);
  return [item, ...others];
}

function entitle(item) {
  const many = item.rows.length > 4, own = [];
  for (const row of item.rows) own.push(make("bdi", names[row]), ", ");
  own.pop();
  item.el.querySelector(".who")?.remove();
  const head = item.el.querySelector("h3");
  if (many) {
    const who = make("details", "", { class: "who" });
    who.append(make("summary", "students"), ...own);
    head.textContent = `${item.rows.length} equal answers`;
    head.after(who);
  } else head.replaceChildren(...own, item.rows.length > 1 ? ` (${item.rows.length} equal answers)` : "");
}

function step(act, focus = current()) {
  log = [];
  act();
  if (log.length) undos.push([log, focus]);
  settle();
}

function undo() {
  const [todo, focus] = undos.pop() ?? [];
  if (!todo) return;
  todo.reverse().forEach(one => one());
  settle();
  if (focus && items.includes(focus)) go(focus);
}

function mark(item, points, lines = null) {
  if (item) step(() => set(markOf(item), { points, lines }), item);
}

function toggle(item, at) {
  const own = markOf(item), { rubric, max } = item.question, line = rubric[at];
  if (!line) return;
  const on = !own.lines?.includes(at);  // points that came from elsewhere belong to no line: begin anew
  const lines = own.lines ? (on ? [...own.lines, at] : own.lines.filter(one => one !== at)) : [at];
  const before = own.lines ? Number(own.points) : 0;
  mark(item, asText(Math.min(max, Math.max(0, before + (on ? line.points : -line.points)))), lines);
}

function full(item) { mark(item, asText(item.question.max), item.question.rubric.map((_, at) => at)); }

function shift(item, by) {
  const own = markOf(item), now = asNumber(own.points) || 0;
  mark(item, asText(Math.min(item.question.max, Math.max(0, now + by))), own.lines);
}

const othersOf = item => items.filter(one => one.head === item.head && one !== item.head);

function join(item) {
  const those = item === item.head ? othersOf(item) : [item];
  step(() => those.forEach(one => set(one, { lead: item.head })), item.head);
  if (those.length) go(item.head);
}

function separate(item) {
  const joined = item.lead ? [item] : othersOf(item).filter(one => one.lead === item);
  step(() => {
    if (joined.length) joined.forEach(one => set(one, { lead: null }));
    else splitBy(item, row => row);
  }, item);
}

// ---- marks from elsewhere: this browser's, or a colleague's table

function take(found, from) {
  let taken = 0, conflicts = 0;
  for (const item of [...items]) {
    if (!item.rows.some(row => found.has(row))) continue;
    const own = [markOf(item).points, markOf(item).comment];
    const theirs = row => found.get(row)?.slice(0, 2).some(Boolean) ? found.get(row) : own;
    for (const one of splitBy(item, row => theirs(row).slice(0, 2).join("\n"))) {
      const [points, comment, lines = null] = theirs(one.rows[0]);
      if (same(points, own[0]) && comment === own[1]) continue;
      if (one.lead) set(one, { lead: null });
      if ((one.points && points && !same(points, one.points)) || (one.comment && comment && comment !== one.comment)) {
        set(one, { conflict: { points, comment, from } });
        conflicts += 1;
      } else {
        set(one, { points: one.points || points, comment: one.comment || comment, lines: one.points ? one.lines : lines });
        taken += one.rows.length;
      }
    }
  }
  return [taken, conflicts];
}

function splitBy(item, kind) {
  const parts = [...Map.groupBy(item.rows, kind).values()];
  return parts.length > 1 ? split(item, parts) : [item];
}

const same = (one, other) => one === other || asNumber(one) === asNumber(other);

async function load(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const wide = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2).join()];
  const text = new TextDecoder(wide).decode(bytes);
  const [header, ...rows] = [",", ";", "\t"].map(separator => parse(text, separator)).find(([first]) => data.columns.slice(0, 3).every(name => first?.includes(name))) ?? [];
  const at = ["submission", "homework", "question", "points", "comment"].map(name => header?.indexOf(name));
  if (!header || at[3] < 0) return note(`${file.name} is not a table of marks: it needs the columns submission, homework, question, points, and whole quotes.`, "bad");
  const found = new Map(), strange = [];
  for (const row of rows.filter(one => one.some(Boolean))) {
    const [submission, homework, question, points, comment] = at.map(place => (row[place] ?? "").trim());
    const here = rowOf.get(JSON.stringify([submission, homework, question]));
    if (here === undefined || here >= names.length) strange.push(submission);
    else found.set(here, [points, comment]);
  }
  let counts;
  step(() => { counts = take(found, file.name); });
  const unknown = strange.length ? ` ${plural(strange.length, "row")} for no answer on this page (${strange.slice(0, 3).join(", ")}).` : "";
  note(`${file.name}: ${plural(counts[0], "mark")} taken, ${plural(counts[1], "conflict")}.${unknown}`, counts[1] ? "warn" : "");
  if (counts[1]) filter("conflicts");
}

function parse(text, separator) {
  const rows = [[]];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|((?!")[^${separator}\\r\\n]*))(${separator}|\\r?\\n|\\r|$)`, "gy");
  let read = 0;
  for (const [all, quoted, bare, end] of text.matchAll(cell)) {
    read += all.length;
    if (!all && !rows.at(-1).length) break;  // the file's end
    rows.at(-1).push(plain(quoted?.replaceAll('""', '"') ?? bare));
    if (end !== separator) rows.push([]);
  }
  return read === text.length ? rows : [];  // else quotes are not closed
}

// Cells are made safe for spreadsheets, and read again, as in `csv_table.py`.
const SIGN = "['\" \\ufeff]*[=+\\-@＝＋－＠\\t\\r\\n]";
const TO_ESCAPE = new RegExp(`^(?=${SIGN}[^])|(?<=[;\\t\\r\\n])(?=${SIGN})`, "g");
const ESCAPED = new RegExp(`^'(?=${SIGN}[^])|(?<=[;\\t\\r\\n])'(?=${SIGN})`, "g");
const plain = text => text.replace(ESCAPED, "");

function cell(text) {
  const safe = text.replace(TO_ESCAPE, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function save() {
  for (const item of items) {
    const { points, comment } = markOf(item);
    for (const row of item.rows) [data.rows[row][POINTS], data.rows[row][COMMENT]] = [points, comment];
  }
  const text = [data.columns, ...data.rows].map(row => `${row.map(cell).join(",")}\r\n`).join("");
  const link = make("a", "", { download: "written.csv", href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  settle();
}

const unsaved = item => item.rows.some(row => data.rows[row][POINTS] !== markOf(item).points || data.rows[row][COMMENT] !== markOf(item).comment);

// ---- what this browser keeps: the marks that the page did not come with, each with its answer's hash

function hash(item) {
  let sum = 0x811c9dc5;
  for (const letter of item.text.toLowerCase().split(/\s+/).join(" ")) sum = Math.imul(sum ^ letter.codePointAt(), 0x01000193);
  return sum >>> 0;
}

let elsewhere = {};  // kept marks of answers that this page does not show

function keep() {
  const kept = { ...elsewhere };
  for (const item of items) {
    const { points, comment, lines } = markOf(item);
    for (const row of item.rows) {
      if (given[row][0] === points && given[row][1] === comment && !item.lead) continue;
      kept[keyOf(data.rows[row])] = [hash(item), ...given[row], points, comment, lines, item.lead ? 1 : 0];
    }
  }
  try {
    if (Object.keys(kept).length) localStorage.setItem(store, JSON.stringify(kept));
    else localStorage.removeItem(store);
  } catch {
    keepsNothing();
  }
}

function keepsNothing() {
  $("kept").textContent = "This browser stores no marks from this page: save the CSV before you close it.";
  $("kept").className = "badge warn";
  $("away").hidden = true;
}

function throwAway() {
  elsewhere = {};
  step(() => { for (const item of items) set(item, { points: given[item.rows[0]][0], comment: given[item.rows[0]][1], lines: null, lead: null, conflict: null }); });
}

function recall() {
  let kept;
  try {
    kept = JSON.parse(localStorage.getItem(store) ?? "{}");
  } catch {
    return keepsNothing();
  }
  const found = new Map(), joined = [], changed = [], older = new Map();
  const itemOf = new Map(items.flatMap(item => item.rows.map(row => [row, item])));
  for (const [key, [sum, points, comment, ...mark]] of Object.entries(kept)) {
    const row = rowOf.get(key), item = itemOf.get(row);
    if (!item) elsewhere[key] = kept[key];
    else if (sum !== hash(item)) changed.push(`${names[row]} (${mark[0] || "–"})`);
    else {
      if (given[row][0] === points && given[row][1] === comment) older.set(row, item);
      found.set(row, mark);
      if (mark[3]) joined.push(row);
    }
  }
  for (const [row, item] of older) if (item.rows.every(one => older.has(one))) Object.assign(item, { points: "", comment: "" });
  const [taken, conflicts] = take(found, "This browser");
  for (const row of joined) {
    const item = items.find(one => one.rows.includes(row));
    if (item.head !== item && item.points === item.head.points && item.comment === item.head.comment) item.lead = item.head;
  }
  if (conflicts) filter("conflicts");
  if (taken) {
    note(`${plural(taken, "mark")} that this browser kept ${taken === 1 ? "is" : "are"} filled in; the CSV has ${taken === 1 ? "it" : "them"} once you save it.`);
  }
  if (changed.length) note(`Changed since you marked ${changed.length === 1 ? "it" : "them"}, so not filled in: ${changed.join(", ")}.`, "warn");
}

// ---- what is seen

function settle() {
  for (const item of [...touched]) othersOf(item.head).concat(item.head).forEach(one => touched.add(one));
  touched.forEach(show);
  touched = new Set();
  let marked = 0, open = 0;
  const counts = new Map();
  for (const item of items) {
    const own = isMarked(item) ? item.rows.length : 0;
    marked += own;
    counts.set(item.question, (counts.get(item.question) ?? 0) + own);
    if (unsaved(item)) open += item.rows.length;
  }
  $("progress").textContent = `${marked} of ${names.length} marked`;
  for (const [question, count] of counts) question.nav.textContent = `, ${count} marked`;
  $("state").textContent = open ? `(${open} unsaved)` : "";
  $("undo").disabled = !undos.length;
  dirty = open > 0;
  clearTimeout(timer);
  timer = setTimeout(keep, 300);
}
let dirty = false, twice = false, timer = 0;

function show(item) {
  const { points, comment, lines } = markOf(item);
  item.el.querySelectorAll(".entry").forEach((one, at) => { if (at) one.remove(); });
  item.el.querySelector(".entry").textContent = `Points: ${points || "____"} of ${item.question.max}${comment ? `. ${comment}` : ""}`;
  item.el.querySelector(".unequal")?.remove();
  const unequal = isMarked(item) ? othersOf(item.head).concat(item.head).filter(one => one.equals === item.equals && isMarked(one) && !same(markOf(one).points, points)) : [];
  if (unequal.length) {
    const others = unequal.map(one => `${markOf(one).points} (${one.rows.length === 1 ? names[one.rows[0]] : plural(one.rows.length, "student")})`);
    item.el.append(make("p", `An equal answer has other points: ${others.join(", ")}.`, { class: "note warn unequal" }));
  }
  item.el.querySelector(".conflict")?.remove();
  if (item.conflict) item.el.append(conflictOf(item));
  if (!item.built) return;
  const { joined, wrong, buttons, field, words, joiner, splitter } = item.built;
  const others = othersOf(item);
  joined.textContent = item.lead ? "Has the same mark as the first of these." : others.some(one => one.lead) && item === item.head ? `This mark also applies to ${others.filter(one => one.lead).map(one => one.rows.length === 1 ? names[one.rows[0]] : `${one.rows.length} equal ones`).join(", ")}.` : "";
  joined.hidden = !joined.textContent;
  for (const part of [...buttons, field.parentElement, words.parentElement]) part.hidden = Boolean(item.lead);
  buttons.forEach((one, at) => one.setAttribute("aria-pressed", Boolean(lines?.includes(at))));
  if (field !== document.activeElement) field.value = points;
  field.setAttribute("aria-invalid", !isFine(item, field.value.trim()));
  wrong.textContent = isFine(item, field.value.trim()) ? "" : `Not a mark: 0 to ${item.question.max}, such as 0.5 or 0,5`;
  if (words !== document.activeElement) words.value = comment;
  joiner.hidden = Boolean(item.lead) || (item === item.head && !others.some(one => !one.lead));
  joiner.textContent = item === item.head ? "Join the nearly equal ones (=)" : "Join the first (=)";
  splitter.hidden = !(item.lead || item.rows.length > 1 || others.some(one => one.lead === item));
}

function conflictOf(item) {
  const { points, comment, from } = item.conflict;
  const told = make("div", `${from} has ${points || "no points"}${comment ? `, “${comment}”` : ""}; here it is ${item.points || "no points"}${item.comment ? `, “${item.comment}”` : ""}. `, { class: "note warn conflict" });
  const theirs = make("button", "Take that", { type: "button" }), ours = make("button", "Keep this", { type: "button" });
  theirs.onclick = () => { item.el.focus(); step(() => set(item, { points, comment, lines: null, conflict: null }), item); };
  ours.onclick = () => { item.el.focus(); step(() => set(item, { conflict: null }), item); };
  told.append(theirs, " ", ours);
  return told;
}

// The inputs of answers are made when these come near the screen.
function build(item) {
  if (item.built) return;
  const controls = make("div", "", { class: "controls screen" });
  const bar = make("div", "", { class: "lines", role: "group", "aria-label": "Rubric" });
  const buttons = item.question.rubric.map((line, at) => {
    const one = make("button", `${at + 1}: +${asText(line.points)} ${line.text}`, { type: "button", title: line.text });
    one.onclick = () => toggle(item, at);
    return one;
  });
  const field = make("input", "", { class: "points", inputmode: "decimal", size: 4, autocomplete: "off" });
  const points = make("label", "Points ");
  points.append(field, ` of ${item.question.max}`);
  const words = make("textarea", "", { rows: 1, maxlength: 4000 });
  const comment = make("label", "Comment ");
  comment.append(words);
  typing(item, field, () => ({ points: isFine(item, field.value.trim()) ? field.value.trim().replace(",", ".") : "", lines: null }));
  typing(item, words, () => ({ comment: words.value.trim() }));
  const joiner = make("button", "", { type: "button" }), splitter = make("button", "Split (x)", { type: "button" });
  joiner.onclick = () => join(item);
  splitter.onclick = () => separate(item);
  const joined = make("span", "", { class: "quiet" }), wrong = make("span", "", { class: "bad", role: "alert" });
  bar.append(...buttons);
  controls.append(bar, points, wrong, comment, joined, joiner, splitter);
  item.el.append(controls);
  item.built = { joined, wrong, buttons, field, words, joiner, splitter };
  if (item.head !== item && item.text !== item.head.text) item.el.querySelector(".text").replaceChildren(...difference(item.head.text, item.text));
  show(item);
}

// What is typed counts at once; one undo takes back all that was typed in a field.
function typing(item, field, values) {
  let began = null;
  field.onfocus = () => { began = null; };
  field.oninput = () => {
    log = [];
    set(item, values());
    if (!began) undos.push([began = log, item]);
    settle();
  };
  field.onblur = () => { if (isFine(item, field.value.trim()) || field === item.built.words) show(item); };
}

function difference(from, to) {
  const [old, now] = [from, to].map(text => text.match(/\w+|\s+|[^\w\s]/gu) ?? []);
  const long = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) for (let j = now.length - 1; j >= 0; j--) {
    long[i][j] = old[i] === now[j] ? long[i + 1][j + 1] + 1 : Math.max(long[i + 1][j], long[i][j + 1]);
  }
  const runs = [];
  const add = (kind, word) => { if (runs.at(-1)?.[0] === kind) runs.at(-1)[1] += word; else runs.push([kind, word]); };
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (i < old.length && j < now.length && old[i] === now[j]) { add("span", now[j]); i++; j++; }
    else if (j === now.length || (i < old.length && long[i + 1][j] >= long[i][j + 1])) add("del", old[i++]);
    else add("ins", now[j++]);
  }
  return runs.map(([kind, text]) => make(kind, text));
}

function note(text, kind = "", ...more) {
  const told = make("div", text, { class: `note ${kind}` }), close = make("button", "OK", { type: "button" });
  close.onclick = () => told.remove();
  told.append(...more, " ", close);
  $("notes").append(told);
}

function filter(which = $("show").value) {
  $("show").value = which;
  const wanted = $("search").value.trim().toLowerCase();
  for (const item of items) item.el.hidden = !fits(item, which, wanted);
}

function fits(item, which, wanted) {
  if (which === "unmarked" && isMarked(item)) return false;
  if (which === "conflicts" && !item.conflict && !item.el.querySelector(".unequal")) return false;
  item.found ??= `${item.rows.map(row => names[row]).join("\n")}\n${item.text}`.toLowerCase();
  return item.found.includes(wanted);
}

function go(item) {
  if (!item) return;
  const left = current();
  item.el.hidden = false;
  build(item);
  item.el.focus({ preventScroll: true });
  item.el.scrollIntoView({ block: "nearest" });
  if (left && left !== item) left.el.hidden = !fits(left, $("show").value, $("search").value.trim().toLowerCase());
}

function move(by) {
  const here = document.activeElement, shown = items.filter(item => !item.el.hidden && !(item.lead && item !== current()));
  const at = shown.indexOf(current());
  if (at >= 0) return go(shown[at + by] ?? shown[at]);
  const after = here === document.body ? 0 : shown.findIndex(item => here.compareDocumentPosition(item.el) & Node.DOCUMENT_POSITION_FOLLOWING);
  go(shown[by > 0 ? after : (after < 0 ? shown.length : after) - 1]);
}

function turn(by) {
  const heads = [...document.querySelectorAll("section > h2")];
  const at = heads.indexOf(document.activeElement.closest("section")?.querySelector("h2"));
  const next = heads[Math.max(0, Math.min(heads.length - 1, at + by))];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "start" });
}

// ---- keys, and the beginning

{% include "letters.js" %}

const KEYS = {
  j: () => move(1), k: () => move(-1), n: () => turn(1), p: () => turn(-1), u: undo,
  t: () => filter($("show").value === "unmarked" ? "all" : "unmarked"),
  "/": () => $("search").focus(), "?": () => $("keys").showModal(),
};
const ON_ANSWER = {
  f: item => { full(item); move(1); }, 0: item => mark(item, "0", []), Backspace: item => mark(item, ""),
  "+": item => shift(item, .5), "-": item => shift(item, -.5), "=": join, x: separate,
  Enter: item => { build(markOf(item)); markOf(item).built.words.focus(); },
};

document.addEventListener("keydown", event => {
  const { key, target } = event, item = itemAt(target);
  if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "s") { event.preventDefault(); save(); return; }
  if (event.ctrlKey || event.altKey || event.metaKey || $("keys").open) return;
  if (target.matches("input, textarea, select")) {
    if (key === "Escape") (item?.el ?? target).focus();
    if (key === "Escape" && !item) target.blur();
    if (key === "Enter" && item && !event.shiftKey && target.getAttribute("aria-invalid") !== "true") { event.preventDefault(); item.el.focus(); move(1); }
    return;
  }
  if (key === "Enter" && target.matches("button, a, summary")) return;
  if (key.length === 1 && !$("letters").checked) return;
  const own = item && (ON_ANSWER[key] ?? (/^[1-9]$/.test(key) ? one => toggle(one, key - 1) : null));
  const act = own ?? KEYS[key];
  if (!act) return;
  event.preventDefault();
  act(item);
});

keepsLetters($("letters"));
$("save").onclick = save;
$("undo").onclick = undo;
$("away").onclick = throwAway;
$("help").onclick = () => $("keys").showModal();
$("load").onclick = () => $("file").click();
$("file").onchange = async () => { for (const one of $("file").files) await load(one); $("file").value = ""; };
$("show").onchange = () => filter();
$("search").oninput = () => filter();
window.addEventListener("beforeunload", event => { if (dirty) event.preventDefault(); });
window.addEventListener("pagehide", keep);
window.addEventListener("storage", event => {
  if (event.key === store && !twice) note("The marks on this page were changed in another window: continue in only one of them.", "warn");
  twice ||= event.key === store;
});

const navs = document.querySelectorAll("nav .marked");
document.querySelectorAll("section").forEach((section, place) => {
  const rubric = [...section.querySelectorAll(".rubric tbody tr")].map(row => ({ text: row.cells[0].textContent, points: Number(row.cells[1].textContent) }));
  const question = { max: Number(section.dataset.max), rubric, nav: navs[place] };
  let head = null;
  for (const el of section.querySelectorAll(".answer")) {
    const own = [...el.querySelectorAll(":is(h3, .who) > bdi")], rows = own.map((_, at) => names.length + at);
    names.push(...own.map(one => one.textContent));
    const item = newItem(el, rows, question, el.classList.contains("near") ? head : null);
    item.text = el.querySelector(".text").textContent;
    head = item.head;
    items.push(item);
  }
});
for (const item of [...items]) splitBy(item, row => given[row].join("\n"));  // equal, but marked differently in the table
for (const item of items) [item.points, item.comment] = given[item.rows[0]];
document.documentElement.classList.add("script");
document.querySelectorAll("[data-needs-script]").forEach(one => { one.hidden = false; });
recall();
const seen = new IntersectionObserver(found => found.forEach(one => { if (one.isIntersecting) one.target.querySelectorAll(".answer").forEach(el => build(el.item)); }), { rootMargin: "600px" });
document.querySelectorAll(".chunk").forEach(one => seen.observe(one));
for (const item of items) if (item.rows.length > 1 || item.points || item.comment) touched.add(item);
settle();
new ResizeObserver(() => document.documentElement.style.setProperty("--bar", `${$("bar").offsetHeight}px`)).observe($("bar"));
})();
