import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { formatTaint } from '../../api/taints.ts'
import { labels } from '../../api/well-known.ts'
import { done, failed, type Result } from '../../base/result.ts'
import { createKindTable } from '../../registry/kinds/kinds.ts'
import type { Store } from '../../store/contract.ts'
import type { ForecastNote } from '../report/forecast.ts'
import { listed } from '../report/phrases.ts'
import { freshDevices, freshNode } from './fresh-node.ts'
import { findKindByName } from './kind-names.ts'
import { meantName, nameHint, notFoundText, unmatchedLabelText } from './near-names.ts'
import type { NodeTarget, ObjectTarget, PlannedStep, Step, TaintPattern } from './step.ts'
import { strategySource, type UpgradeStrategy } from './upgrade-strategy.ts'

/** One failure: nodes that fail together. */
export interface FailureCase {
  readonly name: string
  readonly nodes: readonly string[]
}

/** A question to a cluster: the steps and their options. */
export interface Question {
  readonly title: string
  readonly steps: readonly PlannedStep[]
  /** Length of the forecast if --for is not set. */
  readonly untilMs?: number
  /** See ForecastPlan. */
  readonly afterUpgradeMs?: number
  /** Startup times of pods, by `namespace/name` of their workload. */
  readonly startups?: ReadonlyMap<string, number>
  /** Failures to run one by one, instead of the steps. */
  readonly failures?: {
    readonly cases: readonly FailureCase[]
    readonly isWhole: boolean
    /** Absent: one thread per core, if the cluster is large. */
    readonly threads?: number | undefined
  }
  /** Notes on the question itself. */
  readonly notes?: readonly ForecastNote[]
}

/** A step of a command, with the source that traces show. */
export function plannedStep(step: Step, atMs = 0): PlannedStep {
  const { kind, ...content } = step
  return { atMs, step, path: '', source: { at: `${atMs / 1000}s`, [kind]: sourceOf(content) } as unknown as JsonObject }
}

function sourceOf(content: object): unknown {
  const { nodes, taint, options, target, strategy, ...rest } = content as {
    strategy?: UpgradeStrategy
    target?: ObjectTarget
    options?: Readonly<Record<string, unknown>>
    nodes?: NodeTarget
    taint?: TaintPattern
  }
  return {
    ...(nodes === undefined ? {} : targetSource(nodes)),
    ...(taint === undefined ? {} : { taint: formatTaint(taint) }),
    ...(target === undefined
      ? {}
      : { target: [target.kind, target.namespace, target.name].filter((part) => part !== undefined).join('/') }),
    ...(strategy === undefined ? {} : strategySource(strategy)),
    ...Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== false && value !== undefined)),
    ...('objects' in rest ? objectsSource((rest as { objects: readonly KubeObject[] }).objects) : rest),
  }
}

function objectsSource(objects: readonly KubeObject[]): object {
  return { objects: objects.map(({ kind, metadata }) => `${kind}/${metadata.name ?? metadata.generateName}`) }
}

function targetSource(target: NodeTarget): object {
  switch (target.kind) {
    case 'names':
      return { nodes: target.names }
    case 'label':
      return { selector: `${target.key}=${target.value}` }
    case 'selector':
      return { selector: target.selector }
  }
}

export function targetText(target: NodeTarget): string {
  switch (target.kind) {
    case 'names':
      return listed(target.names, 6)
    case 'label':
      return `nodes with ${target.key}=${target.value}`
    case 'selector':
      return `nodes with ${target.selector}`
  }
}

/** The objects in which names are looked up. */
export interface LookupScope {
  readonly store: Store
  readonly manifests: readonly KubeObject[]
  /** The file that was read; absent for a live cluster. */
  readonly source?: string
}

/** The nodes with these names. A failed lookup suggests names. */
export function checkNodes(
  names: readonly string[],
  { store, manifests, source }: LookupScope,
): Result<NodeTarget & { readonly kind: 'names' }> {
  const known = [
    ...store.list('nodes').map(({ metadata }) => metadata.name),
    ...manifests.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name),
  ]
  const meant = names.map((name) => meantName(name, known))
  const unknown = meant.indexOf(undefined)
  if (unknown < 0) return done({ kind: 'names', names: meant as readonly string[] })
  return failed(notFoundText('nodes', names[unknown] as string, known, source))
}

/** The nodes with this label. A failed lookup suggests values. */
export function checkLabel(key: string, value: string, { store, manifests }: LookupScope): Result<NodeTarget> {
  const nodes = [...store.list('nodes'), ...manifests.filter(({ kind }) => kind === 'Node')]
  if (nodes.some(({ metadata }) => metadata.labels?.[key] === value)) return done({ kind: 'label', key, value })
  return failed(unmatchedLabelText({ key, value }, nodes))
}

/** The scalable workload with this name. A failed lookup suggests names. */
export function checkWorkload(target: ObjectTarget, { store, manifests, source }: LookupScope): Result<ObjectTarget> {
  const kinds = createKindTable()
  const kind = findKindByName(kinds, target.kind)
  if (kind === undefined) {
    const names = scalable.map((resource) => kinds.find(resource)?.singular ?? resource)
    return failed(`unknown resource type ${JSON.stringify(target.kind)}; ${nameHint(target.kind, names)}`)
  }
  if (!scalable.includes(kind.resource))
    return failed(
      `a ${kind.kind} cannot be scaled; expected a deployment, replicaset, statefulset or replicationcontroller`,
    )
  const { namespace = 'default', name } = target
  const all = [
    ...store.list(kind.storage),
    ...manifests.filter((object) => object.kind === kind.kind && object.apiVersion === kind.apiVersion),
  ]
  const inNamespace = all.filter(({ metadata }) => (metadata.namespace ?? 'default') === namespace)
  if (inNamespace.some(({ metadata }) => metadata.name === name)) return done({ kind: kind.singular, namespace, name })
  const elsewhere = all.filter(({ metadata }) => metadata.name === name).map(({ metadata }) => metadata.namespace ?? '')
  const place = `namespace ${namespace}${source === undefined ? '' : ` of ${source}`}`
  if (elsewhere.length > 0)
    return failed(
      `${kind.resource} ${JSON.stringify(name)} not found in ${place}, but in ${listed(elsewhere.sort(), 6)}; set it with -n`,
    )
  const names = inNamespace.map(({ metadata }) => metadata.name)
  return failed(notFoundText(kind.resource, name, names, place))
}

const scalable: readonly string[] = [
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'replicationcontrollers',
]

/** New nodes like an existing one, with their devices. */
export function newNodes(store: Store, like: Node, count: number, zone: string | undefined): readonly KubeObject[] {
  return Array.from({ length: count }, (_, at) => {
    const name = `${like.metadata.name}-new-${at + 1}`
    const node = freshNode(like, name)
    const devices = freshDevices(store, like.metadata.name, name)
    if (zone === undefined) return [node, ...devices]
    const metadata = { ...node.metadata, labels: { ...node.metadata.labels, [labels.zone]: zone } }
    return [{ ...node, metadata }, ...devices]
  }).flat()
}
