import { render } from 'preact'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/layout.css'
import '../styles/attention.css'
import '../styles/parts.css'
import '../styles/bars.css'
import '../styles/map.css'
import '../styles/pages.css'
import '../styles/forecasts.css'
import { App } from '../app.tsx'
import { readFrom, type StaticAnswers } from '../model/api.ts'
import { live } from '../model/live.ts'
import { startTheme } from '../parts/theme.ts'

readFrom(JSON.parse(document.getElementById('cluster')?.textContent ?? '') as StaticAnswers)
startTheme()
const host = document.getElementById('app') as HTMLElement
host.replaceChildren()
render(<App />, host)
live.start()
document.documentElement.dataset['ready'] = 'true'
