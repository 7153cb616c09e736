import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import { labels } from '../api/well-known.ts'
import { done, failed, type Result } from '../base/result.ts'
import type { Store } from '../store/contract.ts'
import { freshNode } from './fresh-node.ts'
import { listed } from './phrases.ts'
import type { NodeTarget, PlannedStep, Step } from './step.ts'

/** What somebody wants to know: what follows if these things are done. */
export interface Question {
  readonly title: string
  readonly steps: readonly PlannedStep[]
}

/** A step that a command makes; what it says of itself in traces is made here as well. */
export function plan(step: Step, atMs = 0): PlannedStep {
  const { kind, ...content } = step
  return { atMs, step, path: '', source: { at: `${atMs / 1000}s`, [kind]: sourceOf(content) } as unknown as JsonObject }
}

function sourceOf(content: object): unknown {
  const { nodes, taint, options, ...rest } = content as {
    options?: Readonly<Record<string, unknown>>
    nodes?: NodeTarget
    taint?: { key: string; value?: string; effect?: string }
  }
  return {
    ...(nodes === undefined ? {} : targetSource(nodes)),
    ...(taint === undefined
      ? {}
      : {
          taint: `${taint.key}${taint.value === undefined ? '' : `=${taint.value}`}${taint.effect === undefined ? '' : `:${taint.effect}`}`,
        }),
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

/** The nodes of these names, or why not, with what may have been meant. */
export function checkNodes(
  names: readonly string[],
  store: Store,
  manifests: readonly KubeObject[],
): Result<NodeTarget> {
  const known = [
    ...store.list('nodes').map(({ metadata }) => metadata.name),
    ...manifests.filter(({ kind }) => kind === 'Node').map(({ metadata }) => metadata.name),
  ]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return done({ kind: 'names', names })
  const near = known.filter((name) => name.includes(unknown) || unknown.includes(name))
  const hint = near.length > 0 ? `did you mean ${listed(near, 6)}?` : `there are ${listed(known, 6)}`
  return failed(`there is no node ${JSON.stringify(unknown)}; ${hint}`)
}

/** A value of a label that some node has, or why not. */
export function checkLabel(
  key: string,
  value: string,
  store: Store,
  manifests: readonly KubeObject[],
): Result<NodeTarget> {
  const nodes = [...store.list('nodes'), ...manifests.filter(({ kind }) => kind === 'Node')]
  const values = [
    ...new Set(nodes.map(({ metadata }) => metadata.labels?.[key]).filter((found) => found !== undefined)),
  ].sort()
  if (values.includes(value)) return done({ kind: 'label', key, value })
  const there = values.length === 0 ? `no node has the label ${key}` : `there are ${listed(values, 8)}`
  return failed(`no node has ${key}=${value}; ${there}`)
}

/** New nodes of the same kind as one that is there. */
export function newNodes(like: Node, count: number, zone: string | undefined): readonly KubeObject[] {
  return Array.from({ length: count }, (_, at) => {
    const node = freshNode(like, `${like.metadata.name}-new-${at + 1}`)
    if (zone === undefined) return node
    return { ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, [labels.zone]: zone } } }
  })
}
