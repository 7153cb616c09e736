import { computed } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { connection, hello, revision } from './model/live.ts'
import { pageList } from './page-list.ts'
import { AddressesPage } from './pages/addresses-page.tsx'
import { BudgetsPage } from './pages/budgets-page.tsx'
import { DevicesPage } from './pages/devices-page.tsx'
import { EvictionsPage } from './pages/evictions-page.tsx'
import { HomePage } from './pages/home-page.tsx'
import { NodePage } from './pages/node-page.tsx'
import { NodesPage } from './pages/nodes-page.tsx'
import { PodPage } from './pages/pod-page.tsx'
import { PodsPage } from './pages/pods-page.tsx'
import { QueuePage } from './pages/queue-page.tsx'
import { SearchPage } from './pages/search-page.tsx'
import { TimePage } from './pages/time-page.tsx'
import { WhatIfPage } from './pages/what-if-page.tsx'
import { WorkloadPage } from './pages/workload-page.tsx'
import { WorkloadsPage } from './pages/workloads-page.tsx'
import type { PageRoute } from './parse-route.ts'
import { ConnectionBanner, Forbidden, SignedOut } from './parts/connection-state.tsx'
import { Finder } from './parts/finder.tsx'
import { Help } from './parts/help.tsx'
import { NotFound, Skeleton } from './parts/page.tsx'
import { startShortcuts } from './parts/shortcuts.ts'
import { Side } from './parts/side.tsx'
import { route } from './router.ts'

// Reads only the state, because the connection changes with every message and would render the whole page again.
const refusedBecause = computed(() => {
  const { value } = connection
  return value.kind === 'signed-out' || value.kind === 'forbidden' ? value : undefined
})

/** Shown until the first data arrives: a page without rows would look like an empty cluster. */
const isEmptyYet = computed(
  () => hello.value === undefined || (connection.value.kind === 'loading' && revision.value === 0),
)

export function App() {
  const [helps, setHelps] = useState(false)
  const [finds, setFinds] = useState(false)
  useEffect(() => startShortcuts({ onHelp: () => setHelps(true), onFind: () => setFinds(true) }), [])
  const refused = refusedBecause.value
  useEffect(() => {
    document.title = `${titleOf(route.value)} · berth`
  }, [route.value])
  if (refused?.kind === 'signed-out') return <SignedOut why={refused.why} />
  if (refused?.kind === 'forbidden') return <Forbidden why={refused.why} />
  return (
    <div class="shell">
      <Side onHelp={() => setHelps(true)} onFind={() => setFinds(true)} />
      <div class="main">
        <ConnectionBanner />
        {isEmptyYet.value ? (
          <main class="page" aria-busy="true">
            <h1>{hello.value === undefined ? 'Connecting…' : 'Loading…'}</h1>
            <Skeleton rows={12} />
          </main>
        ) : (
          <Page route={route.value} />
        )}
      </div>
      {helps ? <Help onClose={() => setHelps(false)} /> : null}
      {finds ? <Finder onClose={() => setFinds(false)} /> : null}
    </div>
  )
}

function Page({ route: { ...at } }: { readonly route: PageRoute }) {
  switch (at.page) {
    case 'home':
      return <HomePage />
    case 'nodes':
      return <NodesPage />
    case 'workloads':
      return <WorkloadsPage />
    case 'workload':
      return <WorkloadPage key={at.key} workloadKey={at.key} />
    case 'budgets':
      return <BudgetsPage />
    case 'devices':
      return <DevicesPage />
    case 'what-if':
      return <WhatIfPage />
    case 'search':
      return <SearchPage />
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
        <NotFound title="Page not found">
          <p>No page of the console has this address.</p>
          <a href="#/">Go to the cluster</a>
        </NotFound>
      )
  }
}

function titleOf(at: PageRoute): string {
  switch (at.page) {
    case 'node':
      return at.name
    case 'pod':
    case 'workload':
      return at.key
    case 'nowhere':
      return 'Not found'
    default:
      return pageList.find(({ page }) => page === at.page)?.title ?? ''
  }
}
