// The arguments of questions about nodes, and the nodes that they select.
import { parseLabelSelector } from '../api/label-selector.ts'
import type { Result } from '../base/result.ts'
import { checkNodes, type LookupScope } from '../whatif/scenario/question.ts'
import type { NodeTarget } from '../whatif/scenario/step.ts'
import type { ClusterInput } from '../whatif/snapshot/found-cluster.ts'
import { type ArgumentSpec, text, wrongQuestion } from './command.ts'

export const nodeArgs: readonly ArgumentSpec[] = [{ name: 'NODE', summary: 'Node names; or use -l', takes: 'any' }]
export const selectorOption = { selector: text({ short: 'l', summary: 'Label selector for nodes', value: 'SELECTOR' }) }

export interface NodeChoice {
  readonly args: readonly string[]
  readonly options: { readonly selector: string | undefined; readonly from: string | undefined }
}

export function scopeOf(from: string | undefined, { cluster, manifests }: ClusterInput): LookupScope {
  const source = from === '-' ? 'standard input' : from
  return { store: cluster.store, manifests, ...(source === undefined ? {} : { source }) }
}

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw wrongQuestion(result.message)
  return result.value
}

export function chosenNodes({ args, options: { selector, from } }: NodeChoice, found: ClusterInput): NodeTarget {
  if (selector !== undefined && args.length > 0) throw wrongQuestion('node names and -l are mutually exclusive')
  if (selector === undefined) {
    if (args.length === 0) throw wrongQuestion('no nodes given: pass node names, or a selector with -l')
    return must(checkNodes(args, scopeOf(from, found)))
  }
  return selectedNodes(selector, found)
}

/** The nodes that a selector matches; at least one. */
export function selectedNodes(selector: string, { cluster, manifests }: ClusterInput): NodeTarget {
  const matcher = must(parseLabelSelector(selector))
  const nodes = [...cluster.store.list('nodes'), ...manifests.filter(({ kind }) => kind === 'Node')]
  if (!nodes.some(({ metadata }) => matcher.matches(metadata.labels)))
    throw wrongQuestion(`no node matches -l ${selector}`)
  return { kind: 'selector', selector }
}
