import { useState } from 'preact/hooks'
import type { AttentionItem } from '../../src/wire/console-tables.ts'
import { now } from '../model/live.ts'
import { shortNode } from '../model/node-names.ts'
import { counted, spanText } from '../model/words.ts'

const first = 7

/** Problems of the cluster, one line each: time, subject, reason, and suggestion. */
export function AttentionList(props: { readonly items: readonly AttentionItem[] | undefined; readonly calm: string }) {
  const [all, setAll] = useState(false)
  const { items } = props
  if (items === undefined) return <div class="attention card skeleton one" role="status" aria-label="Loading" />
  if (items.length === 0)
    return (
      <div class="attention card calm" role="status">
        <span class="swatch health-ready" aria-hidden="true" /> Nothing needs attention: {props.calm}.
      </div>
    )
  const shown = all ? items : items.slice(0, first)
  return (
    <section class="attention card" aria-label="Needs attention">
      <ul class="items">
        {shown.map((item) => (
          <li key={item.id} class={item.tone}>
            <span class="age" title="Since">
              {item.sinceMs === 0 ? '' : ageText(now.value - item.sinceMs)}
            </span>
            <a class="object" href={`#${item.path}`} title={item.object}>
              {shortNode(item.object)}
            </a>
            <span class="what" title={item.problem}>
              {item.problem}
            </span>
            <span class="way-out" title={item.wayOut}>
              {item.wayOut}
            </span>
          </li>
        ))}
      </ul>
      {items.length > first ? (
        <button type="button" class="link more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${counted(items.length, 'problem')}`}
        </button>
      ) : null}
    </section>
  )
}

/** Two units are enough: `4m`, `3h 20m`. */
const ageText = (ms: number) => spanText(ms).replace(/ \d\ds$/, '')
