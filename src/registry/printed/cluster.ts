import type { Event } from '../../api/objects/cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { since } from './age.ts'
import type { PrintScope } from './kinds.ts'

export function nodeCells(
  { metadata, spec, status }: Node,
  _now: number,
  age: string,
  { release }: PrintScope,
): readonly unknown[] {
  const ready = status?.conditions?.findLast(({ type }) => type === 'Ready')
  const words = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady']
  if (spec?.unschedulable === true) words.push('SchedulingDisabled')
  const roles = new Set<string>()
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith('node-role.kubernetes.io/') && key.length > 'node-role.kubernetes.io/'.length)
      roles.add(key.slice('node-role.kubernetes.io/'.length))
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value)
  }
  const address = (wanted: string) => status?.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>'
  const { osImage, kernelVersion, containerRuntimeVersion, architecture, kubeletVersion } = status?.nodeInfo ?? {}
  const shownArchitecture = architecture && atLeast(release, '1.36') ? ` (${architecture})` : ''
  const kernel = `${kernelVersion || '<unknown>'}${shownArchitecture}`
  return [
    metadata.name,
    words.join(','),
    [...roles].sort().join(',') || '<none>',
    age,
    kubeletVersion ?? '',
    address('InternalIP'),
    address('ExternalIP'),
    osImage || '<unknown>',
    kernel,
    containerRuntimeVersion || '<unknown>',
  ]
}

export function eventCells(event: Event, now: number): readonly unknown[] {
  const first = since(event.firstTimestamp ?? event.eventTime, now)
  const last =
    event.series === undefined
      ? event.lastTimestamp
        ? since(event.lastTimestamp, now)
        : first
      : since(event.series.lastObservedTime, now)
  const { kind = '', name = '', fieldPath = '' } = event.involvedObject
  const target = name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`
  const count = event.series?.count ?? (event.count || 1)
  return [
    last,
    event.type ?? '',
    event.reason ?? '',
    target,
    fieldPath,
    sourceText(event),
    (event.message ?? '').trim(),
    first,
    count,
    event.metadata.name,
  ]
}

/** Older events have a source, newer ones a reporting component. */
export function sourceText({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || ''
  const host = source?.host || reportingInstance || ''
  return host === '' ? component : `${component}, ${host}`
}

export function quotaCells(
  {
    metadata,
    status,
  }: KubeObject & {
    readonly status?: {
      readonly hard?: Readonly<Record<string, string>>
      readonly used?: Readonly<Record<string, string>>
    }
  },
  _now: number,
  age: string,
): readonly unknown[] {
  const entry = (name: string) => `${name}: ${status?.used?.[name] ?? '0'}/${status?.hard?.[name]}`
  const names = Object.keys(status?.hard ?? {}).sort()
  return [
    metadata.name,
    names
      .filter((name) => !name.startsWith('limits.'))
      .map(entry)
      .join(', '),
    names
      .filter((name) => name.startsWith('limits.'))
      .map(entry)
      .join(', '),
    age,
  ]
}

interface BindingObject extends KubeObject {
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[]
}

export function bindingCells(
  { metadata, roleRef, subjects = [] }: BindingObject,
  _now: number,
  age: string,
): readonly unknown[] {
  const named = (wanted: string) => subjects.filter(({ kind }) => kind === wanted)
  return [
    metadata.name,
    `${roleRef.kind}/${roleRef.name}`,
    age,
    named('User')
      .map(({ name }) => name)
      .join(', '),
    named('Group')
      .map(({ name }) => name)
      .join(', '),
    named('ServiceAccount')
      .map(({ name, namespace }) => `${namespace}/${name}`)
      .join(', '),
  ]
}
