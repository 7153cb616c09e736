import { keyOf } from '../../api/object-key.ts'
import type { Event } from '../../api/objects/cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod, PodDisruptionBudget, Toleration } from '../../api/objects/pod.ts'
import { podRequests, toQuantities } from '../../api/pod-resources.ts'
import { addQuantities, formatQuantity, type Quantity } from '../../api/quantity.ts'
import { formatTaint } from '../../api/taints.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { dumpYaml } from '../../base/yaml-text.ts'
import { since } from '../../registry/printed/age.ts'
import { labelsText, selectorText } from '../../registry/printed/text.ts'
import { oneLine, visible } from '../cluster-text.ts'
import type { Fork } from '../fork.ts'
import { fields, openFields } from '../input-schema.ts'
import { maskedObject } from '../masking.ts'
import { textTable } from '../text-table.ts'
import { forkOf, forkOutput, forkValue, inputs, namedObject, type Tool } from '../tool.ts'

export const describeTool: Tool = {
  name: 'kubectl_describe',
  title: 'Describe an object',
  description:
    'Describes one object of a fork as kubectl describe does: its state, its contents or requirements, its conditions and the latest ' +
    'events about it. Nodes are shown with their pods and allocated resources.',
  effect: 'reads',
  input: fields({ fork: inputs.fork, resource: inputs.resource, name: inputs.name, namespace: inputs.namespace }, [
    'resource',
    'name',
  ]),
  output: openFields(
    { ...forkOutput, resource: { type: 'string' }, name: { type: 'string' }, events: { type: 'array' } },
    ['fork', 'at', 'resource', 'name'],
  ),
  run: (given, context) => {
    const fork = forkOf(given, context)
    const { kind, object } = namedObject(fork, given)
    const bodyOf = describers[kind.storage]
    const body = bodyOf === undefined ? generic(object) : bodyOf(object as never, fork)
    const events = eventsAbout(fork, object)
    return {
      says: [`Fork ${fork.id} at ${fork.at}: ${kind.singular} ${oneLine(keyOf(object))}.`],
      data: [...head(object), ...body, ...eventLines(events)],
      value: {
        ...forkValue(fork),
        resource: kind.resource,
        name: object.metadata.name,
        ...(object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace }),
        ...conditionsValue(object),
        events: events.slice(0, 10).map(({ type, reason, message, count }) => ({ type, reason, message, count })),
      },
    }
  },
}

type Describer = (object: never, fork: Fork) => readonly string[]

const describers = lookupTable<Describer>({
  pods: describePod as Describer,
  nodes: describeNode as Describer,
  'poddisruptionbudgets.policy': describeBudget as Describer,
})

function head({ metadata }: KubeObject): readonly string[] {
  const { name, namespace, labels, annotations, ownerReferences = [], deletionTimestamp } = metadata
  const shown = Object.entries(annotations ?? {}).filter(([key]) => !key.startsWith('kubectl.kubernetes.io/'))
  return [
    `Name: ${oneLine(name)}`,
    ...(namespace === undefined ? [] : [`Namespace: ${oneLine(namespace)}`]),
    `Labels: ${oneLine(labelsText(labels))}`,
    ...(shown.length === 0 ? [] : ['Annotations:', ...shown.map(([key, value]) => `  ${oneLine(`${key}: ${value}`)}`)]),
    ...ownerReferences
      .filter(({ controller }) => controller === true)
      .map((owner) => oneLine(`Controlled By: ${owner.kind}/${owner.name}`)),
    ...(deletionTimestamp === undefined ? [] : [`Terminating since: ${deletionTimestamp}`]),
  ]
}

function describePod(pod: Pod): readonly string[] {
  const { spec, status } = pod
  const requests = podRequests(pod)
  return [
    `Node: ${oneLine(spec.nodeName ?? '<none>')}`,
    `Status: ${oneLine(status?.phase ?? '')}${status?.reason === undefined ? '' : ` (${oneLine(status.reason)})`}`,
    `Priority: ${spec.priority ?? 0}${spec.priorityClassName === undefined ? '' : ` (${oneLine(spec.priorityClassName)})`}`,
    `QoS Class: ${oneLine(String(status?.qosClass ?? '<none>'))}`,
    `Requests: ${quantitiesText(requests)}`,
    `Containers: ${spec.containers.map(({ name, image }) => oneLine(`${name} (${image ?? ''})`)).join(', ')}`,
    `Node-Selectors: ${oneLine(labelsText(spec.nodeSelector))}`,
    ...(spec.affinity === undefined ? [] : ['Affinity:', ...yamlLines(spec.affinity)]),
    ...(spec.topologySpreadConstraints === undefined
      ? []
      : ['Topology Spread Constraints:', ...yamlLines(spec.topologySpreadConstraints)]),
    `Tolerations: ${(spec.tolerations ?? []).map(tolerationText).join(', ') || '<none>'}`,
    ...(spec.volumes ?? [])
      .filter(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)
      .map((volume) => oneLine(`Volume: ${volume.name} (claim ${volume.persistentVolumeClaim?.claimName})`)),
    ...conditionLines(pod),
  ]
}

const tolerationText = ({ key, operator, value, effect, tolerationSeconds }: Toleration): string =>
  oneLine(
    `${key ?? '*'}${operator === 'Exists' ? ' op=Exists' : `=${value ?? ''}`}${effect === undefined ? '' : `:${effect}`}${
      tolerationSeconds === undefined ? '' : ` for ${tolerationSeconds}s`
    }`,
  )

function describeNode(node: Node, fork: Fork): readonly string[] {
  const { name } = node.metadata
  const pods = (fork.run.cluster.store.list('pods') as readonly Pod[]).filter(
    (pod) => pod.spec.nodeName === name && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed',
  )
  const now = fork.run.cluster.clock.now()
  const sums = new Map<string, Quantity>()
  for (const pod of pods) {
    for (const [resource, amount] of podRequests(pod)) {
      const before = sums.get(resource)
      sums.set(resource, before === undefined ? amount : addQuantities(before, amount))
    }
  }
  const allocatable = toQuantities(node.status?.allocatable)
  return [
    `Taints: ${(node.spec?.taints ?? []).map((taint) => oneLine(formatTaint(taint))).join(', ') || '<none>'}`,
    `Unschedulable: ${node.spec?.unschedulable === true}`,
    ...conditionLines(node),
    'Allocated resources (requests of allocatable):',
    ...[...allocatable].map(([resource, amount]) => {
      const used = resource === 'pods' ? String(pods.length) : formatted(sums.get(resource))
      return `  ${oneLine(resource)}: ${used} of ${formatQuantity(amount)}`
    }),
    `Non-terminated Pods: ${pods.length}`,
    ...textTable(
      ['NAMESPACE', 'NAME', 'CPU', 'MEMORY', 'PRIORITY', 'AGE'],
      pods.map((pod) => {
        const requests = podRequests(pod)
        return [
          oneLine(pod.metadata.namespace ?? ''),
          oneLine(pod.metadata.name),
          formatted(requests.get('cpu')),
          formatted(requests.get('memory')),
          String(pod.spec.priority ?? 0),
          since(pod.metadata.creationTimestamp, now),
        ]
      }),
    ).map((line) => `  ${line}`),
  ]
}

const formatted = (amount: Quantity | undefined): string => (amount === undefined ? '0' : formatQuantity(amount))

function describeBudget({ spec, status }: PodDisruptionBudget): readonly string[] {
  return [
    ...(spec?.minAvailable === undefined ? [] : [`Min available: ${spec.minAvailable}`]),
    ...(spec?.maxUnavailable === undefined ? [] : [`Max unavailable: ${spec.maxUnavailable}`]),
    `Selector: ${oneLine(selectorText(spec?.selector))}`,
    `Allowed disruptions: ${status?.disruptionsAllowed ?? 0}`,
    `Current: ${status?.currentHealthy ?? 0}`,
    `Desired: ${status?.desiredHealthy ?? 0}`,
    `Total: ${status?.expectedPods ?? 0}`,
  ]
}

function generic(object: KubeObject): readonly string[] {
  const {
    apiVersion: _,
    kind: __,
    metadata: ___,
    ...rest
  } = maskedObject(object) as KubeObject & Record<string, unknown>
  return Object.keys(rest).length === 0 ? [] : yamlLines(rest)
}

function yamlLines(value: unknown): readonly string[] {
  return visible(dumpYaml(value))
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
}

function quantitiesText(amounts: ReadonlyMap<string, Quantity>): string {
  return (
    [...amounts].map(([resource, amount]) => `${oneLine(resource)} ${formatQuantity(amount)}`).join(', ') || '<none>'
  )
}

interface ShownCondition {
  readonly type?: string
  readonly status?: string
  readonly reason?: string
  readonly message?: string
}

const conditionsOf = (object: KubeObject): readonly ShownCondition[] => {
  const { status } = object as { readonly status?: { readonly conditions?: readonly ShownCondition[] } }
  return Array.isArray(status?.conditions) ? status.conditions : []
}

function conditionLines(object: KubeObject): readonly string[] {
  const found = conditionsOf(object)
  if (found.length === 0) return []
  const rows = found.map(({ type = '', status = '', reason = '', message = '' }) => [
    oneLine(type),
    oneLine(status),
    oneLine(reason),
    oneLine(message).slice(0, 300),
  ])
  return ['Conditions:', ...textTable(['TYPE', 'STATUS', 'REASON', 'MESSAGE'], rows).map((line) => `  ${line}`)]
}

function conditionsValue(object: KubeObject): object {
  const found = conditionsOf(object).map(({ type, status, reason, message }) => ({ type, status, reason, message }))
  return found.length === 0 ? {} : { conditions: found }
}

/** The newest first. */
export function eventsAbout(fork: Fork, { metadata, kind }: KubeObject): readonly Event[] {
  return newestFirst(
    (fork.run.cluster.store.list('events') as readonly Event[]).filter(
      ({ involvedObject }) =>
        involvedObject.name === metadata.name &&
        (involvedObject.namespace ?? '') === (metadata.namespace ?? '') &&
        (kind === undefined || involvedObject.kind === kind),
    ),
  )
}

export function newestFirst(events: readonly Event[]): readonly Event[] {
  const timeOf = ({ series, lastTimestamp, eventTime, metadata }: Event) =>
    series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? ''
  return events.toSorted((a, b) => {
    const [one, other] = [timeOf(a), timeOf(b)]
    return one === other ? (a.metadata.name < b.metadata.name ? -1 : 1) : one > other ? -1 : 1
  })
}

const eventsShown = 15

function eventLines(events: readonly Event[]): readonly string[] {
  if (events.length === 0) return ['Events: <none>']
  const rows = events
    .slice(0, eventsShown)
    .map(({ type = '', reason = '', message = '', count, series }) => [
      oneLine(type),
      oneLine(reason),
      String(series?.count ?? count ?? 1),
      oneLine(message).slice(0, 500),
    ])
  const more = events.length > eventsShown ? [`  … and ${events.length - eventsShown} older events`] : []
  return ['Events:', ...textTable(['TYPE', 'REASON', 'COUNT', 'MESSAGE'], rows).map((line) => `  ${line}`), ...more]
}
