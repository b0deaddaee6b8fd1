// Keeps a page up to date. The page is complete without this script.
"use strict";

(() => {
  const page = document.body.dataset.page;
  const pulse = document.getElementById("pulse");
  const notice = document.getElementById("notice");
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;

  // -- times in words -----------------------------------------------------------------------
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];

  function ago(date) {
    const seconds = (date - Date.now()) / 1000;
    for (const [unit, length] of units) {
      if (Math.abs(seconds) >= length) return words.format(Math.round(seconds / length), unit);
    }
    return "just now";
  }

  function showTimes(root) {
    for (const time of root.querySelectorAll("time[data-ago]")) {
      const date = new Date(time.dateTime);
      time.title = date.toLocaleString();
      if (Math.abs(Date.now() - date) < 14 * 86400e3) time.textContent = ago(date);
    }
  }

  showTimes(document);
  setInterval(() => showTimes(document), 30000);

  // -- parts that change --------------------------------------------------------------------
  const part = { front: "front", story: "detail" }[page];
  const address = page === "front" ? "/?fragment=true" : location.pathname + location.search;
  let waiting = null;
  let busy = false;
  let again = false;

  async function fetchPart() {
    const response = await fetch(address, { headers: { accept: "text/html" }, cache: "no-cache" });
    if (!response.ok) return null;
    const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
    return parsed.getElementById(part);
  }

  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      do {
        again = false;
        const fresh = await fetchPart();
        if (fresh) offer(fresh);
      } while (again);
    } catch { /* the stream reconnects when the service is back */ } finally {
      busy = false;
    }
  }

  // A reader in the middle of the page is asked first; at its top the page just changes.
  function offer(fresh) {
    const shown = document.getElementById(part);
    const reading = scrollY > 250 || shown.contains(document.activeElement);
    if (!reading) {
      notice.replaceChildren();
      swap(shown, fresh);
      return;
    }
    waiting = fresh;
    if (notice.firstChild) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = page === "front" ? "There are newer stories. Show" : "There are new articles. Show";
    button.addEventListener("click", () => {
      notice.replaceChildren();
      swap(document.getElementById(part), waiting);
      scrollTo({ top: 0, behavior: calm ? "auto" : "smooth" });
      document.getElementById("main").focus({ preventScroll: true });
    });
    notice.append(button);
  }

  function places(root) {
    const found = new Map();
    for (const item of root.querySelectorAll("[data-story], [data-article]")) {
      const key = item.dataset.article ? "a" + item.dataset.article : "s" + item.dataset.story;
      found.set(key, { item, top: item.getBoundingClientRect(), size: item.dataset.size });
    }
    return found;
  }

  function swap(shown, fresh) {
    const before = places(shown);
    const opened = new Set([...shown.querySelectorAll("details[open]")].map((d) => d.closest("[id]").id));
    const next = document.importNode(fresh, true);
    for (const details of next.querySelectorAll("details")) {
      if (opened.has(details.closest("[id]").id)) details.open = true;
    }
    showTimes(next);
    shown.replaceWith(next);
    for (const [key, { item, top, size }] of places(next)) {
      const old = before.get(key);
      if (!old || old.size !== size) item.classList.add("arrived");
      if (!old || calm) continue;
      const dx = old.top.left - top.left;
      const dy = old.top.top - top.top;
      if ((dx || dy) && Math.abs(dy) < 2500) {
        item.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }],
          { duration: 420, easing: "cubic-bezier(.2, .7, .2, 1)" });
      }
    }
  }

  // -- the stream ---------------------------------------------------------------------------
  if (!part || !window.EventSource) return;
  const own = page === "story" ? Number(document.getElementById(part).dataset.story) : null;
  let timer = 0;

  function onEvent(event) {
    const data = JSON.parse(event.data);
    if (own !== null && data.story !== own && data.becomes !== own) return;
    if (own !== null && data.kind === "merged" && data.story === own) {
      location.reload();
      return;
    }
    if (!timer) timer = setTimeout(() => { timer = 0; refresh(); }, 350);
  }

  const stream = new EventSource("/api/events?after=" + document.body.dataset.event);
  for (const kind of ["new", "grew", "moved", "ended", "merged", "reset"]) {
    stream.addEventListener(kind, onEvent);
  }
  function show(state, text) {
    pulse.hidden = false;
    pulse.classList.toggle("on", state);
    if (pulse.textContent !== text) pulse.textContent = text;
  }
  stream.addEventListener("open", () => show(true, "live"));
  stream.addEventListener("error", () => show(false, "reconnecting"));
  addEventListener("pagehide", () => stream.close());
})();
