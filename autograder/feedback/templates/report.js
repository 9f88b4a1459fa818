"use strict";
{
  const data = JSON.parse(document.getElementById("data").textContent);
  const [NAME, PAGE, STATUS, PERSON, POINTS, TOTAL, MISTAKES] = [0, 1, 2, 3, 4, 5, 6];
  const FIRST = 3, MOST = 200;
  const find = (selector) => document.querySelector(selector);
  const make = (tag, values, ...children) => {
    const made = Object.assign(document.createElement(tag), values);
    made.append(...children.filter((child) => child !== "")); // texts become text, whatever they hold
    return made;
  };
  const link = (row) => make("a", { href: `report/${row[PAGE]}.html` }, row[NAME]);

  // Which rows have a mistake or a need: "mistake=hw1:no-scaling", "mistake=no-scaling", "needs=unclear".
  const having = new Map();
  const put = (key, row) => having.has(key) ? having.get(key).add(row) : having.set(key, new Set([row]));
  const mistakes = data.mistakes.map(([homework, label, words]) => ({
    keys: [`${data.homeworks[homework].id}:${label}`, label], homework, label, words: `${label} ${words}`.toLowerCase(),
  }));
  data.rows.forEach((row, number) => {
    for (const one of row[MISTAKES]) for (const key of mistakes[one].keys) put(`mistake=${key}`, number);
  });
  for (const { id, rows } of data.groups) for (const row of rows) put(`group=${id}`, row);
  for (const [need, { rows }] of Object.entries(data.needs)) for (const row of rows) put(`needs=${need}`, row);

  for (const place of document.querySelectorAll("[data-who]")) {
    const key = place.dataset.who;
    const rows = [...having.get(key) ?? []].map((number) => data.rows[number]);
    const listed = (some) => some.flatMap((row, index) => index ? [", ", link(row)] : [link(row)]);
    place.append(...listed(rows.slice(0, FIRST)));
    place.after(make("span", { className: "names" }, rows.map((row) => row[NAME]).join(", "))); // every name, on paper
    if (rows.length <= FIRST) continue;
    const more = make("details", {}, make("summary", {}, `and ${rows.length - FIRST} more`));
    more.addEventListener("toggle", () => {
      more.append(": ", ...listed(rows.slice(FIRST, MOST)));
      if (rows.length > MOST) more.append(", … ", make("a", { href: `#${place.dataset.who}` }, "all in the table"));
    }, { once: true });
    place.append(" ", more);
  }

  // The table: each column has a head, what it sorts by, and what it shows.
  const has_people = data.rows.some((row) => row[PERSON].length);
  const shown = (value) => value === "–"
    ? make("span", {}, make("span", { ariaHidden: "true" }, value), make("span", { className: "away" }, "no points yet"))
    : String(value);
  const number = (value) => typeof value === "number" ? value : null;
  const columns = [
    { id: "submission", head: "submission", by: (row) => row[NAME], show: link },
    ...has_people ? [
      { id: "name", head: "name", by: (row) => row[PERSON][0], show: (row) => row[PERSON][0] ?? "" },
      { id: "id", head: "ID", by: (row) => row[PERSON][1] || row[PERSON][2], show: (row) => row[PERSON][1] || row[PERSON][2] || "" },
      { id: "late", head: "late", by: (row) => row[PERSON][3], show: (row) => row[PERSON][3] ?? "" },
    ] : [],
    { id: "status", head: "status", by: (row) => row[STATUS], show: (row) => row[STATUS] === "graded" ? "graded" : make("span", { className: "badge warn" }, row[STATUS]) },
    ...data.homeworks.map((one, index) => ({
      id: one.id, head: one.short, title: `${one.id}, of ${one.points} points`, numeric: true,
      by: (row) => number(row[POINTS][index]), show: (row) => shown(row[POINTS][index]),
    })),
    { id: "total", head: `total of ${data.maximum}`, numeric: true, by: (row) => number(row[TOTAL]), show: (row) => shown(row[TOTAL]) },
  ];
  const head = find(".rows thead tr"), body = find(".rows tbody");
  const lines = data.rows.map((row) => make("tr", {}, ...columns.map((column, index) =>
    make(index ? "td" : "th", index ? { className: column.numeric ? "n" : "" } : { scope: "row" }, column.show(row)))));
  for (const column of columns) {
    const button = make("button", { type: "button", title: column.title ?? "" }, column.head);
    button.addEventListener("click", () => {
      const [id, order] = state.get("sort")?.split(",") ?? ["submission", "up"];
      state.set("sort", `${column.id},${id === column.id && order === "up" ? "down" : "up"}`);
      keep();
    });
    column.cell = make("th", { scope: "col", className: column.numeric ? "n" : "" }, button);
    head.append(column.cell);
  }

  // What is chosen is kept in the address, so that it can be linked to: #status=graded&sort=total,down
  const form = find(".filters"), fields = ["q", "status", "hand", "mistake", "group", "needs"];
  let state = new URLSearchParams();
  const options = (field, pairs) => form[field].append(...pairs.map(([value, words]) => make("option", { value }, words)));
  const counted = (key) => having.get(key)?.size ?? 0;
  options("status", [...new Set(data.rows.map((row) => row[STATUS]))].sort().map((one) => [one, one]));
  options("hand", data.homeworks.flatMap((one) => [[one.id, one.short], [`-${one.id}`, `no ${one.short}`]]));
  options("needs", [["any", "yes"], ...Object.entries(data.needs).filter(([, one]) => one.rows.length).map(([need, one]) => [need, one.words])]);
  options("group", data.groups.map(({ id, rows }) => [id, `${id} (${rows.length})`]));
  form.group.closest("p").hidden = !data.groups.length;
  const twice = [...new Set(mistakes.map((one) => one.label))].sort();
  options("mistake", twice.map((label) => [label, `${label} (${counted(`mistake=${label}`)})`]));
  data.homeworks.forEach((one, index) => {
    const own = mistakes.filter((mistake) => mistake.homework === index).sort((a, b) => a.label < b.label ? -1 : 1);
    if (own.length) form.mistake.append(make("optgroup", { label: `in ${one.short}` },
      ...own.map(({ keys: [key], label }) => make("option", { value: key }, `${label} (${counted(`mistake=${key}`)})`))));
  });
  const texts = data.rows.map((row) => [row[NAME], ...row[PERSON].slice(0, 3)].join(" ").toLowerCase());

  const matching = () => {
    const [q, status, hand, mistake, group, needs] = fields.map((field) => state.get(field) ?? "");
    const words = q.toLowerCase().split(/\s+/).filter(Boolean).map((word) => [
      word, new Set(mistakes.flatMap((one, index) => one.words.includes(word) ? [index] : [])),
    ]);
    const place = data.homeworks.findIndex((one) => one.id === hand.replace(/^-/, ""));
    return (row, index) =>
      (!status || row[STATUS] === status)
      && (!hand || (row[POINTS][place] !== "") !== hand.startsWith("-"))
      && (!mistake || having.get(`mistake=${mistake}`)?.has(index))
      && (!group || having.get(`group=${group}`)?.has(index))
      && (!needs || (needs === "any" ? needing.has(index) : having.get(`needs=${needs}`)?.has(index)))
      && words.every(([word, own]) => texts[index].includes(word) || row[MISTAKES].some((one) => own.has(one)));
  };
  const needing = new Set(Object.values(data.needs).flatMap((one) => one.rows));
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  let order = data.rows.map((_, index) => index), sorted = "submission,up";

  const show = () => {
    const is_shown = matching();
    let count = 0;
    data.rows.forEach((row, index) => { count += !(lines[index].hidden = !is_shown(row, index)); });
    find("#count").textContent = `${count} of ${data.rows.length} shown`;
    const wanted = state.get("sort") ?? "submission,up", [id, way] = wanted.split(",");
    if (wanted !== sorted || !body.firstChild) {
      const column = columns.find((one) => one.id === id) ?? columns[0], sign = way === "down" ? -1 : 1;
      const values = data.rows.map(column.by);
      const empty = (one) => one === null || one === undefined || one === "";
      order.sort((a, b) => empty(values[a]) - empty(values[b]) // what is blank comes last either way
        || (empty(values[a]) ? 0 : sign * (column.numeric ? values[a] - values[b] : compare(values[a], values[b]))) || a - b);
      body.append(...order.map((index) => lines[index]));
      for (const one of columns) one.cell.ariaSort = one === column ? (sign > 0 ? "ascending" : "descending") : "none";
      sorted = wanted;
    }
  };
  const keep = () => {
    for (const field of [...fields, "sort"]) if (!state.get(field)) state.delete(field);
    history.replaceState(null, "", state.size ? `#${state}` : location.pathname);
    show();
  };
  const read = (is_link) => {
    const text = location.hash.slice(1);
    if (text && !text.includes("=")) return; // a place on this page
    state = new URLSearchParams(text);
    for (const field of fields) form[field].value = state.get(field) ?? "";
    show();
    if (is_link && text) find("#submissions").scrollIntoView();
  };
  form.addEventListener("input", () => { for (const field of fields) state.set(field, form[field].value); keep(); });
  form.addEventListener("reset", () => { state = new URLSearchParams(); keep(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => read(true));
  for (const hidden of [form, find("#count"), find(".rows")]) hidden.hidden = false;
  show();
  read(true);
}
