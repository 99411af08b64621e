// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/watch/watch_page.h"

#include "report/page/html.h"

namespace percuss::app {

std::string PageHtml() {
  return R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>percuss watch</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="watch.css">
<script src="watch.js" defer></script>
</head>
<body>
<main>
<h1 id="name">percuss watch</h1>
<p class="subtitle" id="activity" role="status">Waiting for the first look at the folder.</p>
<ul class="findings" id="problem" hidden><li class="failure"><span class="sign">✕</span><span></span></li></ul>
<ol class="steps" id="steps" aria-label="Steps"></ol>
<section id="coefficients" hidden>
<h2>Coefficients so far</h2>
<div class="numbers"></div>
<p class="reading"></p>
</section>
<section>
<h2>Trials</h2>
<p class="reading" id="none">None yet.</p>
<div class="scroll"><table id="trials"><tbody></tbody></table></div>
</section>
<section id="report" hidden>
<h2>Report</h2>
<p class="reading"><a href="out/report.html">The report as a page of its own</a>. It is written again whenever a trial is added.</p>
<iframe title="Report"></iframe>
</section>
</main>
</body>
</html>
)html";
}

std::string PageCss() {
  return std::string(report::PageStyle()) + R"css(
.steps { display: flex; flex-wrap: wrap; gap: 0.4rem; list-style: none; margin: 1rem 0; padding: 0; font: 0.9rem/1.4 var(--sans); }
.steps li { padding: 0.3rem 0.75rem; border-radius: 1rem; background: var(--faint); color: var(--soft); }
.steps li::before { content: "○"; margin-right: 0.5em; }
.steps .done { color: var(--ink); }
.steps .done::before { content: "✓"; color: var(--green); }
.steps .in-work { color: var(--ink); outline: 2px solid var(--blue); outline-offset: -2px; }
.steps .in-work::before { content: "…"; color: var(--blue); }
.numbers { display: flex; flex-wrap: wrap; gap: 0.5rem 3rem; }
.numbers .coefficient { margin: 0; }
#trials { width: 100%; }
#trials th { width: 12rem; white-space: normal; overflow-wrap: anywhere; }
#trials td { white-space: normal; overflow-wrap: anywhere; }
#trials .state { width: 6rem; white-space: nowrap; font-weight: 600; color: var(--soft); }
#trials .failed .state { color: var(--vermillion); }
#trials .in-work .state { color: var(--blue); }
#trials .done .state { color: var(--green); }
iframe { width: 100%; height: 85vh; border: 1px solid var(--rule); background: var(--page); }
@media (max-width: 40rem) {
  #trials tr { display: grid; grid-template-columns: 1fr max-content; padding: 0.35rem 0; border-top: 1px solid var(--rule); }
  #trials tr > * { width: auto; padding: 0.1rem 0; border: 0; }
  #trials .text { grid-column: 1 / -1; }
  #trials .text:empty { display: none; }
}
)css";
}

std::string PageScript() {
  return R"js('use strict';
// Names come from files of others: they are only ever set as text.
const place = id => document.getElementById(id);

function element(kind, text, kindOf) {
  const made = document.createElement(kind);
  made.textContent = text;
  if (kindOf) made.className = kindOf.replaceAll(' ', '-');
  return made;
}

function link(path) {
  const made = element('a', path.endsWith('.mp4') ? 'overlay video' : 'report');
  made.href = 'out/' + path.split('/').map(encodeURIComponent).join('/');
  return made;
}

function showTrial(trial) {
  const row = element('tr', '', trial.state);
  const text = element('td', trial.text, 'text');
  if (trial.link) text.append(trial.text ? '; ' : '', link(trial.link));
  row.append(element('th', trial.name), element('td', trial.state, 'state'), text);
  return row;
}

function showCoefficient(one) {
  const box = element('div', '', 'coefficient');
  const value = element('div', one.name + (one.sigma ? ' = ' : ': ') + one.value, 'value');
  if (one.sigma) value.append(' ', element('span', '± ' + one.sigma, 'sigma'));
  box.append(element('div', one.meaning, 'meaning'), value);
  return box;
}

let written = 0;

// A new report takes the place of the old one, where the reader was.
function showReport(status) {
  place('report').hidden = !status.report;
  if (!status.report || status.report_written === written) return;
  const frame = document.querySelector('iframe');
  const at = written ? frame.contentWindow.scrollY : 0;
  written = status.report_written;
  frame.onload = () => frame.contentWindow.scrollTo(0, at);
  frame.src = 'out/' + status.report + '?' + written;
}

function show(status) {
  const count = state => status.trials.filter(trial => trial.state === state).length;
  const failed = count('failed');
  document.title = (failed ? failed + ' failed, ' : '') + count('done') + ' done: ' + status.name;
  place('name').textContent = status.name;
  place('activity').textContent =
      status.running ? 'At work: ' + (status.activity || 'beginning') : 'Up to date. New videos are noticed and processed.';
  place('problem').hidden = !status.problem;
  place('problem').querySelector('span:last-child').textContent = status.problem;
  place('steps').replaceChildren(
      ...status.steps.map(step => element('li', step.name + (step.text ? ': ' + step.text : ''), step.state)));
  place('none').hidden = status.trials.length > 0;
  place('trials').tBodies[0].replaceChildren(...status.trials.map(showTrial));
  place('coefficients').hidden = !status.coefficients.length;
  place('coefficients').querySelector('.numbers').replaceChildren(...status.coefficients.map(showCoefficient));
  place('coefficients').querySelector('.reading').textContent =
      '± is one standard deviation.' + (status.law ? ' By the law that explains the data best: ' + status.law + '.' : '');
  showReport(status);
}

let shown = '';

async function look() {
  try {
    const answer = await fetch('status.json');
    const text = await answer.text();
    if (text !== shown && text.trim() !== '{}') show(JSON.parse(text));
    shown = text;
  } catch {
    shown = '';
    place('activity').textContent = 'percuss watch has ended. Start it again to go on; nothing is lost.';
  }
  setTimeout(look, 1000);
}

look();
)js";
}

}  // namespace percuss::app
