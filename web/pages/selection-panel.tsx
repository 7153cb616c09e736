import { useLayoutEffect } from 'preact/hooks'
import { fullness } from '../map/coloring.ts'
import { podColor } from '../map/palette.ts'
import { type NodeCell, priceOf } from '../model/cluster.ts'
import { hello, live } from '../model/live.ts'
import { shortNode } from '../model/node-names.ts'
import { F, N, nameOf, namespaceOf, nodeStatus, P, statusOf } from '../model/rows.ts'
import { clearSelection, selection } from '../model/selection.ts'
import { counted, countText, cpuText, memoryText, percentText, priceText } from '../model/words.ts'
import { Usage } from '../parts/bar.tsx'
import { Name, Tag } from '../parts/controls.tsx'
import { nodeHref, podHref } from '../router.ts'
import { whatIfHref } from './what-if-link.ts'

const shown = 200

/** The selection on the map: the details of one node, or the sums of several. It covers a part of the map and moves nothing. */
export function SelectionPanel() {
  const names = [...selection.value].filter((name) => live.cluster.nodes.has(name))
  const isOpen = names.length > 0
  useLayoutEffect(() => (isOpen ? clearOnEscape() : undefined), [isOpen])
  if (names.length === 0) return null
  return names.length === 1 ? <OneNode name={names[0] as string} /> : <SeveralNodes names={names} />
}

/** Escape closes the panel wherever the focus is, unless a dialog or a field takes it. */
function clearOnEscape(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    const isElsewhere = event.target instanceof Element && event.target.closest('dialog, [role=dialog], input, select')
    if (event.key === 'Escape' && !isElsewhere) clearSelection()
  }
  addEventListener('keydown', onKeyDown)
  return () => removeEventListener('keydown', onKeyDown)
}

function CloseButton() {
  return (
    <button type="button" class="button quiet" aria-label="Close" onClick={clearSelection}>
      ✕
    </button>
  )
}

function SeveralNodes({ names }: { readonly names: readonly string[] }) {
  const cells = names.map((name) => live.cluster.nodes.get(name)).filter((cell) => cell !== undefined)
  const sum = (of: (cell: NodeCell) => number) => cells.reduce((total, cell) => total + of(cell), 0)
  const cpu = sum(({ cpuMilli }) => cpuMilli)
  const cpuOf = sum(({ row }) => row[N.cpuMilli])
  const memory = sum(({ memoryBytes }) => memoryBytes)
  const memoryOf = sum(({ row }) => row[N.memoryBytes])
  return (
    <section class="card inspector" aria-label={`${names.length} nodes`}>
      <div class="body">
        <div class="name">
          <h2>{counted(names.length, 'node')} selected</h2>
          <CloseButton />
        </div>
        <div class="usage">
          <span class="muted">CPU</span>
          <Usage used={cpu} of={cpuOf} text={`CPU ${percentText(cpu / cpuOf)}`} />
          <span>
            {cpuText(cpu)} / {cpuText(cpuOf)}
          </span>
          <span class="muted">Memory</span>
          <Usage used={memory} of={memoryOf} text={`Memory ${percentText(memory / memoryOf)}`} />
          <span>
            {memoryText(memory)} / {memoryText(memoryOf)}
          </span>
          <span class="muted">Pods</span>
          <span />
          <span>{countText(sum(({ podCount }) => podCount))}</span>
          <FigureLines names={names} />
        </div>
        {hello.value?.can.forecast === true ? (
          <span class="toolbar what-if">
            <span class="muted" aria-hidden="true">
              What if I
            </span>
            {(['drain', 'cordon', 'taint'] as const).map((kind) => (
              <a key={kind} class="button" aria-label={`What if I ${kind} them…`} href={whatIfHref(kind, names)}>
                {kind}
              </a>
            ))}
          </span>
        ) : null}
        <div class="pod-list">
          {names.slice(0, shown).map((name) => (
            <a key={name} href={nodeHref(name)} title={name}>
              <span class="label">{shortNode(name)}</span>
            </a>
          ))}
          {names.length > shown ? <span class="muted">and {names.length - shown} more</span> : null}
        </div>
      </div>
    </section>
  )
}

/** The usage and the cost of the nodes, if they are known. */
export function FigureLines({ names }: { readonly names: readonly string[] }) {
  const { cluster } = live
  const figures = cluster.small.rows('figures')
  const rows = names
    .map((name) => figures.get(name))
    .filter((row) => row !== undefined)
    .filter((row) => row[F.cpuMilli] >= 0)
  const sum = (at: 2 | 3) => rows.reduce((total, row) => total + row[at], 0)
  const of = (at: 2 | 3) => rows.reduce((total, row) => total + (cluster.nodes.get(row[F.name])?.row[at] ?? 0), 0)
  const price = priceOf(cluster, names)
  return (
    <>
      {rows.length === 0 ? null : (
        <>
          <span class="muted">CPU used</span>
          <Usage used={sum(F.cpuMilli)} of={of(N.cpuMilli)} text="CPU used" />
          <span>{cpuText(sum(F.cpuMilli))}</span>
          <span class="muted">Memory used</span>
          <Usage used={sum(F.memoryBytes)} of={of(N.memoryBytes)} text="Memory used" />
          <span>{memoryText(sum(F.memoryBytes))}</span>
        </>
      )}
      {price === undefined ? null : (
        <>
          <span class="muted">Cost</span>
          <span />
          <span>{priceText(price)} per hour</span>
        </>
      )}
    </>
  )
}

function OneNode({ name }: { readonly name: string }) {
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
          <CloseButton />
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
          <FigureLines names={[name]} />
        </div>
        {hello.value?.can.forecast === true ? (
          <a class="button" href={whatIfHref('drain', [name])}>
            What if…
          </a>
        ) : null}
        <div class="pod-list">
          {pods.slice(0, shown).map((pod) => (
            <a key={pod[P.key]} href={podHref(pod[P.key])} title={`${pod[P.key]}, ${statusOf(pod)}`}>
              <span class={`swatch ${pod[P.node] === '' ? 'pod-nominated' : podColor(pod)}`} aria-hidden="true" />
              <span class="label">
                <Name text={nameOf(pod[P.key])} />
              </span>
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
