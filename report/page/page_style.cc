// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/html.h"

namespace percuss::report {

const char* PageStyle() {
  return R"css(:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #1b1f24; --soft: #57606a; --rule: #d0d7de; --faint: #f3f5f7; --shadow: #0003;
  --blue: #0072b2; --vermillion: #d55e00; --green: #009e73; --orange: #e69f00; --sky: #56b4e9;
  --grey: #808080;
  --serif: Charter, "Bitstream Charter", "Iowan Old Style", "Palatino Linotype", Georgia, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --ink: #e3e7eb; --soft: #9da7b1; --rule: #3a424a; --faint: #1d2227; --shadow: #000c;
    --blue: #4aa3df; --vermillion: #f0813a; --green: #2fbf97; --sky: #b5e0fa;
    --grey: #8b949e;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 74rem;
  background: var(--page); color: var(--ink); font: 1.0625rem/1.6 var(--serif);
}
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h1 { font-size: 2rem; margin: 0; }
h2 { font-size: 1.45rem; margin: 3rem 0 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.15rem; margin: 2.25rem 0 0.5rem; }
p { margin: 0.6rem 0 1rem; max-width: 44rem; overflow-wrap: anywhere; }
.subtitle { color: var(--soft); margin: 0.25rem 0 1rem; }
nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; font: 0.9rem/1.6 var(--sans); }
a { color: var(--blue); text-underline-offset: 0.15em; }
.findings { list-style: none; margin: 0.75rem 0 1.25rem; padding: 0; font: 0.95rem/1.5 var(--sans); }
.findings li {
  display: flex; gap: 0.7rem; align-items: baseline; margin: 0.35rem 0; padding: 0.45rem 0.75rem;
  border-left: 4px solid var(--grey); background: var(--faint); overflow-wrap: anywhere;
}
.findings li > span:last-child { min-width: 0; }
.findings .sign { flex: none; width: 1em; text-align: center; font-weight: 700; }
.findings .ok { border-color: var(--green); }
.findings .ok .sign { color: var(--green); }
.findings .warning { border-color: var(--orange); }
.findings .warning .sign { color: var(--orange); }
.findings .failure { border-color: var(--vermillion); }
.findings .failure .sign { color: var(--vermillion); }
.table { margin: 1.5rem 0 2rem; }
/* Shadows at the edges that a table continues beyond. */
.scroll {
  overflow-x: auto;
  background:
    linear-gradient(to right, var(--page) 40%, transparent) left / 2.5rem 100% no-repeat local,
    linear-gradient(to left, var(--page) 40%, transparent) right / 2.5rem 100% no-repeat local,
    linear-gradient(to right, var(--shadow), transparent) left / 0.8rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shadow), transparent) right / 0.8rem 100% no-repeat scroll;
}
.scroll:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
table { border-collapse: collapse; font: 0.875rem/1.45 var(--sans); font-variant-numeric: tabular-nums; }
/* Wraps within the window, also where its table is wider. */
caption {
  caption-side: top; text-align: left; font-weight: 600; font-size: 0.95rem;
  padding: 0 max(0px, calc(100% - 100vw + 3rem)) 0.45rem 0;
}
th, td { padding: 0.32rem 0.6rem; text-align: left; vertical-align: top; }
th:first-child, td:first-child { padding-left: 0; }
td, tbody th { white-space: nowrap; }
thead th { vertical-align: bottom; font-weight: 600; border-bottom: 1px solid var(--ink); }
thead th.number { min-width: 5.2em; }
thead { border-top: 1.5px solid var(--ink); }
tbody { border-bottom: 1.5px solid var(--ink); }
tbody th { font-weight: 500; }
tbody .repeat { color: transparent; }
.group > * { border-top: 1px solid var(--rule); }
tbody tr:first-child > * { border-top: 0; }
.long { white-space: normal; min-width: 20rem; max-width: 40rem; }
.wide .sigma { display: block; }
.number { text-align: right; }
.sigma { color: var(--soft); font-size: 0.9em; }
.unit { color: var(--soft); font-weight: 400; white-space: nowrap; }
pre { font-size: 0.8rem; line-height: 1.4; overflow-x: auto; }
.reading { font: 0.85rem/1.5 var(--sans); color: var(--soft); margin-top: 0.5rem; }
.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr));
  gap: 1.25rem 2rem; margin: 1.25rem 0 2rem; align-items: start;
}
figure { margin: 0; min-width: 0; max-width: 33rem; }
figure svg { display: block; width: 100%; height: auto; }
.figures .wide-figure { grid-column: 1 / -1; max-width: none; }
.wide-figure > svg { max-width: 42rem; }
.large { margin: 1.25rem 0 0; max-width: none; font-family: var(--sans); line-height: 1.2; }
.large + p { max-width: 64rem; }
.large .value { font-size: 3rem; font-weight: 600; margin-right: 0.75rem; white-space: nowrap; }
.large .detail { color: var(--soft); font-size: 1.15rem; }
/* The first screen: numbers beside pictures, all of it visible at once. */
.answer { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 7fr); gap: 0.5rem 2.5rem; }
.answer .findings { margin: 0 0 0.75rem; }
.answer .findings li { font-size: 1.0625rem; }
.answer p { margin: 0; max-width: none; }
.coefficient { margin: 0 0 1rem; font-family: var(--sans); }
.coefficient .meaning { color: var(--soft); font-size: 0.95rem; }
.coefficient .value { font-size: 2.2rem; font-weight: 600; line-height: 1.2; }
.coefficient .value .sigma { font-size: 1.15rem; font-weight: 400; white-space: nowrap; }
.coefficient .between { color: var(--soft); font-size: 0.95rem; }
.strip-of-intervals {
  display: grid; grid-template-columns: max-content 1fr; gap: 0 0.75rem; align-items: center;
  margin-top: 0.3rem; font: 0.8rem/1.5 var(--sans); color: var(--soft);
}
.strip-of-intervals .law { overflow-wrap: anywhere; max-width: 9rem; }
.strip-of-intervals .best { color: var(--ink); font-weight: 600; }
.interval { width: 100%; height: 1.1rem; overflow: visible; }
.interval .axis { stroke: var(--rule); stroke-width: 1px; }
.interval .bar { stroke: var(--grey); stroke-width: 4px; stroke-linecap: round; }
.interval circle { fill: var(--grey); }
.best + .interval .bar, .best + .interval circle { stroke: var(--blue); fill: var(--blue); }
.advice { font: 0.95rem/1.45 var(--sans); color: var(--soft); }
.sights { display: grid; gap: 0.75rem; align-content: start; }
.sights figure { max-width: none; }
.sights .moment { display: none; }
.sights figcaption { font-size: 0.8rem; line-height: 1.35; }
.sights .frame { max-height: 15rem; overflow: hidden; width: fit-content; max-width: 100%; margin: 0 auto; }
.sights .frame img { width: auto; height: auto; max-width: 100%; max-height: 15rem; }
.sights svg.plot { height: auto; max-height: 17rem; margin: 0 auto; }
details { border-top: 1px solid var(--rule); }
summary { cursor: pointer; padding: 0.55rem 0; font-family: var(--sans); }
summary h2 { display: inline; margin: 0; padding: 0; border: 0; font: 600 1.1rem/1.4 var(--serif); }
summary:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
details > section { padding-bottom: 1.5rem; }
main > section + details { margin-top: 1.5rem; }
.tabs { display: flex; flex-wrap: wrap; gap: 0 0.4rem; }
.tabs > input { position: absolute; opacity: 0; }
.tabs > label {
  font: 600 0.95rem/1 var(--sans); padding: 0.6rem 1rem; cursor: pointer; color: var(--soft);
  border-bottom: 3px solid transparent;
}
.tabs > input:checked + label { color: var(--ink); border-color: var(--blue); }
.tabs > input:focus-visible + label { outline: 2px solid var(--blue); outline-offset: -2px; }
.panel { order: 1; flex: 0 0 100%; min-width: 0; display: none; border-top: 1px solid var(--rule); }
.tabs > input:checked + label + .panel { display: block; }
.panel > h3 { display: none; }
.plot .grid { stroke: var(--rule); stroke-width: 1px; }
.plot .same { stroke: var(--soft); stroke-width: 1px; stroke-dasharray: 5 4; }
.plot .blue { --hue: var(--blue); }
.plot .vermillion { --hue: var(--vermillion); }
.plot .green { --hue: var(--green); }
.plot .orange { --hue: var(--orange); }
.plot .sky { --hue: var(--sky); }
.plot .grey { --hue: var(--grey); }
.plot .ink { --hue: var(--ink); }
.plot .mark { fill: var(--hue); stroke: var(--page); stroke-width: 1px; }
.plot .bar, .plot .line { fill: none; stroke: var(--hue); stroke-width: 1.5px; }
.plot .area { fill: var(--hue); opacity: 0.2; }
.plot .band { fill: var(--sky); opacity: 0.3; }
.plot .dashed { stroke-dasharray: 5 4; }
.plot .dots { fill: none; stroke: var(--hue); stroke-width: 5px; stroke-linecap: round; }
.plot .cloud { stroke-width: 2px; opacity: 0.6; }
.plot .square { stroke-width: 4px; stroke-linecap: square; }
.plot .said:hover .mark, .plot a:hover .mark, .plot a:focus .mark { stroke: var(--ink); stroke-width: 2px; }
.plot text { fill: var(--ink); font: 12px var(--sans); }
.map .cell { fill: var(--blue); }
.map .in-cell { font-size: 11px; font-variant-numeric: tabular-nums; }
.map .empty { fill: none; stroke: var(--vermillion); stroke-width: 1.5px; }
.map .blank { fill: none; stroke: var(--rule); }
.map .frame-line { fill: none; stroke: var(--soft); }
.map .arrow { fill: none; stroke: var(--blue); stroke-width: 1.2px; stroke-linejoin: round; }
.map .loud { stroke: var(--vermillion); stroke-width: 2.4px; }
.viewer { font: 0.9rem/1.5 var(--sans); }
.viewer-bar { display: flex; flex-wrap: wrap; gap: 0.4rem 1.1rem; align-items: center; margin: 0.4rem 0; }
.viewer-bar fieldset { display: flex; flex-wrap: wrap; gap: 0.3rem 0.8rem; align-items: center; margin: 0; padding: 0; border: 0; }
.viewer-bar legend { float: left; color: var(--soft); margin-right: 0.2rem; }
.viewer-bar button, .viewer-bar select {
  font: inherit; color: var(--ink); background: var(--faint); border: 1px solid var(--rule);
  border-radius: 4px; padding: 0.15rem 0.6rem;
}
.viewer-bar label { display: inline-flex; gap: 0.35rem; align-items: center; }
.viewer-bar .sign { display: inline-block; width: 0.8em; height: 0.8em; border-radius: 2px; background: var(--blue); }
.viewer-bar .measured { display: inline-flex; gap: 0.35rem; align-items: center; }
.viewer-bar .play { min-width: 5.5rem; }
.viewer-bar input[type=range] { flex: 1 1 10rem; }
.viewer-bar .readout { min-width: 13rem; font-variant-numeric: tabular-nums; }
.stage { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.stage .acted { flex: 1 1 20rem; min-width: 0; }
.stage .scene { display: block; width: 100%; height: 26rem; border: 1px solid var(--rule); touch-action: pan-y; cursor: grab; }
.stage .scene:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
.stage .energy { display: block; width: 100%; height: 7rem; cursor: col-resize; touch-action: pan-y; }
.stage .film { flex: 0 1 auto; align-self: start; max-width: 100%; }
/* A photograph keeps its shape, whether it lies or stands; the plot beside it takes the rest. */
.figures:has(.photo) { display: flex; flex-wrap: wrap; }
.figures:has(.photo) figure { flex: 1 1 22rem; max-width: none; }
.figures figure:has(.photo) { flex: 0 1 auto; }
figure:has(.photo) figcaption { width: 0; min-width: 100%; margin-top: 0.4rem; }
.photo { display: block; height: auto; max-width: 100%; }
.strip { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0.5rem; margin-bottom: 0.4rem; max-width: 46rem; }
.frame { position: relative; line-height: 0; }
.frame img { width: 100%; height: auto; }
.frame svg { position: absolute; inset: 0; height: 100%; }
.frame svg * { fill: none; vector-effect: non-scaling-stroke; stroke-width: 1.5px; }
.frame .measured { stroke: #56b4e9; }
.frame .predicted { stroke: #ff9d2e; stroke-dasharray: 5 4; stroke-width: 2px; }
.frame .marker { stroke: #7dff9a; stroke-width: 1px; }
.frame .name-of, .frame .number-of { fill: #7dff9a; stroke: #000; stroke-width: 3px; paint-order: stroke; font-family: var(--sans); }
.frame .number-of { fill: #ffb04d; }
.frame .rejected { stroke: #ff9d2e; stroke-width: 2px; }
.frame .common { stroke: #c9d1d9; stroke-width: 1px; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0.75rem 1rem; align-items: start; }
.sides ol, .sides .picture > p { font: 0.8rem/1.4 var(--sans); color: var(--soft); margin: 0.15rem 0 0.3rem; }
.sides ol { padding-left: 2.2em; max-height: 9.5rem; overflow-y: auto; overflow-wrap: anywhere; }
figure:has(> .sides) { display: flex; flex-direction: column-reverse; }
figure:has(> .sides) > figcaption::first-letter { text-transform: uppercase; }
figure:has(> .sides) > figcaption { font-size: 1rem; font-weight: 600; color: var(--ink); }
.plot .shade { fill: var(--orange); }
.plot .stair { fill: var(--blue); fill-opacity: 0.75; }
.moment { font: 0.8rem/1.4 var(--sans); color: var(--soft); margin: 0.15rem 0 0; }
figcaption { font: 0.85rem/1.45 var(--sans); color: var(--soft); overflow-wrap: anywhere; }
.no-plot {
  font: 0.9rem/1.5 var(--sans); margin: 0 0 0.4rem; padding: 1.25rem; border: 1px dashed var(--rule);
  color: var(--soft);
}
@media (max-width: 56rem) {
  .answer { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 40rem) {
  .stage .scene { height: 18rem; }
  .strip { gap: 0.25rem; }
  body { padding: 1.25rem 1rem 3rem; font-size: 1rem; }
  h1 { font-size: 1.6rem; }
  h2 { font-size: 1.25rem; margin-top: 2.25rem; }
}
@page { margin: 18mm 15mm; }
@media print {
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
  .tabs { display: block; }
  .tabs > label { display: none; }
  .panel, .panel > h3 { display: block; }
  html { font-size: 9.5pt; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .viewer-bar { display: none; }
  table { font-size: 7.5pt; }
  caption { font-size: 9pt; padding-right: 0; }
  th, td { padding: 0.2rem 0.4rem; }
  td, tbody th { white-space: normal; overflow-wrap: break-word; }
  td.number { white-space: nowrap; }
  .long { min-width: 0; }
  .scroll { overflow: visible; background: none; }
  pre { white-space: pre-wrap; font-size: 7pt; }
  thead th.number { min-width: 0; }
  .figures { grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 0.5rem 1rem; }
  .sides ol { max-height: none; }
  h2, h3, caption { break-after: avoid; }
  figure, .strip, .frame, tr, .findings li { break-inside: avoid; }
  tbody:has(.group) tr:not(.group) { break-before: avoid; }
}
)css";
}

}  // namespace percuss::report
