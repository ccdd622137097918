// The list of pages, the search, the contents of a page, and buttons to copy code. Without this script a page has its way
// through the links in it.
"use strict";
const root = new URL(".", document.currentScript.src).href;

function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function address(path) {
  const [page, anchor] = path.split("#");
  return root + page.split("/").map(encodeURIComponent).join("/") + ".html" + (anchor ? "#" + anchor : "");
}

function load(name) {
  document.head.append(element("script", "", { src: root + name }));
}

// MARK: The list of pages

// index.js calls this with the pages of all modules.
function sitePages(modules) {
  const here = decodeURIComponent(location.href.slice(root.length).split(/[?#]/)[0]).replace(/\.html$/, "");

  function pathOf(entry, above) {
    return entry[2].startsWith("/") ? entry[2].slice(1) : above + "/" + entry[2];
  }

  function link(entry, path) {
    // May be broken after a label.
    const made = element("a", entry[1].replace(/:(?=\w)/g, ":\u200b"), { href: address(path) });
    if (path === here) made.setAttribute("aria-current", "page");
    return made;
  }

  function list(entries, above) {
    const made = element("ul");
    for (const entry of entries) {
      const item = element("li");
      made.append(item);
      if (entry[0] === "") {
        item.className = "group";
        item.textContent = entry[1];
        continue;
      }
      const path = pathOf(entry, above);
      if (!entry[3]) {
        item.append(link(entry, path));
        continue;
      }
      // What is below is made when it is opened first: there are two thousand pages.
      const details = element("details");
      const summary = element("summary");
      summary.append(link(entry, path));
      details.append(summary);
      details.addEventListener("toggle", () => {
        if (details.open && details.children.length === 1) details.append(list(entry[3], path));
      });
      if (here === path || here.startsWith(path + "/") || entry === modules[0]) {
        details.append(list(entry[3], path));
        details.open = true;
      }
      item.append(details);
    }
    return made;
  }

  const side = element("nav", "", { id: "side", "aria-label": "Pages" });
  side.append(list(modules, "documentation"));
  document.querySelector("header").after(side);
  document.body.classList.add("has-side");
  const current = side.querySelector("[aria-current]");
  if (current) side.scrollTop = current.offsetTop - side.clientHeight / 2;

  const menu = element("button", "Menu", { class: "menu", "aria-expanded": "false", "aria-controls": "side" });
  menu.addEventListener("click", () => {
    menu.setAttribute("aria-expanded", String(side.classList.toggle("is-open")));
  });
  side.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && side.classList.contains("is-open")) {
      menu.click();
      menu.focus();
    }
  });
  document.querySelector("header").append(menu);
}

// MARK: The search

let index = null;
let whenLoaded = null;

// search.js calls this.
function siteSearch(data) {
  index = data;
  index.stop = new Set(data.stop);
  whenLoaded?.();
}

function stem(word) {
  for (const rules of index.stems) {
    for (const [suffix, other, least] of rules) {
      if (word.endsWith(suffix) && word.length - suffix.length >= least && !(suffix === "s" && "su".includes(word.at(-2)))) {
        word = word.slice(0, word.length - suffix.length) + other;
        break;
      }
    }
  }
  const last = word.at(-1);
  return word.length > 3 && last === word.at(-2) && !"aeiouls".includes(last) ? word.slice(0, -1) : word;
}

// The pages that answer a query, the best first, as [path with anchor, title, text below it]. Scripts/docs-search has the
// same function in Python, which is tested whenever the site is made.
function find(query) {
  const isCode = /[.(_]|[a-z][A-Z]/.test(query);
  let asked = query.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const rare = asked.filter((word) => !index.stop.has(word));
  if (rare.length > 0) asked = rare;
  const total = new Map(), hits = new Map(), chosen = new Map();
  asked.forEach((word, place) => {
    const exact = stem(word);
    const best = new Map();
    for (const [term, flat] of Object.entries(index.terms)) {
      const isStart = place === asked.length - 1 && word.length > 1 && term.startsWith(word);
      const factor = term === exact ? 1 : isStart ? 0.5 : 0;
      if (factor === 0) continue;
      for (let at = 0; at < flat.length; at += 2) {
        const article = index.sections[flat[at]][0];
        if (!best.has(article)) best.set(article, new Map());
        const part = best.get(article);
        part.set(flat[at], Math.max(part.get(flat[at]) ?? 0, factor * flat[at + 1]));
      }
    }
    for (const [article, parts] of best) {
      const weights = [...parts.values()];
      const top = Math.max(...weights);
      const sum = weights.reduce((a, b) => a + b, 0);
      total.set(article, (total.get(article) ?? 0) + top + 0.3 * Math.min(sum - top, top));
      hits.set(article, (hits.get(article) ?? 0) + 1);
      if (!chosen.has(article)) chosen.set(article, new Map());
      const sections = chosen.get(article);
      for (const [section, weight] of parts) sections.set(section, (sections.get(section) ?? 0) + weight);
    }
  });
  const pages = [...total].map(([article, score]) => {
    const [section] = [...chosen.get(article)].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0];
    const [title, path, abstract] = index.articles[article];
    const [, heading, anchor] = index.sections[section];
    return [score * (hits.get(article) / asked.length) ** 2, article, [path + (anchor ? "#" + anchor : ""), title, heading || abstract]];
  }).sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, 8).map((entry) => entry[2]);

  const parts = query.replace(/\(.*/, "").toLowerCase().split(/\s+/).filter(Boolean);
  const matches = [];
  index.symbols.forEach(([name, path, kind, module], number) => {
    const low = name.replace(/\(.*/, "").toLowerCase();
    const last = low.split(".").at(-1);
    let match = 0;
    if (parts.length !== 1 || parts[0].length < 2) {
      match = parts.length > 0 && parts.every((part) => low.includes(part)) ? 1 : 0;
    } else {
      const part = parts[0].replace(/^\.+|\.+$/g, "");
      if (low === part) match = 6;
      else if (last === part || low.endsWith("." + part)) match = 5;
      // The store in `store.commit` is a variable.
      else if (part.includes(".") && last === part.split(".").at(-1)) match = 4;
      else if (last.startsWith(part) || (part.includes(".") && low.startsWith(part))) match = 3;
      else match = last.includes(part) ? 1 : 0;
    }
    // With a parenthesis, something that is called is meant.
    if (match > 0 && query.includes("(") && name.includes("(")) match += 0.5;
    if (match > 0) matches.push([-match, number, [path, name, `${kind} · ${module}`]]);
  });
  const isExact = matches.some(([match, , entry]) => match === -6 && entry[1] === query);
  const best = matches.sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, 12).map((entry) => entry[2]);
  const symbols = best.filter((entry, at) => best.findIndex((other) => other[0] === entry[0]) === at);
  return isCode || (isExact && /^[A-Z]/.test(query)) ? [...symbols, ...pages] : [...pages, ...symbols];
}

function addSearch() {
  const search = element("search");
  const input = element("input", "", {
    type: "search", placeholder: matchMedia("(hover: none), (max-width: 40rem)").matches ? "Search" : "Search (press /)", "aria-label": "Search the documentation", autocomplete: "off",
    "aria-controls": "results",
  });
  const results = element("div", "", { id: "results", hidden: "" });
  const note = element("p", "", { role: "status" });
  search.append(input, results);
  document.querySelector("header").append(search);

  function show() {
    const query = input.value.trim();
    results.hidden = query === "";
    if (query === "") return;
    if (index === null) {
      note.textContent = "Loading the words…";
      return results.replaceChildren(note);
    }
    const found = find(query);
    note.textContent = found.length === 0 ? "Nothing was found. Try another word, or a part of it." : `${found.length} results`;
    results.replaceChildren(...found.map(([path, title, text]) => {
      const link = element("a", "", { href: address(path) });
      link.append(element("b", title), element("small", text));
      return link;
    }), note);
  }

  function close() {
    results.hidden = true;
    input.value = "";
  }

  input.addEventListener("focus", () => {
    if (whenLoaded) return;
    whenLoaded = show;
    load("search.js");
  });
  input.addEventListener("input", show);
  search.addEventListener("keydown", (event) => {
    const links = [...results.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Escape") {
      close();
      input.focus();
    } else if (event.key === "Enter" && at < 0) {
      links[0]?.click();
    } else if (event.key === "ArrowDown" && links.length > 0) {
      event.preventDefault();
      links[Math.min(at + 1, links.length - 1)].focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault();
      (links[at - 1] ?? input).focus();
    }
  });
  search.addEventListener("focusout", (event) => {
    if (!search.contains(event.relatedTarget)) results.hidden = true;
  });
  search.addEventListener("focusin", () => { results.hidden = input.value.trim() === ""; });
  results.addEventListener("click", (event) => { if (event.target.closest("a")) close(); });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || /INPUT|TEXTAREA/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    input.focus();
  });
}

// MARK: The page

function addCopyButtons() {
  for (const code of document.querySelectorAll("main pre")) {
    const box = element("div", "", { class: "code" });
    const button = element("button", "Copy", { type: "button", "aria-label": "Copy this code" });
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        // A page that was opened from a file may not write to the clipboard; its text can be selected.
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;
    code.before(box);
    box.append(code, button);
  }
}

function addAnchors() {
  for (const heading of document.querySelectorAll("main h2[id], main h3[id]")) {
    heading.append(element("a", "#", {
      class: "anchor", href: "#" + encodeURIComponent(heading.id), "aria-label": "Link to “" + heading.textContent + "”",
    }));
  }
}

function addContents() {
  const headings = [...document.querySelectorAll("main > h2[id]")];
  if (headings.length < 3) return;
  const contents = element("details", "", { id: "contents" });
  const list = element("ul");
  for (const heading of headings) {
    const item = element("li");
    item.append(element("a", heading.textContent, { href: "#" + encodeURIComponent(heading.id) }));
    list.append(item);
  }
  contents.append(element("summary", "On this page"), list);
  const isWide = matchMedia("(min-width: 92rem)");

  // Beside the text where there is room, and above it elsewhere.
  function place() {
    contents.open = isWide.matches;
    document.body.classList.toggle("has-contents", isWide.matches);
    const main = document.querySelector("main");
    if (isWide.matches) main.after(contents);
    else main.querySelector("h2").before(contents);
  }
  place();
  isWide.addEventListener("change", place);
}

addSearch();
addContents();
addAnchors();
addCopyButtons();
load("index.js");
if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
