import { encodeJson } from '../../base/exact-json.ts'
import type { Forecast } from './forecast.ts'
import { reportData } from './report-data.ts'
import type { PodRequests } from './shown-forecast.ts'

/** The browser code of the page, which the build makes from the components of the console. */
export interface PageCode {
  readonly script: string
  readonly style: string
}

export interface PageOptions {
  readonly code: PageCode
  /** Absent: requests are unknown and not drawn. */
  readonly requests?: PodRequests
}

/** The forecast as one self-contained HTML file. It opens from disk and needs no network. */
export function forecastPage(forecast: Forecast, { code, requests = new Map() }: PageOptions): string {
  const data = reportData(forecast, requests)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${escapeHtml(forecast.question)} · berth</title>
<style>${code.style.replaceAll('</style', '<\\/style')}</style>
</head>
<body>
<div id="app">
<main class="page">
<h1>${escapeHtml(forecast.question)}</h1>
<p>${escapeHtml(data.about)}</p>
${forecast.answer.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
${data.remarks.map(({ text }) => `<p>${escapeHtml(text)}</p>`).join('\n')}
</main>
</div>
<script type="application/json" id="report">${embedded(data)}</script>
<script>${code.script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** JSON that is safe inside a script element. */
function embedded(data: object): string {
  return encodeJson(data).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
