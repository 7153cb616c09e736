import type { KubeObject } from '../../api/objects/meta.ts'
import type { Fields } from '../../base/fields.ts'

/**
 * Events are stored once, in the form of core/v1, and served under both groups. The fields are written out in one
 * order, and common events as one object literal: every bound pod causes an event, and objects of one shape are fast to
 * create.
 */
export const eventToStorage = (event: KubeObject): KubeObject => {
  const given = event as unknown as Fields
  const { metadata } = event
  // core/v1 always writes these two.
  const reportingComponent = given['reportingController'] ?? ''
  const reportingInstance = given['reportingInstance'] ?? ''
  if (isUsual(given, usual) && given['deprecatedCount'] === undefined) {
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata,
      reportingComponent,
      reportingInstance,
      involvedObject: given['regarding'],
      eventTime: given['eventTime'],
      action: given['action'],
      reason: given['reason'],
      message: given['note'],
      type: given['type'],
      source: given['deprecatedSource'],
      firstTimestamp: given['deprecatedFirstTimestamp'],
      lastTimestamp: given['deprecatedLastTimestamp'],
    } as KubeObject
  }
  const stored: Record<string, unknown> = { apiVersion: 'v1', kind: 'Event', metadata }
  stored['reportingComponent'] = reportingComponent
  stored['reportingInstance'] = reportingInstance
  copy(given, stored, storedFrom)
  return stored as unknown as KubeObject
}

export const eventFromStorage = (event: KubeObject): KubeObject => {
  const stored = event as unknown as Fields
  const { metadata } = event
  if (isUsual(stored, usualStored) && stored['count'] === undefined) {
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata,
      eventTime: stored['eventTime'],
      reportingController: stored['reportingComponent'],
      reportingInstance: stored['reportingInstance'],
      action: stored['action'],
      reason: stored['reason'],
      regarding: stored['involvedObject'],
      note: stored['message'],
      type: stored['type'],
      deprecatedSource: stored['source'],
      deprecatedFirstTimestamp: stored['firstTimestamp'],
      deprecatedLastTimestamp: stored['lastTimestamp'],
    } as KubeObject
  }
  const shown: Record<string, unknown> = { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata }
  copy(stored, shown, shownFrom)
  return shown as unknown as KubeObject
}

const usualStored = [
  'reportingComponent',
  'reportingInstance',
  'involvedObject',
  'eventTime',
  'action',
  'reason',
  'message',
  'type',
  'source',
  'firstTimestamp',
  'lastTimestamp',
] as const

const usual = [
  'regarding',
  'eventTime',
  'action',
  'reason',
  'note',
  'type',
  'deprecatedSource',
  'deprecatedFirstTimestamp',
  'deprecatedLastTimestamp',
] as const

/** Whether the event has all of these fields, and neither a series nor a related object. */
function isUsual(event: Fields, names: readonly string[]): boolean {
  if (event['series'] !== undefined || event['related'] !== undefined) return false
  for (let i = 0; i < names.length; i++) if (event[names[i] as string] === undefined) return false
  return true
}

/** The fields of core/v1 in their order, each with the field of events.k8s.io/v1 that it comes from. */
const storedFrom: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['eventTime', 'eventTime'],
  ['series', 'series'],
  ['action', 'action'],
  ['reason', 'reason'],
  ['related', 'related'],
  ['message', 'note'],
  ['type', 'type'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
]

/** The fields of events.k8s.io/v1 in their order, each with the field of core/v1 that it comes from. */
const shownFrom: readonly (readonly [string, string])[] = [
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

function copy(from: Fields, into: Record<string, unknown>, fields: readonly (readonly [string, string])[]): void {
  for (const [name, source] of fields) if (from[source] !== undefined) into[name] = from[source]
}
