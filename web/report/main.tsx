import { render } from 'preact'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/layout.css'
import '../styles/parts.css'
import '../styles/bars.css'
import '../styles/map.css'
import '../styles/pages.css'
import '../styles/forecasts.css'
import '../styles/report.css'
import type { ReportData } from '../../src/wire/report-wire.ts'
import { followPrinting } from '../parts/printing.ts'
import { startTheme } from '../parts/theme.ts'
import { Report } from './report.tsx'

const data = JSON.parse(document.getElementById('report')?.textContent ?? '') as ReportData

startTheme()
followPrinting()
const host = document.getElementById('app') as HTMLElement
// Removes the content for readers without JavaScript.
host.replaceChildren()
render(<Report data={data} />, host)
document.documentElement.dataset['ready'] = 'true'
