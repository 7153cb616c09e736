import { useState } from 'preact/hooks'
import type { Node } from '../../src/api/objects/node.ts'
import type { ConsoleAction, NodeAnswer } from '../../src/wire/console-wire.ts'
import { fullness } from '../map/coloring.ts'
import { hello, live, now, revision, summary } from '../model/live.ts'
import { usePolled } from '../model/poll.ts'
import { F, flags, has, N, nodeStatus, P } from '../model/rows.ts'
import { agoText, counted, cpuText, memoryText, percentText, priceText, spanText, untilText } from '../model/words.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Usage } from '../parts/bar.tsx'
import { Card } from '../parts/card.tsx'
import { Empty, Tag } from '../parts/controls.tsx'
import { HistoryCard } from '../parts/history.tsx'
import { ObjectView } from '../parts/object-view.tsx'
import { NotFound, Skeleton } from '../parts/page.tsx'
import { Table } from '../parts/table.tsx'
import { go, podHref } from '../router.ts'
import { Words } from './pod-page.tsx'
import { podColumns } from './pods-page.tsx'
import { whatIfHref } from './what-if-link.ts'

export function NodePage({ name }: { readonly name: string }) {
  void revision.value
  const { value, problem, isMissing } = usePolled<NodeAnswer>(`nodes/${encodeURIComponent(name)}`)
  const cell = live.cluster.nodes.get(name)
  if (isMissing && cell === undefined)
    return (
      <NotFound title={`Node ${name} not found`}>
        <a href="#/">The cluster map</a>
      </NotFound>
    )
  return (
    <main class="page">
      <div class="head">
        <div class="title">
          <h1>{name}</h1>
          {cell === undefined ? (
            <Tag tone="bad">gone</Tag>
          ) : (
            <>
              <Tag tone={cell.row[N.health] === 0 ? 'good' : 'bad'}>{nodeStatus(cell.row)}</Tag>
              <Tag>{cell.row[N.zone] === '' ? 'no zone' : cell.row[N.zone]}</Tag>
            </>
          )}
        </div>
        {cell === undefined ? null : <Actions name={name} />}
      </div>
      {problem === undefined || isMissing ? null : <div class="note bad">{problem}</div>}
      {value === undefined && !isMissing ? <Loading /> : <Details name={name} value={value} />}
    </main>
  )
}

/** Stands for everything below the title, so that nothing moves when the answer arrives. */
function Loading() {
  return (
    <Card title="Facts">
      <div class="body">
        <Skeleton rows={12} />
      </div>
    </Card>
  )
}

function Details({ name, value }: { readonly name: string; readonly value: NodeAnswer | undefined }) {
  const node = value?.object as Node | undefined
  return (
    <>
      <Drain name={name} />
      {value === undefined || value.evictions.length === 0 ? null : (
        <div class="note bad" role="status">
          {counted(value.evictions.length, 'pod is', 'pods are')} about to be evicted, the first{' '}
          {untilText(Math.min(...value.evictions.map(({ fireAt }) => fireAt)), now.value)}:{' '}
          <a href="#/evictions">countdowns</a>
        </div>
      )}
      <div class="cards">
        <Card title="Facts">
          <div class="body">
            {node !== undefined ? (
              <Facts name={name} node={node} answer={value} />
            ) : (
              <p class="muted">The node was deleted.</p>
            )}
          </div>
        </Card>
        <Card title="Conditions">
          <div class="body">
            <Conditions node={node} />
          </div>
        </Card>
        <HistoryCard history={value?.history} events={value?.events} />
      </div>
      <Pods name={name} />
      {node === undefined ? null : <ObjectView object={node} />}
    </>
  )
}

function Actions({ name }: { readonly name: string }) {
  const row = live.cluster.nodes.get(name)?.row
  const can = hello.value?.can
  const [said, setSaid] = useState<string>()
  if (row === undefined) return null
  const undo = (kind: ConsoleAction['kind'], text: string, taint?: string) => (
    <ActionButton
      key={`${kind} ${taint ?? ''}`}
      text={text}
      action={{ kind, nodes: [name], ...(taint === undefined ? {} : { taint }) }}
      onDone={setSaid}
    />
  )
  return (
    <span class="toolbar">
      {said === undefined ? null : (
        <span class="muted" role="status">
          {said}
        </span>
      )}
      {can?.act === true ? (
        <>
          {has(row, flags.cordoned) ? undo('uncordon', 'Uncordon') : null}
          {has(row, flags.silenced) ? undo('revive', 'Revive') : null}
          {row[N.taints]
            .filter((taint) => !taint.includes('node.kubernetes.io/'))
            .map((taint) => undo('untaint', `Remove ${taint}`, taint))}
        </>
      ) : null}
      {can?.forecast === true ? (
        <a class="button primary" href={whatIfHref('taint', [name])}>
          What if…
        </a>
      ) : null}
    </span>
  )
}

function Drain({ name }: { readonly name: string }) {
  const drain = summary.value?.drains.find(({ node }) => node === name)
  if (drain === undefined) return null
  if (drain.done) return <div class="note good">Drained: no pods left to evict.</div>
  return (
    <div class="note warn" role="status">
      <strong>
        Being drained for {spanText(now.value - drain.since)}, {counted(drain.left, 'pod is', 'pods are')} left
      </strong>
      <ul>
        {drain.blocked.map(({ pod, why }) => (
          <li key={pod}>
            <a href={podHref(pod)}>{pod}</a>: {why}
          </li>
        ))}
      </ul>
    </div>
  )
}

function KnownFigures({ name }: { readonly name: string }) {
  const known = live.cluster.small.rows('figures').get(name)
  if (known === undefined) return null
  return (
    <>
      {known[F.cpuMilli] < 0 ? null : (
        <>
          <dt>Used</dt>
          <dd>
            CPU {cpuText(known[F.cpuMilli])}, memory {memoryText(known[F.memoryBytes])}
          </dd>
        </>
      )}
      {known[F.price] < 0 ? null : (
        <>
          <dt>Cost</dt>
          <dd>{priceText(known[F.price])} per hour</dd>
        </>
      )}
    </>
  )
}

function Facts(props: { readonly name: string; readonly node: Node; readonly answer: NodeAnswer | undefined }) {
  const { node, answer } = props
  const cell = live.cluster.nodes.get(props.name)
  const lastSeen = Math.max(answer?.lease?.renewedAt ?? 0, answer?.watched?.lastSeen ?? 0)
  const expiresAt = graceEnd(answer?.watched, lastSeen)
  const addresses = (node.status?.addresses ?? []).map(({ type, address }) => `${type} ${address}`)
  return (
    <dl class="facts">
      {cell === undefined ? null : (
        <>
          <dt>CPU</dt>
          <dd class="usage-line">
            <Usage used={cell.cpuMilli} of={cell.row[N.cpuMilli]} text={`CPU ${percentText(fullness(cell, 'cpu'))}`} />
            {cpuText(cell.cpuMilli)} of {cpuText(cell.row[N.cpuMilli])}
          </dd>
          <dt>Memory</dt>
          <dd class="usage-line">
            <Usage
              used={cell.memoryBytes}
              of={cell.row[N.memoryBytes]}
              text={`Memory ${percentText(fullness(cell, 'memory'))}`}
            />
            {memoryText(cell.memoryBytes)} of {memoryText(cell.row[N.memoryBytes])}
          </dd>
          <dt>Pods</dt>
          <dd class="usage-line">
            <Usage used={cell.podCount} of={cell.row[N.maxPods]} text={`Pods ${percentText(fullness(cell, 'pods'))}`} />
            {cell.podCount} of {cell.row[N.maxPods]}
          </dd>
          <KnownFigures name={props.name} />
        </>
      )}
      <dt>Heartbeat</dt>
      <dd>
        {lastSeen === 0 ? 'never' : agoText(lastSeen, now.value)}
        {expiresAt === undefined || !isLate(lastSeen, expiresAt) ? null : (
          <span class="muted"> · marked unhealthy {untilText(expiresAt, now.value)} unless a heartbeat arrives</span>
        )}
      </dd>
      <dt>Taints</dt>
      <dd>
        <Words
          words={(node.spec?.taints ?? []).map(
            ({ key, value, effect }) => `${key}${value === undefined ? '' : `=${value}`}:${effect}`,
          )}
        />
      </dd>
      <dt>Pod CIDR</dt>
      <dd class="mono">{(node.spec?.podCIDRs ?? []).join(', ') || '–'}</dd>
      <dt>Addresses</dt>
      <dd>{addresses.join(', ') || '–'}</dd>
      <dt>Created</dt>
      <dd>{agoText(Date.parse(node.metadata.creationTimestamp ?? ''), now.value)}</dd>
      <dt>Labels</dt>
      <dd>
        <Words words={Object.entries(node.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`)} />
      </dd>
    </dl>
  )
}

/** The time at which a silent node is marked. The monitor sees a heartbeat only in its next round. */
function graceEnd(watched: NodeAnswer['watched'], lastSeen: number): number | undefined {
  if (watched?.expiresAt === undefined) return undefined
  return watched.expiresAt + Math.max(0, lastSeen - (watched.lastSeen ?? lastSeen))
}

/** Whether the node has been silent for longer than the remaining time. Before that, the next heartbeat is not due. */
const isLate = (lastSeen: number, expiresAt: number) => now.value - lastSeen > expiresAt - now.value

function Conditions({ node }: { readonly node: Node | undefined }) {
  const conditions = node?.status?.conditions ?? []
  if (conditions.length === 0) return <p class="muted">The kubelet has not reported yet.</p>
  return (
    <dl class="facts">
      {conditions.map(({ type, status, reason, message, lastTransitionTime }) => {
        const isGood = type === 'Ready' ? status === 'True' : status === 'False'
        return (
          <>
            <dt key={type}>{type}</dt>
            <dd>
              <Tag tone={isGood ? 'good' : 'bad'}>{status}</Tag>
              {lastTransitionTime === undefined ? null : (
                <span class="muted"> for {agoText(Date.parse(lastTransitionTime), now.value).replace(' ago', '')}</span>
              )}
              <div class="muted">{isGood || message === undefined ? reason : `${reason}: ${message}`}</div>
            </dd>
          </>
        )
      })}
    </dl>
  )
}

function Pods({ name }: { readonly name: string }) {
  const { cluster } = live
  const cell = cluster.nodes.get(name)
  const rows = [...(cell?.pods ?? []), ...(cell?.nominated ?? [])]
    .map((key) => cluster.pods.get(key))
    .filter((pod) => pod !== undefined)
  return (
    <Card title="Pods" aside={String(rows.length)}>
      <Table
        label={`Pods on ${name}`}
        columns={podColumns.filter(({ id }) => id !== 'node')}
        rows={rows}
        keyOf={(pod) => pod[P.key]}
        maxHeight={480}
        initialOrder={{ column: 'name', descending: false }}
        onOpen={(pod) => go(podHref(pod[P.key]))}
        empty={<Empty title="No pods here" />}
      />
    </Card>
  )
}
