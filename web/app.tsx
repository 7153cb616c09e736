import { useEffect, useState } from 'preact/hooks'
import { connection, hello } from './model/live.ts'
import { AddressesPage } from './pages/addresses-page.tsx'
import { EvictionsPage } from './pages/evictions-page.tsx'
import { MapPage } from './pages/map-page.tsx'
import { NodePage } from './pages/node-page.tsx'
import { PodPage } from './pages/pod-page.tsx'
import { PodsPage } from './pages/pods-page.tsx'
import { QueuePage } from './pages/queue-page.tsx'
import { TimePage } from './pages/time-page.tsx'
import type { PageRoute } from './parse-route.ts'
import { ConnectionBanner, SignedOut } from './parts/connection-state.tsx'
import { Empty } from './parts/controls.tsx'
import { Help } from './parts/help.tsx'
import { startShortcuts } from './parts/shortcuts.ts'
import { Side } from './parts/side.tsx'
import { route } from './router.ts'

export function App() {
  const [helps, setHelps] = useState(false)
  useEffect(() => startShortcuts({ onHelp: () => setHelps(true) }), [])
  const state = connection.value
  useEffect(() => {
    document.title = `${titleOf(route.value)} · berth`
  }, [route.value])
  if (state.kind === 'signed-out') return <SignedOut why={state.why} />
  return (
    <div class="shell">
      <Side onHelp={() => setHelps(true)} />
      <div class="main">
        <ConnectionBanner />
        {hello.value === undefined ? (
          <main class="page" aria-busy="true">
            <Empty title="Connecting…" />
          </main>
        ) : (
          <Page route={route.value} />
        )}
      </div>
      {helps ? <Help onClose={() => setHelps(false)} /> : null}
    </div>
  )
}

function Page({ route: { ...at } }: { readonly route: PageRoute }) {
  switch (at.page) {
    case 'map':
      return <MapPage />
    case 'pods':
      return <PodsPage />
    case 'queue':
      return <QueuePage />
    case 'evictions':
      return <EvictionsPage />
    case 'addresses':
      return <AddressesPage />
    case 'time':
      return <TimePage />
    case 'node':
      return <NodePage key={at.name} name={at.name} />
    case 'pod':
      return <PodPage key={at.key} podKey={at.key} />
    case 'nowhere':
      return (
        <main class="page">
          <Empty title="Page not found">
            <p>No page of the console has this address.</p>
            <a href="#/map">Go to the cluster map</a>
          </Empty>
        </main>
      )
  }
}

function titleOf(at: PageRoute): string {
  switch (at.page) {
    case 'node':
      return at.name
    case 'pod':
      return at.key
    case 'map':
      return 'Cluster'
    case 'nowhere':
      return 'Not found'
    default:
      return at.page[0]?.toUpperCase() + at.page.slice(1)
  }
}
