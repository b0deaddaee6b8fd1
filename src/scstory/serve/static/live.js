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

  // The server writes all times in UTC; here they become those of the reader's time zone.
  const write = (options) => new Intl.DateTimeFormat("en-GB", options);
  const clock = write({ hour: "2-digit", minute: "2-digit" });
  const shortDay = write({ day: "numeric", month: "short" });
  const shortYear = write({ day: "numeric", month: "short", year: "numeric" });
  const weekday = write({ weekday: "long" });
  const longDay = write({ day: "numeric", month: "long", year: "numeric" });
  const zone = write({}).resolvedOptions().timeZone;

  const isoDay = (date) =>
    [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
  const day = (date) => `${weekday.format(date)} ${longDay.format(date)}`;
  const near = (date) =>
    (date.getFullYear() === new Date().getFullYear() ? shortDay : shortYear).format(date).replace("Sept", "Sep");
  const moment = (date) => `${near(date)}, ${clock.format(date)}`;
  const forms = {
    ago: (date) => (Math.abs(Date.now() - date) < 14 * 86400e3 ? ago(date) : moment(date)),
    clock: (date, time) => (isoDay(date) === time.dataset.day ? clock.format(date) : moment(date)),
    day,
    full: (date) => `${day(date)}, ${clock.format(date)}`,
  };

  function showTimes(root) {
    for (const time of root.querySelectorAll("time[data-local]")) {
      const date = new Date(time.dateTime);
      time.title = date.toLocaleString();
      const text = forms[time.dataset.local](date, time);
      if (time.textContent !== text) time.textContent = text;
    }
  }

  // Dates below a timeline keep their words and move to where they begin for the reader.
  function showAxes(root) {
    for (const drawn of root.querySelectorAll("svg[data-start]")) {
      const start = new Date(drawn.dataset.start);
      for (const tick of drawn.querySelectorAll(".tick")) {
        let x = (new Date(tick.dataset.wall) - start) / (10 * drawn.dataset.seconds);
        if (x < 0 && x > -1) x = 0;
        tick.toggleAttribute("hidden", x < 0 || x > 100);
        tick.setAttribute("x", `${x}%`);
        tick.querySelector("text").toggleAttribute("hidden", x > 88);
      }
      for (const bar of drawn.querySelectorAll("[data-from]")) {
        const [from, to] = [bar.dataset.from, bar.dataset.to].map((text) => moment(new Date(text)));
        const title = bar.querySelector("title");
        title.textContent = `${from} to ${to}${title.textContent.slice(title.textContent.lastIndexOf(":"))}`;
      }
    }
    for (const name of root.querySelectorAll("[data-zone]")) name.textContent = "";
  }

  function localise(root) {
    showTimes(root);
    showAxes(root);
  }

  localise(document);
  document.getElementById("zone").textContent = `Times are in your time zone, ${zone}.`;
  setInterval(() => showTimes(document), 30000);

  // -- parts that change --------------------------------------------------------------------
  const part = { front: "front", story: "detail" }[page];
  const asked = new URLSearchParams(location.search);
  if (page === "front") asked.set("fragment", "true");
  const address = asked.size ? `${location.pathname}?${asked}` : location.pathname;
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
    ask(page === "front" ? "There are newer stories. Show" : "There are new articles. Show", () => {
      notice.replaceChildren();
      swap(document.getElementById(part), waiting);
      scrollTo({ top: 0, behavior: calm ? "auto" : "smooth" });
      document.getElementById("main").focus({ preventScroll: true });
    });
  }

  function ask(text, act) {
    if (notice.firstChild) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", act);
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
    localise(next);
    shown.replaceWith(next);
    showState();
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
      ask("This story is now part of another. Show", () => location.reload());
      return;
    }
    if (!timer) timer = setTimeout(() => { timer = 0; refresh(); }, 350);
  }

  const stream = new EventSource("/api/events?after=" + document.body.dataset.event);
  for (const kind of ["new", "grew", "moved", "ended", "merged", "corrected", "reset"]) {
    stream.addEventListener(kind, onEvent);
  }
  const names = { live: "live", past: "archive", demo: "demo", "demo over": "demo ended" };
  let connected = null;
  function showState() {
    const stream = document.getElementById(part).dataset.stream;
    const text = connected === false ? "reconnecting" : names[stream];
    pulse.classList.toggle("on", connected === true);
    pulse.dataset.stream = stream;
    if (pulse.textContent !== text) pulse.textContent = text;
  }
  function connection(state) {
    connected = state;
    showState();
  }
  stream.addEventListener("open", () => connection(true));
  stream.addEventListener("error", () => connection(false));
  addEventListener("pagehide", () => stream.close());
})();
