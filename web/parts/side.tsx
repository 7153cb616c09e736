import { useState } from 'preact/hooks'
import { post } from '../model/api.ts'
import { hello, live, revision, summary } from '../model/live.ts'
import { countText } from '../model/words.ts'
import { route } from '../router.ts'
import { ConnectionState } from './connection-state.tsx'
import { Tag } from './controls.tsx'
import { nextTheme, themeChoice } from './theme.ts'

interface Link {
  readonly page: string
  readonly href: string
  readonly text: string
  readonly count?: number | undefined
  /** Needs attention. */
  readonly hot?: boolean
}

export function Side({ onHelp }: { readonly onHelp: () => void }) {
  const here = route.value.page
  return (
    <aside class="side">
      <a class="brand" href="#/map" aria-label="berth">
        <Mark />
        berth
      </a>
      <nav aria-label="Pages">
        <ul>
          {links().map((link) => (
            <li key={link.page}>
              <a href={link.href} aria-current={isAt(here, link.page) ? 'page' : undefined}>
                {link.text}
                {link.count === undefined ? null : (
                  <span class={link.hot === true ? 'count hot' : 'count'}>{countText(link.count)}</span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="foot">
        <ConnectionState />
        <Foot onHelp={onHelp} />
      </div>
    </aside>
  )
}

function isAt(here: string, page: string): boolean {
  return here === page || (here === 'node' && page === 'map') || (here === 'pod' && page === 'pods')
}

function links(): readonly Link[] {
  // Reading the revision updates the counts with the cluster.
  const known = revision.value >= 0 && hello.value !== undefined
  const { queue, evictions } = summary.value ?? {}
  const waiting = queue === undefined ? undefined : queue.unschedulable + queue.backoff + queue.active + queue.gated
  return [
    { page: 'map', href: '#/map', text: 'Cluster', count: known ? live.cluster.nodes.size : undefined },
    { page: 'pods', href: '#/pods', text: 'Pods', count: known ? live.cluster.pods.size : undefined },
    { page: 'queue', href: '#/queue', text: 'Queue', count: waiting, hot: (queue?.unschedulable ?? 0) > 0 },
    {
      page: 'evictions',
      href: '#/evictions',
      text: 'Evictions',
      count: evictions?.count,
      hot: (evictions?.count ?? 0) > 0,
    },
    { page: 'addresses', href: '#/addresses', text: 'Addresses' },
    { page: 'time', href: '#/time', text: hello.value?.can.forecast === false ? 'Time' : 'Time & what if' },
  ]
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
        {first === undefined ? null : <OtherBrowser />}
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
