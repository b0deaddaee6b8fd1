// Draws the map with plotly in place of the plain one, which stays where scripts do not run.
"use strict";

(async () => {
  const map = document.getElementById("map");
  if (!map || !window.Plotly) return;
  const response = await fetch(map.dataset.source);
  if (!response.ok) return;
  const { points } = await response.json();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const most = Math.max(...points.map((p) => p.momentum), 1e-9);
  const named = [...points].sort((a, b) => b.momentum - a.momentum).slice(0, 60);
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const broken = (text) => plain(text).replace(/(.{28,}?) /g, "$1<br>");
  const scale = () => Math.min(1, 0.45 + map.clientWidth / 1800);
  const radius = (point) => scale() * (4 + 3.5 * Math.sqrt(Math.min(point.size, 60)));

  function short(text) {
    const room = map.clientWidth < 600 ? 24 : 38;
    return text.length > room ? text.slice(0, room - 1).trimEnd() + "…" : text;
  }

  // Names go to the stories of most momentum first: below, above or beside the dot, wherever no
  // other name stands yet and no larger dot would be covered.
  function labels() {
    const wide = (map.clientWidth - 32) / 2.3;
    const high = (map.clientHeight - 32) / 2.3;
    const dots = points.map((p) => ({ p, x: p.x * wide, y: p.y * high, w: radius(p), h: radius(p) }));
    const names = [];
    const apart = (one, other) =>
      Math.abs(one.x - other.x) > one.w + other.w || Math.abs(one.y - other.y) > one.h + other.h;
    for (const point of named) {
      const text = short(point.title);
      const half = text.length * 3.1 + 3;
      const far = radius(point) + 9;
      const places = [[0, -far], [0, far], [half + far - 4, 0], [-half - far + 4, 0]];
      for (const [dx, dy] of places) {
        const box = { x: point.x * wide + dx, y: point.y * high + dy, w: half, h: 8 };
        const inside = Math.abs(box.x) + half < 1.15 * wide && Math.abs(box.y) + 8 < 1.15 * high;
        const covers = dots.some((dot) => dot.p !== point && dot.p.size >= 4 && !apart(box, dot));
        if (inside && !covers && names.every((other) => apart(box, other))) {
          names.push({ ...box, point, text, dx, dy });
          break;
        }
      }
    }
    return names;
  }

  function draw() {
    const css = getComputedStyle(document.documentElement);
    const colour = (name) => css.getPropertyValue(name).trim();
    const sans = getComputedStyle(document.body).fontFamily;
    const trace = {
      type: "scatter",
      mode: "markers",
      x: points.map((p) => p.x),
      y: points.map((p) => p.y),
      customdata: points.map((p) => p.url),
      text: points.map((p) => `<b>${broken(p.title)}</b><br>${p.size} ${p.size === 1 ? "article" : "articles"}`),
      hovertemplate: "%{text}<extra></extra>",
      marker: {
        size: points.map((p) => 2 * radius(p)),
        color: colour("--on"),
        opacity: points.map((p) => 0.28 + 0.62 * Math.sqrt(p.momentum / most)),
        line: { color: colour("--raised"), width: 1.5 },
      },
    };
    const layout = {
      margin: { l: 16, r: 16, t: 16, b: 16 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: sans, size: 12, color: colour("--ink") },
      xaxis: { visible: false, range: [-1.15, 1.15] },
      yaxis: { visible: false, range: [-1.15, 1.15] },
      hoverlabel: { bgcolor: colour("--raised"), bordercolor: colour("--line"), font: { family: sans, color: colour("--ink") } },
      dragmode: "pan",
      annotations: labels().map(({ point, text, dx, dy }) => ({
        x: point.x, y: point.y, text: plain(text), showarrow: false,
        xshift: dx, yshift: dy, font: { size: 11.5, color: colour("--ink") },
      })),
    };
    return window.Plotly.react(map, [trace], layout, { displayModeBar: false, responsive: true, scrollZoom: true });
  }

  map.replaceChildren();
  await draw();
  map.on("plotly_click", (event) => { location.href = event.points[0].customdata; });
  dark.addEventListener("change", draw);
  let later = 0;
  addEventListener("resize", () => { clearTimeout(later); later = setTimeout(draw, 150); });
})();
