// Draws the map with plotly over the plain one, which stays where scripts do not run.
"use strict";

(async () => {
  const map = document.getElementById("map");
  if (!map || !window.Plotly) return;
  const response = await fetch(map.dataset.source);
  if (!response.ok) return;
  const { points } = await response.json();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const most = Math.max(...points.map((p) => p.momentum), 1e-9);
  const largest = [...points].filter((p) => p.size > 1).sort((a, b) => b.size - a.size).slice(0, 40);
  const short = (text) => (text.length > 38 ? text.slice(0, 37).trimEnd() + "…" : text);
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const broken = (text) => plain(text).replace(/(.{28,}?) /g, "$1<br>");

  // Below a story if there is room, else above it, else not at all.
  function labels() {
    const wide = (map.clientWidth - 32) / 2.3;
    const high = (map.clientHeight - 32) / 2.3;
    const taken = points.map((p) => ({ x: p.x * wide, y: p.y * high, w: 6 + 4 * Math.sqrt(p.size), h: 6 + 4 * Math.sqrt(p.size) }));
    const found = [];
    for (const point of largest) {
      const half = Math.min(point.title.length, 38) * 3.1 + 4;
      for (const way of [-1, 1]) {
        const shift = way * (13 + 3.5 * Math.sqrt(point.size));
        const box = { x: point.x * wide, y: point.y * high + shift, w: half, h: 8 };
        const free = Math.abs(box.x) + half < 1.15 * wide && taken.every((other) =>
          Math.abs(other.x - box.x) > other.w + box.w || Math.abs(other.y - box.y) > other.h + box.h - 4);
        if (free) {
          taken.push(box);
          found.push({ point, shift });
          break;
        }
      }
    }
    return found;
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
        size: points.map((p) => 8 + 7 * Math.sqrt(p.size)),
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
      annotations: labels().map(({ point, shift }) => ({
        x: point.x, y: point.y, text: plain(short(point.title)), showarrow: false,
        yshift: shift, font: { size: 11.5, color: colour("--soft") },
      })),
    };
    return window.Plotly.react(map, [trace], layout, { displayModeBar: false, responsive: true, scrollZoom: true });
  }

  map.replaceChildren();
  await draw();
  map.on("plotly_click", (event) => { location.href = event.points[0].customdata; });
  dark.addEventListener("change", draw);
})();
