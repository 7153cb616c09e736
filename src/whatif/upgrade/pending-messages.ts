import { findCondition } from '../../api/conditions.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Store } from '../../store/contract.ts'
import type { Forecast } from '../report/forecast.ts'
import type { UpgradeFinding } from './upgrade-report.ts'

/** The reason why a pod is pending, with the message of the scheduler. */
export interface PendingMessage {
  /** The pod; for new pods, whose names are random, their workload. */
  readonly subject: string
  readonly message: string
}

/** The messages of the condition PodScheduled, and of FailedScheduling, at the end of a run. */
export function pendingMessages(store: Store, { pods }: Forecast): readonly PendingMessage[] {
  const workloads = new Map(pods.flatMap(({ pod, isNew, workload }) => (isNew && workload ? [[pod, workload]] : [])))
  return (store.list('pods') as readonly Pod[]).flatMap((pod) => {
    if (pod.spec.nodeName) return []
    const condition = findCondition(pod.status?.conditions, 'PodScheduled')
    if (condition?.status !== 'False' || condition.message === undefined) return []
    const key = keyOf(pod)
    const workload = workloads.get(key)
    const subject = workload === undefined ? `pods/${key}` : `${workload} in ${pod.metadata.namespace}`
    return [{ subject, message: condition.message }]
  })
}

/** Pods that are pending in both releases, with different messages. Pods with the same messages are one finding. */
export function changedPendingMessages(
  before: readonly PendingMessage[],
  after: readonly PendingMessage[],
): readonly UpgradeFinding[] {
  const old = new Map(before.map(({ subject, message }) => [subject, message]))
  const found = new Map<string, { readonly before: string; readonly after: string; readonly objects: Set<string> }>()
  for (const { subject, message } of after) {
    const text = old.get(subject)
    if (text === undefined || text === message) continue
    const key = JSON.stringify([text, message])
    const group = found.get(key) ?? { before: text, after: message, objects: new Set() }
    group.objects.add(subject)
    found.set(key, group)
  }
  return [...found.values()].map(({ objects, ...texts }) => ({
    kind: 'message',
    what: 'pending pods have another message in FailedScheduling and in the condition PodScheduled',
    ...texts,
    objects: [...objects],
  }))
}
