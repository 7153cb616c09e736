import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { post } from '../model/api.ts'
import { attention, hello, live, revision, summary } from '../model/live.ts'
import { countText } from '../model/words.ts'
import { type ListedPage, pageList } from '../page-list.ts'
import type { ListPage } from '../parse-route.ts'
import { pageHref, route } from '../router.ts'
import { ConnectionState } from './connection-state.tsx'
import { Tag } from './controls.tsx'
import { nextTheme, themeChoice } from './theme.ts'

interface PageCount {
  readonly count?: number | undefined
  /** Needs attention. */
  readonly hot?: boolean
}

export function Side({ onHelp, onFind }: { readonly onHelp: () => void; readonly onFind: () => void }) {
  const here = route.value.page
  // On a phone, the pages are behind a button.
  const [open, setOpen] = useState(false)
  useEffect(() => setOpen(false), [route.value])
  // At once, so that a key that follows immediately is not lost.
  useLayoutEffect(() => {
    if (!open) return undefined
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setOpen(false)
    }
    addEventListener('keydown', close)
    return () => removeEventListener('keydown', close)
  }, [open])
  const counts = countsOf()
  return (
    <aside class={open ? 'side open' : 'side'}>
      <div class="bar-top">
        <a class="brand" href="#/" aria-label="berth">
          <Mark />
          berth
        </a>
        <button type="button" class="button find" title="Find anything (Ctrl K)" onClick={onFind}>
          Find… <kbd>Ctrl K</kbd>
        </button>
        <button type="button" class="button menu" aria-expanded={open} onClick={() => setOpen(!open)}>
          Menu
        </button>
      </div>
      <nav aria-label="Pages">
        <ul>
          {pageList.filter(isOffered).map(({ page, path, title }) => {
            const { count, hot = false } = counts[page] ?? {}
            return (
              <li key={page}>
                <a href={pageHref(path)} aria-current={isAt(here, page) ? 'page' : undefined}>
                  {title}
                  {count === undefined ? null : <span class={hot ? 'count hot' : 'count'}>{countText(count)}</span>}
                </a>
              </li>
            )
          })}
        </ul>
      </nav>
      <div class="foot">
        <ConnectionState />
        <Foot onHelp={onHelp} />
      </div>
    </aside>
  )
}

const details: ReadonlyMap<string, ListPage> = new Map([
  ['node', 'nodes'],
  ['pod', 'pods'],
  ['workload', 'workloads'],
])

const isAt = (here: string, page: ListPage) => here === page || details.get(here) === page

const isOffered = ({ page }: ListedPage) =>
  (page !== 'what-if' && page !== 'search') || hello.value?.can.forecast === true

function countsOf(): Partial<Record<ListPage, PageCount>> {
  // Reading the revision updates the counts with the cluster.
  if (revision.value < 0 || hello.value === undefined) return {}
  const { queue, evictions } = summary.value ?? {}
  const waiting = queue === undefined ? undefined : queue.unschedulable + queue.backoff + queue.active + queue.gated
  const { nodes, pods, small } = live.cluster
  const problems = attention.value?.length ?? 0
  const tight = [...small.rows('budgets').values()].filter(([, , , healthy, desired]) => healthy < desired).length
  return {
    home: problems === 0 ? {} : { count: problems, hot: true },
    nodes: { count: nodes.size },
    pods: { count: pods.size },
    workloads: { count: small.rows('workloads').size },
    budgets: tight > 0 ? { count: tight, hot: true } : { count: small.rows('budgets').size },
    queue: { count: waiting, hot: (queue?.unschedulable ?? 0) > 0 },
    evictions: { count: evictions?.count, hot: (evictions?.count ?? 0) > 0 },
  }
}

function Foot({ onHelp }: { readonly onHelp: () => void }) {
  const first = hello.value
  return (
    <>
      {first === undefined ? null : (
        <span class="muted">
          {first.can.act ? null : (
            <span class="read-only">
              <Tag title="Nothing can be changed from here">read-only</Tag>
            </span>
          )}
          {first.server.replace(/^https?:\/\//, '')}
          <br />
          berth {first.berth}, Kubernetes {first.kubernetes}
        </span>
      )}
      <span class="row">
        <button type="button" class="button" title="Light, dark, or as the system has it (D)" onClick={nextTheme}>
          {{ system: 'Auto', light: 'Light', dark: 'Dark' }[themeChoice.value]}
        </button>
        <button type="button" class="button" title="Keys (?)" onClick={onHelp}>
          Keys
        </button>
        {first === undefined || first.caller === 'file' ? null : <OtherBrowser />}
      </span>
    </>
  )
}

/** A link for another browser, since the printed link works only once. */
function OtherBrowser() {
  const [link, setLink] = useState<string>()
  const make = async () => {
    const answer = await post<{ readonly link: string }>('link', {}).catch(() => undefined)
    if (answer === undefined) return
    setLink(answer.link)
    await navigator.clipboard?.writeText(answer.link).catch(() => undefined)
  }
  return (
    <>
      <button type="button" class="button" title="Link for another browser; it works once" onClick={make}>
        Link
      </button>
      {link === undefined ? null : (
        <input
          class="field"
          aria-label="Link for another browser"
          readOnly
          value={link}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <g fill="var(--on-accent)">
        <rect x="7" y="7" width="8" height="8" rx="1.5" />
        <rect x="17" y="7" width="8" height="8" rx="1.5" opacity=".55" />
        <rect x="7" y="17" width="8" height="8" rx="1.5" opacity=".55" />
        <rect x="17" y="17" width="8" height="8" rx="1.5" />
      </g>
    </svg>
  )
}
