import type { EventRow, Transition } from '../../src/wire/console-wire.ts'
import { type Happening, happeningOfEvent, happeningsOf, newestFirst } from '../model/happenings.ts'
import { now } from '../model/live.ts'
import { agoText, clockText } from '../model/words.ts'
import { Breakable } from './breakable.tsx'
import { Card } from './card.tsx'
import { Skeleton } from './page.tsx'

/** The changes of one object in the last hour. */
export function HistoryCard(props: {
  readonly history?: readonly Transition[] | undefined
  readonly events?: readonly EventRow[] | undefined
}) {
  const { history = [], events = [] } = props
  return (
    <Card title="History" aside="the last hour">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="body scrolls" tabIndex={0}>
        {props.history === undefined ? (
          <Skeleton rows={4} />
        ) : (
          <Timeline happenings={[...history.flatMap(happeningsOf), ...events.map(happeningOfEvent)]} />
        )}
      </div>
    </Card>
  )
}

/** The newest first. */
function Timeline({ happenings }: { readonly happenings: readonly Happening[] }) {
  if (happenings.length === 0) return <p class="muted">No events in the recorded time.</p>
  const sorted = newestFirst(happenings)
  return (
    <ol class="timeline">
      {sorted.map((one, index) => (
        <li key={`${one.at} ${index}`}>
          <time title={agoText(one.at, now.value)} dateTime={new Date(one.at).toISOString()}>
            {clockText(one.at)}
          </time>
          <span class={`dot ${one.tone}`} aria-hidden="true" />
          <span class="what" title={one.what}>
            <Breakable text={one.what} />
            {one.by === undefined ? null : (
              <small class="muted">
                {' '}
                {one.by}
                {(one.count ?? 1) > 1 ? `, ${one.count} times` : ''}
              </small>
            )}
          </span>
        </li>
      ))}
    </ol>
  )
}
