import type { Forecast } from './forecast.ts'
import { pageScript } from './page-script.ts'
import { pageStyle } from './page-style.ts'
import { span } from './phrases.ts'

/** A forecast as one page that needs nothing else: it opens from a disk and works without a network. */
export function forecastPage(forecast: Forecast): string {
  const { question, answer, seed, seconds, start, berth, kubernetes } = forecast
  const about = `${span(seconds * 1000)} from ${start}, seed ${seed}, berth ${berth}, Kubernetes ${kubernetes}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${escapeHtml(question)} · berth</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<h1>${escapeHtml(question)}</h1>
<p class="soft">${escapeHtml(about)}</p>
<section class="answer" aria-label="The answer">
${answer.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
</section>
${remarks(forecast)}
<div class="clock">
<button id="play" type="button">Play</button>
<output id="time" for="scrub">0s</output>
<input id="scrub" type="range" min="0" value="0" aria-label="The instant shown">
</div>
<h2>The cluster at this instant</h2>
<p class="legend">${legend()}</p>
<p id="pending" class="soft"></p>
<div id="map" class="zones"></div>
<h2>Over time</h2>
<div id="charts" class="charts"></div>
<h2>Timeline</h2>
<div class="filters"><input id="what" type="search" placeholder="Filter: a name, or bound, tainted, …" aria-label="Filter the timeline"></div>
<div class="scroll"><table>
<thead><tr><th class="num">Time</th><th>Who</th><th>What</th></tr></thead>
<tbody id="timeline"></tbody>
</table></div>
<h2>Pods</h2>
<div class="filters">
<input id="who" type="search" placeholder="Filter: a name, a node, a reason" aria-label="Filter the pods">
<select id="fate" aria-label="Which pods">
<option value="all">all that anything happens to</option>
<option value="deleted">deleted</option>
<option value="pending">pending at the end</option>
<option value="created">created</option>
</select>
</div>
<div class="scroll"><table>
<thead><tr><th>Pod</th><th>Was on</th><th class="num">Deleted</th><th>Why</th><th>Placed on</th><th class="num">At</th><th>Replaced by</th></tr></thead>
<tbody id="pods"></tbody>
</table></div>
<section id="addresses"><h2>Address space</h2><div id="blocks" class="blocks"></div></section>
<dialog id="dialog"><div id="story"></div><form method="dialog"><button>Close</button></form></dialog>
</main>
<script type="application/json" id="forecast">${embedded(forecast)}</script>
<script>${pageScript}</script>
</body>
</html>
`
}

function remarks({ loops, notes, expectations, drains, interrupted }: Forecast): string {
  const lines = [
    ...(interrupted ? [['warn', 'It was interrupted: this is what had happened until then.']] : []),
    ...expectations
      .filter(({ holds }) => !holds)
      .map(({ kind, violation }) => [
        'bad',
        `Expected ${kind}, but at ${span((violation?.seconds ?? 0) * 1000)}: ${violation?.text}`,
      ]),
    ...loops.map(({ text }) => ['warn', `Loop: ${text}.`]),
    ...(drains?.blocked ?? []).map(({ pod, node, why }) => ['warn', `Blocked: ${pod} on ${node}: ${why}.`]),
    ...notes.map(({ text }) => ['soft', `${text}.`]),
  ]
  return lines.map(([style, text]) => `<p class="${style}">${escapeHtml(text ?? '')}</p>`).join('\n')
}

function legend(): string {
  const states = [
    ['running', 'running'],
    ['pending', 'starting'],
    ['notReady', 'not ready'],
    ['terminating', 'terminating'],
    ['still', 'nothing happens to it'],
  ]
  return states.map(([style, text]) => `<span><i class="${style}"></i>${text}</span>`).join('')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** JSON that no text in it can break out of. */
function embedded(forecast: Forecast): string {
  return JSON.stringify(forecast)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}
