import type { KubeObject } from '../api/objects/meta.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Events are stored once, as core/v1 writes them, and shown under both names. The fields that events have are written out
 * one by one and in one order: every pod that is placed makes an event, and objects of one make are quick to make.
 */
export const eventToStorage = (event: KubeObject): KubeObject => {
  const given = event as unknown as Fields
  const stored: Record<string, unknown> = { apiVersion: 'v1', kind: 'Event', metadata: event.metadata }
  // core/v1 always writes these two.
  stored['reportingComponent'] = given['reportingController'] ?? ''
  stored['reportingInstance'] = given['reportingInstance'] ?? ''
  take(stored, 'involvedObject', given['regarding'])
  take(stored, 'eventTime', given['eventTime'])
  take(stored, 'series', given['series'])
  take(stored, 'action', given['action'])
  take(stored, 'reason', given['reason'])
  take(stored, 'related', given['related'])
  take(stored, 'message', given['note'])
  take(stored, 'type', given['type'])
  take(stored, 'source', given['deprecatedSource'])
  take(stored, 'firstTimestamp', given['deprecatedFirstTimestamp'])
  take(stored, 'lastTimestamp', given['deprecatedLastTimestamp'])
  take(stored, 'count', given['deprecatedCount'])
  return stored as unknown as KubeObject
}

export const eventFromStorage = (event: KubeObject): KubeObject => {
  const stored = event as unknown as Fields
  const shown: Record<string, unknown> = { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: event.metadata }
  take(shown, 'eventTime', stored['eventTime'])
  take(shown, 'series', stored['series'])
  take(shown, 'reportingController', stored['reportingComponent'])
  take(shown, 'reportingInstance', stored['reportingInstance'])
  take(shown, 'action', stored['action'])
  take(shown, 'reason', stored['reason'])
  take(shown, 'regarding', stored['involvedObject'])
  take(shown, 'related', stored['related'])
  take(shown, 'note', stored['message'])
  take(shown, 'type', stored['type'])
  take(shown, 'deprecatedSource', stored['source'])
  take(shown, 'deprecatedFirstTimestamp', stored['firstTimestamp'])
  take(shown, 'deprecatedLastTimestamp', stored['lastTimestamp'])
  take(shown, 'deprecatedCount', stored['count'])
  return shown as unknown as KubeObject
}

function take(into: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) into[name] = value
}
