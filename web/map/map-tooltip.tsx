import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ClusterModel } from '../model/cluster.ts'
import { F, isQuiet, N, nodeStatus, P, statusOf } from '../model/rows.ts'
import { counted, cpuText, memoryText, percentText, priceText } from '../model/words.ts'
import { fullness } from './coloring.ts'

export interface Pointed {
  readonly node: string
  readonly pod?: string
  readonly x: number
  readonly y: number
}

/** Describes the item under the pointer. */
export function MapTooltip({ cluster, pointed }: { readonly cluster: ClusterModel; readonly pointed: Pointed }) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = element
    if (current?.parentElement == null) return
    const room = current.parentElement.clientWidth - current.offsetWidth - 8
    const below = pointed.y + 18
    const fits = below + current.offsetHeight < current.parentElement.clientHeight
    current.style.left = `${Math.max(4, Math.min(room, pointed.x + 14))}px`
    current.style.top = `${fits ? below : Math.max(4, pointed.y - current.offsetHeight - 12)}px`
  })
  const cell = cluster.nodes.get(pointed.node)
  const pod = pointed.pod === undefined ? undefined : cluster.pods.get(pointed.pod)
  if (cell === undefined) return null
  const known = cluster.small.rows('figures').get(pointed.node)
  return (
    <div ref={element} class="tooltip" aria-hidden="true">
      {pod === undefined ? (
        <>
          <strong>{pointed.node}</strong>
          <span class="muted">{nodeStatus(cell.row)}</span>
          <span>
            CPU {cpuText(cell.cpuMilli)} of {cpuText(cell.row[N.cpuMilli])} ({percentText(fullness(cell, 'cpu'))})
          </span>
          <span>
            Memory {memoryText(cell.memoryBytes)} of {memoryText(cell.row[N.memoryBytes])} (
            {percentText(fullness(cell, 'memory'))})
          </span>
          <span>
            {cell.row[N.maxPods] === 0
              ? counted(cell.podCount, 'pod')
              : `${cell.podCount} of ${counted(cell.row[N.maxPods], 'pod')}`}
            {cell.terminating === 0 ? '' : `, ${cell.terminating} terminating`}
            {cell.nominated.size === 0 ? '' : `, ${cell.nominated.size} nominated`}
          </span>
          {(cell.row[N.devices] ?? 0) === 0 ? null : (
            <span>
              Devices {cell.devices} of {cell.row[N.devices]}
            </span>
          )}
          {known === undefined || known[F.cpuMilli] < 0 ? null : (
            <span>
              Used: CPU {cpuText(known[F.cpuMilli])} · memory {memoryText(known[F.memoryBytes])}
            </span>
          )}
          {known === undefined || known[F.price] < 0 ? null : <span>{priceText(known[F.price])} per hour</span>}
          {cell.row[N.taints].map((taint) => (
            <code key={taint}>{taint}</code>
          ))}
        </>
      ) : (
        <>
          <strong>{isQuiet(pod[P.key]) ? `A pod on ${pod[P.node]}` : pod[P.key]}</strong>
          <span class="muted">
            {isQuiet(pod[P.key])
              ? 'nothing happens to it'
              : `${pod[P.node] === '' ? 'Nominated' : statusOf(pod)} · ${pod[P.owner] === '' ? 'no controller' : pod[P.owner]}`}
          </span>
          <span>
            CPU {cpuText(pod[P.cpuMilli])} · memory {memoryText(pod[P.memoryBytes])} · priority {pod[P.priority]}
          </span>
        </>
      )}
    </div>
  )
}
