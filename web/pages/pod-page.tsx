import type { Pod } from '../../src/api/objects/pod.ts'
import type { EvictionItem, PodAnswer, QueueItem } from '../../src/wire/console-wire.ts'
import { hello, live, now, revision } from '../model/live.ts'
import { usePolled } from '../model/poll.ts'
import { nameOf, namespaceOf, P, podState } from '../model/rows.ts'
import { agoText, countText, cpuText, memoryText, spanText, untilText } from '../model/words.ts'
import { Breakable } from '../parts/breakable.tsx'
import { Card } from '../parts/card.tsx'
import { NodeLink } from '../parts/columns.tsx'
import { Tag } from '../parts/controls.tsx'
import { HistoryCard } from '../parts/history.tsx'
import { ObjectView } from '../parts/object-view.tsx'
import { NotFound, Skeleton } from '../parts/page.tsx'
import { ExplanationView } from './explanation-view.tsx'
import { PodState } from './pods-page.tsx'
import { placeNames, retryText } from './queue-page.tsx'

export function PodPage({ podKey }: { readonly podKey: string }) {
  void revision.value
  const { value, problem, isMissing } = usePolled<PodAnswer>(`pods/${podKey}`)
  const row = live.cluster.pods.get(podKey)
  const pod = value?.object as Pod | undefined
  if (isMissing && row === undefined)
    return (
      <NotFound title={`Pod ${podKey} not found`}>
        <a href="#/pods">All pods</a>
      </NotFound>
    )
  // The page of a pending pod opens with its explanation.
  const waits = row !== undefined && row[P.node] === ''
  const explanation =
    row === undefined || hello.value?.can.explain !== true ? null : (
      <ExplanationView podKey={podKey} isPending={waits} />
    )
  return (
    <main class="page">
      <div class="head">
        <div class="title">
          <h1>{nameOf(podKey)}</h1>
          <Tag>{namespaceOf(podKey)}</Tag>
          {row === undefined ? <Tag tone="bad">gone</Tag> : <PodState pod={row} />}
          {row === undefined || row[P.node] === '' ? null : (
            <span class="muted">
              on <NodeLink node={row[P.node]} />
            </span>
          )}
        </div>
      </div>
      {problem === undefined || isMissing ? null : <div class="note bad">{problem}</div>}
      <Notices answer={value} isExplained={explanation !== null} />
      {waits ? explanation : null}
      <div class="cards">
        <Card title="Facts">
          <div class="body">
            {pod !== undefined ? (
              <Facts pod={pod} podKey={podKey} />
            ) : value === undefined && !isMissing ? (
              <Skeleton rows={6} />
            ) : (
              <p class="muted">The pod was deleted.</p>
            )}
          </div>
        </Card>
        <HistoryCard history={value?.history} events={value?.events} />
      </div>
      {waits ? null : explanation}
      {pod === undefined ? null : <ObjectView object={pod} />}
    </main>
  )
}

/** The expected changes of the pod. */
function Notices(props: { readonly answer: PodAnswer | undefined; readonly isExplained: boolean }) {
  const { answer } = props
  return (
    <>
      {answer?.eviction === undefined ? null : <EvictionNotice eviction={answer.eviction} />}
      {answer?.queue === undefined ? null : <QueueNotice item={answer.queue} isExplained={props.isExplained} />}
    </>
  )
}

function EvictionNotice({ eviction }: { readonly eviction: EvictionItem }) {
  return (
    <div class="note bad" role="status">
      <strong>It is evicted {untilText(eviction.fireAt, now.value)}</strong>: {eviction.cause}
    </div>
  )
}

function QueueNotice({ item, isExplained }: { readonly item: QueueItem; readonly isExplained: boolean }) {
  const retry = retryText(item)
  return (
    <div class="note warn" role="status">
      <strong>
        In the queue for {spanText(now.value - item.queuedAt)}, {placeNames[item.place].toLowerCase()} for{' '}
        {spanText(now.value - item.since)}
      </strong>
      {item.attempts === 0 ? '' : `, tried ${item.attempts === 1 ? 'once' : `${item.attempts} times`}`}
      {retry === '' ? '' : `, ${retry}`}.{isExplained ? '' : ` ${item.message ?? ''}`}
    </div>
  )
}

function Facts({ pod, podKey }: { readonly pod: Pod; readonly podKey: string }) {
  const row = live.cluster.pods.get(podKey)
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)
  const created = Date.parse(pod.metadata.creationTimestamp ?? '')
  return (
    <dl class="facts">
      <dt>Created</dt>
      <dd>{agoText(created, now.value)}</dd>
      {row !== undefined && row[P.state] === podState.terminating ? (
        <>
          <dt>Grace ends</dt>
          <dd>{untilText(row[P.graceEndsMs], now.value)}</dd>
        </>
      ) : null}
      <dt>Owner</dt>
      <dd>{owner === undefined ? 'none: it is not replaced' : `${owner.kind} ${owner.name}`}</dd>
      <dt>Priority</dt>
      <dd>
        {countText(pod.spec.priority ?? 0)}
        {pod.spec.priorityClassName === undefined ? '' : ` (${pod.spec.priorityClassName})`}
      </dd>
      <dt>Requests</dt>
      <dd>{row === undefined ? '–' : `CPU ${cpuText(row[P.cpuMilli])}, memory ${memoryText(row[P.memoryBytes])}`}</dd>
      <dt>Address</dt>
      <dd class="mono">{pod.status?.podIP ?? '–'}</dd>
      <dt>Scheduler</dt>
      <dd>{pod.spec.schedulerName ?? 'default-scheduler'}</dd>
      <dt>Labels</dt>
      <dd>
        <Words words={Object.entries(pod.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`)} />
      </dd>
      <dt>Tolerations</dt>
      <dd>
        <Words words={(pod.spec.tolerations ?? []).map(tolerationWords)} />
      </dd>
      <dt>Conditions</dt>
      <dd>
        <span class="tags">
          {(pod.status?.conditions ?? []).map(({ type, status, reason, message }) => (
            <Tag
              key={type}
              tone={status === 'True' ? (type === 'DisruptionTarget' ? 'bad' : 'good') : 'warn'}
              title={`${status} ${reason ?? ''} ${message ?? ''}`}
            >
              {type}
              {status === 'True' ? '' : `: ${status}`}
            </Tag>
          ))}
        </span>
      </dd>
    </dl>
  )
}

export function Words({ words }: { readonly words: readonly string[] }) {
  if (words.length === 0) return <span class="muted">none</span>
  return (
    <span class="tags">
      {words.map((word) => (
        <Tag key={word} mono title={word}>
          <Breakable text={word} />
        </Tag>
      ))}
    </span>
  )
}

function tolerationWords(toleration: NonNullable<Pod['spec']['tolerations']>[number]): string {
  const { key = '', operator, value, effect, tolerationSeconds } = toleration
  const what = key === '' ? 'every taint' : `${key}${operator === 'Exists' || value === undefined ? '' : `=${value}`}`
  return `${what}${effect === undefined ? '' : `:${effect}`}${tolerationSeconds === undefined ? '' : ` for ${tolerationSeconds}s`}`
}
