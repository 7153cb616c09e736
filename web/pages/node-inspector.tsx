import { fullness, podColor } from '../map/palette.ts'
import { hello, live } from '../model/live.ts'
import { N, nameOf, namespaceOf, nodeStatus, P, podStateNames } from '../model/rows.ts'
import { cpuText, memoryText, percentText } from '../model/words.ts'
import { Usage } from '../parts/bar.tsx'
import { Tag } from '../parts/controls.tsx'
import { nodeHref, podHref } from '../router.ts'
import { whatIfHref } from './what-if-link.ts'

const shown = 200

/** The details of a cell, next to the map. */
export function NodeInspector({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { cluster } = live
  const cell = cluster.nodes.get(name)
  if (cell === undefined) return null
  const { row } = cell
  const pods = [...cell.pods, ...cell.nominated]
    .sort()
    .map((key) => cluster.pods.get(key))
    .filter((pod) => pod !== undefined)
  return (
    <section class="card inspector" aria-label={`Node ${name}`}>
      <div class="body">
        <div class="name">
          <h2>
            <a href={nodeHref(name)}>{name}</a>
          </h2>
          <button type="button" class="button quiet" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </div>
        <span class="tags">
          <Tag tone={row[N.health] === 0 ? 'good' : 'bad'}>{nodeStatus(row)}</Tag>
          <Tag>{row[N.zone] === '' ? 'no zone' : row[N.zone]}</Tag>
          {row[N.taints].map((taint) => (
            <Tag key={taint} tone="warn" mono title={taint}>
              {taint}
            </Tag>
          ))}
        </span>
        <div class="usage">
          <span class="muted">CPU</span>
          <Usage used={cell.cpuMilli} of={row[N.cpuMilli]} text={`CPU ${percentText(fullness(cell, 'cpu'))}`} />
          <span>
            {cpuText(cell.cpuMilli)} / {cpuText(row[N.cpuMilli])}
          </span>
          <span class="muted">Memory</span>
          <Usage
            used={cell.memoryBytes}
            of={row[N.memoryBytes]}
            text={`Memory ${percentText(fullness(cell, 'memory'))}`}
          />
          <span>
            {memoryText(cell.memoryBytes)} / {memoryText(row[N.memoryBytes])}
          </span>
          <span class="muted">Pods</span>
          <Usage used={cell.podCount} of={row[N.maxPods]} text={`Pods ${percentText(fullness(cell, 'pods'))}`} />
          <span>
            {cell.podCount} / {row[N.maxPods]}
          </span>
        </div>
        {hello.value?.can.forecast === true ? (
          <a class="button" href={whatIfHref('drain', [name])}>
            What if…
          </a>
        ) : null}
        <div class="pod-list">
          {pods.slice(0, shown).map((pod) => (
            <a key={pod[P.key]} href={podHref(pod[P.key])} title={`${pod[P.key]}, ${podStateNames[pod[P.state]]}`}>
              <span class={`swatch ${pod[P.node] === '' ? 'pod-nominated' : podColor(pod)}`} aria-hidden="true" />
              <span class="label">{nameOf(pod[P.key])}</span>
              <span class="muted">{namespaceOf(pod[P.key]) === 'default' ? '' : namespaceOf(pod[P.key])}</span>
              <span class="muted">{cpuText(pod[P.cpuMilli])}</span>
            </a>
          ))}
          {pods.length > shown ? <a href={nodeHref(name)}>and {pods.length - shown} more</a> : null}
        </div>
      </div>
    </section>
  )
}
