"use strict";
// Fills the page of one submission from its data. What a submission says becomes text nodes and nothing else.

const SIGNS = { passed: "✓", failed: "✗", not_run: "–", collected: "…", not_judged: "?" };
const WITHOUT_POINTS = ["collected", "not_judged"];
const GOOD = { graded: "good", not_submitted: "warn" };
const MOST_LINES = 3000;
const MOST_CELLS = 2500;
const MOST_OTHERS = 5;

// Characters that could move a cursor, break a line or turn the direction of reading are written as escapes.
const plain = text => String(text).replace(/(?![\n\t ])[\p{C}\p{Z}]/gu, c => {
  const code = c.codePointAt(0);
  const [mark, length] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${mark}${code.toString(16).padStart(length, "0")}`;
});

// make("a.link", { href }, "text", node, …): an element with a class, attributes, and children as text or nodes.
function make(kind, attributes, ...children) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value);
  for (const child of children.flat(9)) {
    if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : plain(child));
  }
  return element;
}

const points = value => value === null || value === undefined ? "–" : String(+value.toFixed(4));
const withBonus = (text, bonus) => bonus ? `${text}, ${points(bonus)} of them bonus` : text;
// A text that scrolls in a box of its own: by keyboard too, and with a name.
const box = (label, ...children) => make("pre", { tabindex: 0, role: "group", "aria-label": plain(label) }, ...children);
const fold = (title, ...children) => make("details", {}, make("summary", {}, title), ...children);
const table = (heads, rows) => make("div.scroll", { tabindex: 0, role: "group", "aria-label": heads.join(", ") }, make("table", {},
  make("thead", {}, make("tr", {}, heads.map(head => make("th", { scope: "col" }, head)))),
  make("tbody", {}, rows.map(row => make("tr", {}, row.map(cell => make("td", {}, cell ?? "")))))));

// A text with `code` in it, and with links to the lines of the source that it names.
const NAMED = /`([^`]+)`|File "\/submission\/([^"]+)", line (\d+)|\bline (\d+) of (cell \d+|[^\s:,;()]+\.(?:py|ipynb))|\(([^()]+\.py), line (\d+)\)/g;

function said(text, lines) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(NAMED)) {
    const [whole, code, file, line, line2, file2, file3, line3] = match;
    const target = code === undefined && lines?.get(file ?? file2 ?? file3, line ?? line2 ?? line3);
    parts.push(text.slice(at, match.index));
    parts.push(code !== undefined ? make("code", {}, code) : target ? make("a", { href: `#${target.id}` }, whole) : whole);
    if (target) target.classList.add("hit");
    at = match.index + whole.length;
  }
  return [...parts, text.slice(at)];
}

// The source, a line per element; those of a notebook are counted from each cell on.
const TOKEN = /(#[^\n]*)|("""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\b(and|as|assert|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|not|or|pass|raise|return|try|while|with|yield|None|True|False)\b/g;

function* tokens(text) {
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    yield ["", text.slice(at, match.index)];
    yield [["comment", "string", "keyword"][match.slice(1).findIndex(one => one !== undefined)], match[0]];
    at = match.index + match[0].length;
  }
  yield ["", text.slice(at)];
}

class Source {
  constructor(prefix, file, text) {
    this.file = file;
    this.places = new Map();
    this.pre = box(`Source of ${file}`);
    let line = make("span.line"), all = "", cell = "", number = 0;
    const isNotebook = /\.ipynb$/i.test(file);
    const end = () => {
      const head = isNotebook && all.match(/^# In \[(\d+)\]$/);
      if (head) {
        cell = `cell ${head[1]}`;
        number = 0;
        line.classList.add("cell");
      } else {
        number += 1;
        line.dataset.n = number;
        line.id = `${prefix}-${cell ? `${cell.replace(" ", "")}-` : ""}${number}`;
        this.places.set(`${cell || file}:${number}`, line);
        const defined = all.match(/^\s*(?:def|class)\s+(\w+)/);
        if (defined && !this.places.has(defined[1])) this.places.set(defined[1], line);
      }
      this.pre.append(line);
      line = make("span.line");
      all = "";
    };
    let left = MOST_LINES;
    for (const [kind, token] of tokens(text.replace(/\r\n?/g, "\n").replace(/\n+(?=# In \[\d+\]\n)/g, "\n").trimEnd())) {
      token.split("\n").forEach((piece, place) => {
        if (place && left-- > 0) end();
        if (left <= 0 || !piece) return;
        line.append(kind ? make(`span.${kind}`, {}, piece) : plain(piece));
        all += piece;
      });
    }
    if (left > 0) end();
    else this.pre.append(`… ${-left + 1} more lines`);
  }

  get(file, line) { return this.places.get(`${file}:${line}`); }
  definition(task) { return this.places.get(task); }
}

// Numbers: yours, expected, difference.
function grid(title, one, isShort) {
  const caption = isShort ? title : `${title}: ${one.kind}${one.where && `, ${one.where} of it`}`;
  const isDifference = title === "difference";
  let left = MOST_CELLS;
  const rows = one.rows.map(row => row.split(" ")).filter(cells => (left -= cells.length) >= 0);
  if (!rows.length) return make("p.quiet", {}, caption);
  return make("div.scroll", { tabindex: 0, role: "group", "aria-label": plain(caption) }, make("table.grid", {}, make("caption", {}, caption),
    make("tbody", {}, rows.map(cells => make("tr", {}, cells.map(cell => make(isDifference && cell !== "·" ? "td.off" : "td", {}, cell)))))));
}

function exhibit(one, lines) {
  return make("div.exhibit", {},
    make("p", {}, make("strong", {}, `${one.group} case `), make("code", {}, one.case), ": ", make("code", {}, one.call),
      one.parts.length > 0 && ` (tolerance ${one.tolerance.toPrecision(1)})`),
    one.error && make("p.reason", {}, said(one.error, lines)),
    one.parts.map(part => {
      if (part.difference?.kind === "right") return make("p.quiet", {}, `${part.name}: right, ${part.came.kind}`);
      const same = part.came.kind === part.expected.kind;
      return [make("p", {}, part.name, same && `, ${part.came.kind}${part.came.where && `, ${part.came.where} of it`}`), make("div.grids", {},
        grid("came", part.came, same), part.expected.kind && grid("expected", part.expected, same),
        part.difference && grid("difference", { ...part.difference, where: "" }))];
    }),
    one.inputs.length > 0 && fold("input", make("div.grids", {}, one.inputs.map(([name, value]) => grid(name, value)))));
}

function diff(title, text) {
  const kinds = { "+": "ins", "-": "del" };
  const lines = text.split("\n").filter(line => !/^(\+\+\+|---) /.test(line)).map(line => line.trimEnd());
  while (!lines.at(-1)) lines.pop();
  return fold(`the mistake ${title}, as an edit of the reference solution`,
    box(`The mistake ${title} as an edit`, lines.map(line => kinds[line[0]] ? make(kinds[line[0]], {}, line) : `${line}\n`)));
}

function check(form, own, homework, lines, isFirst, submission) {
  const [name, , sentence, most] = form;
  const earned = own.outcome === "passed" ? most : 0;
  const exhibits = homework.work.exhibits.filter(one => one.checks[0] === name);
  const made = (own.made ?? []).map(labels => labels.join(" + ")).filter(labels => homework.diffs[labels]);
  const diffs = made.map(labels => diff(labels, homework.diffs[labels]));
  const shown = exhibits.length > 0 && fold(`what came out in ${exhibits.length} case${exhibits.length > 1 ? "s" : ""}`, exhibits.map(each => exhibit(each, lines)));
  for (const one of [...diffs, shown]) if (one && isFirst) one.open = true;
  for (const labels of made) delete homework.diffs[labels];  // each of them once
  const elsewhere = homework.work.exhibits.filter(one => one.checks.slice(1).includes(name));
  return make(`div.check.${own.outcome}`, { id: `${homework.id}-${name}` },
    make("span.sign", {}, make("span", { "aria-hidden": true, title: own.outcome.replace("_", " ") }, SIGNS[own.outcome]), make("span.away", {}, own.outcome.replace("_", " "))),
    make("span.n", {}, WITHOUT_POINTS.includes(own.outcome) ? [make("span", { "aria-hidden": true }, "–"), make("span.away", {}, "no points yet")] : points(earned), ` / ${points(most)}`),
    make("p.sentence", {}, said(sentence), " ", make("small", {}, name)),
    own.reason && make("p.reason", {}, said(own.reason, lines)),
    own.form && make("p.quiet", {}, `counted, though ${own.form}`),
    own.misconceptions && make("p.quiet", {}, own.misconceptions.length > 1 ? "known mistakes: " : "known mistake: ", own.misconceptions.map((label, at) => [at ? ", " : "", make("code", {}, label)])),
    own.answer && box(`Answer to ${name}`, own.answer),
    own.staff && make("p.quiet.said", {}, said(own.staff, lines)),
    diffs,
    shown,
    own.outcome !== "collected" && override(submission, homework.id, name, own.outcome === "passed" ? 0 : most),
    elsewhere.length > 0 && make("p.quiet", {}, "what came out: at ", make("a", { href: `#${homework.id}-${elsewhere[0].checks[0]}` }, elsewhere[0].checks[0])));
}

// Who else answers a task in the same wrong way.
function group(data, [id], number) {
  const others = INDEX.filter(one => one[0] !== data.name && one.indexOf(number, 2) > 0);
  const links = others.slice(0, MOST_OTHERS).map(([name, page], at) => [at ? ", " : "", make("a", { href: `${page}.html` }, make("bdi", {}, name))]);
  const more = others.length > MOST_OTHERS && ` and ${others.length - MOST_OTHERS} more`;
  return make("p.quiet", {}, "group ", make("a", { href: `../report.html#group=${encodeURIComponent(id)}` }, make("code", {}, id)), others.length ? ": answers like " : ": nobody else answers like this", links, more);
}

// Commands for a shell of POSIX; the name is a student's, so it is always quoted where it could be more than a word.
const quoted = text => /^[\w.\/@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
const folder = () => location.protocol === "file:" ? decodeURIComponent(location.pathname).replace(/\/report\/[^/]*$/, "") : "OUT";

// The command that sets the points of a check, to be shown and copied; without a reason it is refused.
function override(name, homework, check, points) {
  const command = `autograder policy ${quoted(folder())} --override=${quoted(name)} --homework ${homework} --check ${check} --points ${points} --reason ''`;
  const button = make("button.screen.override", { type: "button", "aria-label": `Command to override ${check}` }, "Override…");
  button.onclick = () => {
    const code = make("code.paste", { tabindex: 0 }, command), state = make("small", { role: "status" });
    button.replaceWith(make("p.quiet", {}, "Write a reason between the quotes: ", code, " ", state));
    code.focus();
    getSelection().selectAllChildren(code);
    navigator.clipboard?.writeText(code.textContent).then(() => { state.textContent = "(copied)"; }, () => { state.textContent = "(selected)"; });
  };
  return button;
}

function paste(data, homework, first) {
  return make("code.paste", {}, `autograder explain ${quoted(folder())} --homework ${homework.id} --check ${first} -- ${quoted(data.name)}`);
}

function homework(data, one) {
  const form = COURSE.forms[one.form];
  if (!form) return make("p.note.bad", {}, "course.js does not belong to this page: run `autograder report` on this folder.");
  one.id = form.homework;
  one.diffs = { ...COURSE.diffs[one.id] };
  const lines = one.work.source && new Source(one.id, one.work.file, one.work.source);
  const checks = form.checks.map((each, place) => [each, one.checks[place]]);
  const tasks = [...new Set(form.checks.map(each => each[1]))];
  const first = checks.find(([, own]) => own.outcome === "failed");
  const [decisions, earlier] = ["decisions", "history"].map(kind => (data.aside[kind] ?? []).filter(row => row[0] === one.id).map(row => row.slice(1)));
  const facts = [
    ["protection", one.layers.join(", ") || "not run"], ["seed", one.seed], ["time", `${one.seconds.toFixed(2)} s`],
    ...(first ? [["look closer", paste(data, one, first[0][0])]] : []),
  ];
  return make("section.homework", { id: one.id, "aria-label": form.title },
    make("h2", {}, `${form.title}: ${withBonus(`${points(one.earned)} of ${points(one.points)} points`, one.bonus)} `, one.status !== "graded" && badge(one.status)),
    one.provisional && make("p.note.warn", {}, one.provisional),
    one.detail && (one.detail.includes("\n") ? box("What happened", one.detail) : make("p.note.warn", {}, said(one.detail, lines))),
    one.notes.map(note => make("p.note.warn", {}, said(note, lines))),
    one.changes.map(note => make("p.note", {}, said(note))),
    (one.explanation_faults ?? []).map(fault => make("p.note", {}, `No points depend on it, but an explanation failed: ${fault}`)),
    decisions.length > 0 && [make("h3", {}, "Decisions"), table(["what", "points", "why", "when (UTC)"], decisions)],
    make("div.sides", {},
      make("div.code", {}, make("h3", {}, lines ? ["Source: ", make("bdi", {}, one.work.file)] : "No source was kept"), lines && lines.pre),
      make("div.checks", {}, tasks.map(task => {
        const own = checks.filter(([each]) => each[1] === task);
        const earned = own.reduce((sum, [each, its]) => sum + (its.outcome === "passed" ? each[3] : 0), 0);
        const most = own.reduce((sum, [each]) => sum + each[3], 0);
        const place = lines && lines.definition(task);
        const alike = GROUPS.map((group, number) => [group, number]).find(([[, id, its], number]) => id === one.id && its === task && data.groups.includes(number));
        const shown = own.map(([each, its]) => check(each, its, one, lines, its === first?.[1], data.name));
        return [make("h3.task", {}, make("span", {}, place ? make("a", { href: `#${place.id}` }, task) : task, one.extra_credit.includes(task) && [" ", make("span.badge", {}, "bonus")]), make("span.n", {}, `${points(earned)} / ${points(most)}`)),
          alike && group(data, ...alike),
          own.every(([, its]) => its.outcome === "passed") ? fold([make("span", { "aria-hidden": true }, "✓ "), own.length === 1 ? "the check passed" : `all ${own.length} checks passed`], shown) : shown];
      }))),
    one.output && fold("What the code printed", box("What the code printed", one.output)),
    earlier.length > 0 && fold("Earlier grades", table(["graded (UTC)", "status", "points", "seed"], earlier)),
    make("dl.facts", {}, facts.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
}

const badge = status => make(`span.badge.${GOOD[status] ?? "bad"}`, {}, status.replaceAll("_", " "));

{% include "letters.js" %}

// The submissions before and after this one, with mouse and keyboard, at the same homework.
function neighbours(name) {
  const at = INDEX.findIndex(one => one[0] === name);
  const [before, after] = at < 0 ? [] : [INDEX[at - 1], INDEX[at + 1]];
  const link = (other, words, rel) => other && make("a", { href: `${other[1]}.html`, rel }, words, make("bdi", {}, other[0]));
  const links = [link(before, "← ", "prev"), at >= 0 && make("span.quiet", {}, `${at + 1} of ${INDEX.length}`), link(after, "→ ", "next")];
  const letters = make("input", { type: "checkbox" });
  keepsLetters(letters);
  document.querySelector("nav").append(...links.filter(Boolean), make("small.screen", {}, "Keys: ", make("kbd", {}, "j"), " or → next, ", make("kbd", {}, "k"), " or ← the one before"),
    make("label.screen", {}, letters, " Letters as shortcuts"));
  const keys = { j: after, ArrowRight: after, k: before, ArrowLeft: before };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.target.closest(".scroll, pre, input")) return;
    if (event.key.length === 1 && !letters.checked) return;
    if (keys[event.key]) location.href = `${keys[event.key][1]}.html${document.getElementById(location.hash.slice(1))?.matches("section") ? location.hash : ""}`;
  });
}

async function read(packed) {
  const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text());
}

async function show() {
  const data = await read(document.getElementById("data").textContent);
  document.title = plain(data.name);
  data.groups = INDEX.find(one => one[0] === data.name)?.slice(2) ?? [];
  neighbours(data.name);
  const [name, id, mail, late] = data.person.map(plain);
  const sections = data.homeworks.map(one => homework(data, one));
  document.getElementById("main").append(
    make("p", {}, `${withBonus(`${points(data.earned)} points`, data.bonus)} `, badge(data.status), " ", [name, id, mail, late === "yes" && "late", data.graded_on && `last graded ${data.graded_on}`].filter(Boolean).join(" · ")),
    ...data.problems.map(text => make("p.note.warn", {}, said(text))),
    ...(data.fault ? [box("The grader's error", data.fault)] : []),
    ...(data.homeworks.length > 1 ? [make("ul.chips", {}, data.homeworks.map(one => make("li", {}, make("a", { href: `#${one.id}` }, COURSE.forms[one.form]?.title ?? "?"), ` ${withBonus(`${points(one.earned)} of ${points(one.points)}`, one.bonus)}`)))] : []),
    ...sections);
  document.getElementById("wait").remove();
  if (location.hash) location.replace(location.hash);
}

show().catch(error => {
  document.getElementById("wait").textContent = `This page cannot be shown (${error}). The same results are in results.json, in the submission's folder.`;
});
