// The list of pages at the side, and its search. Without this script a page has its way through the links in it.
"use strict";
const root = new URL(".", document.currentScript.src).href;

// index.js calls this with the pages of all modules.
function sitePages(modules) {
  const here = decodeURIComponent(location.href.slice(root.length).split(/[?#]/)[0]).replace(/\.html$/, "");
  const found = new Map();

  function pathOf(entry, above) {
    return entry[2].startsWith("/") ? entry[2].slice(1) : above + "/" + entry[2];
  }

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function link(entry, path) {
    const made = element("a", entry[1], { href: root + path.split("/").map(encodeURIComponent).join("/") + ".html" });
    if (path === here) made.setAttribute("aria-current", "page");
    return made;
  }

  function list(entries, above) {
    const made = document.createElement("ul");
    for (const entry of entries) {
      const item = document.createElement("li");
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
      const details = document.createElement("details");
      const summary = document.createElement("summary");
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

  function collect(entries, above, names) {
    for (const entry of entries) {
      if (entry[0] === "") continue;
      const path = pathOf(entry, above);
      const below = [...names, entry[1]];
      if (!found.has(path)) found.set(path, { entry, path, above: names.join(" · "), text: entry[1].toLowerCase() });
      collect(entry[3] ?? [], path, below);
    }
  }

  const side = element("nav", "", { id: "side", "aria-label": "Pages" });
  const input = element("input", "", { type: "search", placeholder: "Filter (press /)", "aria-label": "Filter the pages" });
  const pages = list(modules, "documentation");
  side.append(input, pages);
  document.body.prepend(side);
  document.body.classList.add("has-side");
  side.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  scrollTo(0, 0);
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();

  // All words have to be in the title or in the titles above it; a title that starts with the first word comes first.
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return side.lastChild.replaceWith(pages);
    if (found.size === 0) collect(modules, "documentation", []);
    const rank = (page) => {
      const at = page.text.indexOf(words[0]);
      return at < 0 ? 3 : at === 0 ? 0 : /\w/.test(page.text[at - 1]) ? 2 : 1;
    };
    const matches = [...found.values()]
      .filter((page) => words.every((word) => (page.text + " " + page.above.toLowerCase()).includes(word)))
      .sort((a, b) => rank(a) - rank(b) || a.text.length - b.text.length);
    const made = document.createElement("ul");
    for (const page of matches.slice(0, 100)) {
      const item = document.createElement("li");
      item.append(link(page.entry, page.path), document.createElement("br"), element("small", page.above));
      made.append(item);
    }
    if (matches.length !== 1) made.append(element("li", `${matches.length} pages`, { class: "group" }));
    side.lastChild.replaceWith(made);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") side.querySelector("ul a")?.click();
    if (event.key === "Escape") {
      input.value = "";
      side.lastChild.replaceWith(pages);
      input.blur();
    }
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || document.activeElement === input) return;
    event.preventDefault();
    input.focus();
  });
}

const index = document.createElement("script");
index.src = root + "index.js";
document.head.append(index);
