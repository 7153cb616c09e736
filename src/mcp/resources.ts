import type { Event } from '../api/objects/cluster.ts'
import { encodeJson } from '../base/exact-json.ts'
import { ToolError } from './answer.ts'
import { visibleValue } from './cluster-text.ts'
import { stateOf } from './happenings.ts'
import { maskedObject } from './masking.ts'
import { errorCodes, ProtocolError } from './protocol/messages.ts'
import { provenanceOf } from './provenance.ts'
import { forkValue, kindNamed, objectNamed } from './tool.ts'
import { newestFirst } from './tools/describe.ts'
import type { Workspace } from './workspace.ts'

const json = 'application/json'

/** The list never changes. The content of the first resource has the open forks. */
export const resources = [
  {
    uri: 'berth://forks',
    name: 'forks',
    title: 'Open forks and forecasts',
    description: 'Forks with their time, state and changes, and forecasts with their verdicts.',
    mimeType: json,
  },
] as const

export const resourceTemplates = [
  {
    uriTemplate: 'berth://forks/{fork}/objects/{resource}/{name}',
    name: 'cluster-object',
    title: 'A cluster-scoped object of a fork',
    description: 'For example berth://forks/f1/objects/nodes/node-3.',
    mimeType: json,
  },
  {
    uriTemplate: 'berth://forks/{fork}/namespaces/{namespace}/objects/{resource}/{name}',
    name: 'object',
    title: 'A namespaced object of a fork',
    description: 'For example berth://forks/f1/namespaces/default/objects/pods/web-0.',
    mimeType: json,
  },
  {
    uriTemplate: 'berth://forks/{fork}/events',
    name: 'events',
    title: 'Events of a fork',
    description: 'The latest events, the newest first.',
    mimeType: json,
  },
  {
    uriTemplate: 'berth://forks/{fork}/namespaces/{namespace}/events',
    name: 'namespace-events',
    title: 'Events of a namespace of a fork',
    description: 'The latest events, the newest first.',
    mimeType: json,
  },
  {
    uriTemplate: 'berth://forecasts/{id}',
    name: 'forecast',
    title: 'A forecast',
    description:
      'The complete answer of the tool forecast: verdict, workloads, pods, timeline, and the input to repeat it.',
    mimeType: json,
  },
] as const

/** The content of a resource as JSON, within the budget. */
export function readResource(uri: unknown, workspace: Workspace, budget: number): string {
  const path = typeof uri === 'string' && uri.length < 2_000 ? partsOf(uri) : undefined
  if (path === undefined) throw notFound(uri)
  try {
    const value = contentOf(path, workspace)
    if (value === undefined) throw notFound(uri)
    return shortened(visibleValue(value), budget)
  } catch (error) {
    if (error instanceof ToolError) throw new ProtocolError(errorCodes.invalidParams, error.message.slice(0, 500))
    throw error
  }
}

function notFound(uri: unknown): ProtocolError {
  return new ProtocolError(errorCodes.invalidParams, 'Resource not found', { uri })
}

function partsOf(uri: string): readonly string[] | undefined {
  if (!uri.startsWith('berth://')) return undefined
  try {
    return uri.slice('berth://'.length).split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

function contentOf(path: readonly string[], workspace: Workspace): unknown {
  const [root, id, ...rest] = path
  if (root === 'forecasts' && id !== undefined && rest.length === 0) return forecastValue(id, workspace)
  if (root !== 'forks') return undefined
  if (id === undefined) return forksValue(workspace)
  const fork = workspace.find(id)
  const isNamespaced = rest[0] === 'namespaces'
  const namespace = isNamespaced ? rest[1] : undefined
  const [what, resource, name, ...more] = isNamespaced ? rest.slice(2) : rest
  if (what === 'events' && resource === undefined) {
    const events = fork.run.cluster.store.list('events', namespace === undefined ? {} : { namespace })
    return {
      ...forkValue(fork),
      events: newestFirst(events as readonly Event[])
        .slice(0, 100)
        .map(eventValue),
    }
  }
  if (what !== 'objects' || resource === undefined || name === undefined || more.length > 0) return undefined
  const kind = kindNamed(fork, resource)
  return { ...forkValue(fork), object: maskedObject(objectNamed(fork, kind, name, namespace)) }
}

function eventValue({
  metadata,
  involvedObject,
  type,
  reason,
  message,
  count,
  series,
  lastTimestamp,
  eventTime,
}: Event) {
  return {
    namespace: metadata.namespace,
    object: `${involvedObject.kind}/${involvedObject.name}`,
    type,
    reason,
    message,
    count: series?.count ?? count ?? 1,
    at: series?.lastObservedTime ?? lastTimestamp ?? eventTime,
  }
}

function forksValue(workspace: Workspace): object {
  return {
    forks: [...workspace.forks.values()].map((fork) => ({
      ...forkValue(fork),
      provenance: provenanceOf(fork),
      state: stateOf(fork),
      changes: fork.written,
    })),
    forecasts: [...workspace.forecasts.values()].map(({ id, fork, forecast }) => ({
      id,
      fork,
      verdict: forecast.verdict,
      question: forecast.question,
    })),
  }
}

function forecastValue(id: string, { forecasts }: Workspace): object | undefined {
  const kept = forecasts.get(id)
  if (kept === undefined) return undefined
  const { series: _, ...forecast } = kept.forecast
  return { id, fork: kept.fork, provenance: kept.provenance, change: kept.steps, forecast }
}

const listCaps = [1_000, 300, 100, 30, 10, 3, 0] as const

/** The JSON. If it is too long, lists are shortened and `truncated` is set. */
function shortened(value: unknown, budget: number): string {
  const whole = encodeJson(value) ?? 'null'
  if (whole.length <= budget) return whole
  for (const cap of listCaps) {
    const text = encodeJson({ ...(capped(value, cap) as object), truncated: true }) ?? 'null'
    if (text.length <= budget) return text
  }
  return encodeJson({ truncated: true }) ?? 'null'
}

function capped(value: unknown, cap: number): unknown {
  if (Array.isArray(value)) return value.slice(0, cap).map((item) => capped(item, cap))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, capped(member, cap)]))
}
