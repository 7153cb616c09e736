import { render } from 'preact'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/attention.css'
import './styles/parts.css'
import './styles/bars.css'
import './styles/map.css'
import './styles/pages.css'
import './styles/forecasts.css'
import { App } from './app.tsx'
import { post } from './model/api.ts'
import { connection, live } from './model/live.ts'
import { startTheme } from './parts/theme.ts'

/** Exchanges the code of a printed link for a session, and removes it from the address. */
async function signIn(): Promise<void> {
  const address = new URL(location.href)
  const code = address.searchParams.get('code')
  if (code === null) return
  address.searchParams.delete('code')
  history.replaceState(null, '', address)
  // A link that was already used may belong to a session of this browser: the feed will show it.
  await post('session', { code }).catch(() => undefined)
}

startTheme()
render(<App />, document.getElementById('app') as HTMLElement)
connection.value = { kind: 'connecting' }
await signIn()
live.start()
