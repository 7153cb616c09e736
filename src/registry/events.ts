import type { KubeObject } from '../api/objects/meta.ts'

type Fields = Readonly<Record<string, unknown>>

/** events.k8s.io/v1 field → the field of core/v1 that holds the same. */
const names: readonly (readonly [string, string])[] = [
  ['eventTime', 'eventTime'],
  ['series', 'series'],
  ['reportingController', 'reportingComponent'],
  ['reportingInstance', 'reportingInstance'],
  ['action', 'action'],
  ['reason', 'reason'],
  ['regarding', 'involvedObject'],
  ['related', 'related'],
  ['note', 'message'],
  ['type', 'type'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
]

function renamed(object: KubeObject, apiVersion: string, from: 0 | 1): KubeObject {
  const fields = object as unknown as Fields
  const out: Record<string, unknown> = { apiVersion, kind: 'Event', metadata: object.metadata }
  for (const pair of names) {
    const value = fields[pair[from]]
    if (value !== undefined) out[pair[from === 0 ? 1 : 0]] = value
  }
  return out as unknown as KubeObject
}

/**
 * Events are stored once, as core/v1 writes them, and shown under both names. The fields that events have are written out
 * one by one and in one order: every pod that is placed makes an event, and objects of one make are quick to make.
 */
export const eventToStorage = (event: KubeObject): KubeObject => {
  const given = event as unknown as Fields
  const stored: Record<string, unknown> = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: event.metadata,
    // core/v1 always writes these two.
    reportingComponent: given['reportingController'] ?? '',
    reportingInstance: given['reportingInstance'] ?? '',
    involvedObject: given['regarding'],
    eventTime: given['eventTime'] ?? null,
  }
  for (const [theirs, ours] of names) {
    if (Object.hasOwn(stored, ours)) continue
    const value = given[theirs]
    if (value !== undefined) stored[ours] = value
  }
  if (given['regarding'] === undefined) delete stored['involvedObject']
  if (given['eventTime'] === undefined) delete stored['eventTime']
  return stored as unknown as KubeObject
}

export const eventFromStorage = (event: KubeObject): KubeObject => renamed(event, 'events.k8s.io/v1', 1)
