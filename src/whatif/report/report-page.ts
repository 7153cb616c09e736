import type { Forecast } from './forecast.ts'
import { reportData } from './report-data.ts'
import { type PageCode, selfContainedPage } from './self-contained-page.ts'
import type { PodRequests } from './shown-forecast.ts'

export interface PageOptions {
  readonly code: PageCode
  /** Absent: requests are unknown and not displayed. */
  readonly requests?: PodRequests
}

/** The forecast as one self-contained HTML file. It opens from disk and needs no network. */
export function forecastPage(forecast: Forecast, { code, requests = new Map() }: PageOptions): string {
  const data = reportData(forecast, requests)
  const question = escapeHtml(forecast.question)
  const body = `
<main class="page">
<h1>${question}</h1>
<p>${escapeHtml(data.about)}</p>
${forecast.answer.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
${data.remarks.map(({ text }) => `<p>${escapeHtml(text)}</p>`).join('\n')}
</main>
`
  return selfContainedPage({ title: question, body, data: { id: 'report', value: data }, code })
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
