import { diffForecasts, type ObjectRow } from '../report/diff.ts'
import type { Forecast, PodEntry } from '../report/forecast.ts'
import type { UpgradeFinding } from './upgrade-report.ts'

/** Existing pods that only the new release deletes, by owner. */
export function restarts(before: Forecast, after: Forecast): readonly UpgradeFinding[] {
  // Replacements of a StatefulSet have the names of the pods that they replace.
  const leaving = new Set(before.pods.filter((pod) => !pod.isNew && pod.deleted !== undefined).map(({ pod }) => pod))
  const byOwner = new Map<string, string[]>()
  for (const entry of after.pods) {
    const { pod, isNew, deleted, cause } = entry
    if (isNew || deleted === undefined || leaving.has(pod)) continue
    const what = `pods of ${ownerOf(entry)} restart${cause === undefined ? '' : ` (${cause})`}`
    add(byOwner, what, `pods/${pod}`)
  }
  return [...byOwner].map(([what, objects]) => ({ kind: 'restart', what, objects }))
}

const changeTexts: Readonly<Partial<Record<ObjectRow['change'], string>>> = {
  moved: 'are placed on other nodes',
  earlier: 'are deleted earlier',
  later: 'are deleted later',
  'deleted only in A': 'are no longer deleted',
  'placed differently': 'are placed on other nodes',
  'pending in one only': 'are pending in one release only',
}

/**
 * Pods that are placed, preempted or replaced differently, by owner and difference.
 * @param startsPending A forecast omits a pod whose status does not change: the pod is pending as before.
 */
export function changedOutcomes(
  before: Forecast,
  after: Forecast,
  startsPending: (pod: string) => boolean,
): readonly UpgradeFinding[] {
  const entries = new Map([...before.pods, ...after.pods].map((entry) => [entry.pod, entry]))
  const restarting = new Set(restarts(before, after).flatMap(({ objects }) => objects))
  const found = new Map<string, { readonly details: string[]; readonly objects: string[] }>()
  for (const { object, change, a, b } of diffForecasts(before, after).objects) {
    const text = changeTexts[change]
    if (text === undefined) continue
    if (change === 'pending in one only' && (a === 'unchanged' || b === 'unchanged') && startsPending(object)) continue
    const isGroup = change === 'placed differently'
    const prefix = object.replace(/\*$/, '')
    // The new nodes of pods that restart only in the new release follow from the restart.
    if (isGroup && a === 'none' && [...restarting].some((pod) => pod.startsWith(`pods/${prefix}`))) continue
    const entry = entries.get(object) ?? [...entries.values()].find(({ pod }) => isGroup && pod.startsWith(prefix))
    const what = `pods of ${entry === undefined ? object : ownerOf(entry)} ${text}`
    const group = found.get(what) ?? { details: [], objects: [] }
    group.details.push(`${object}: ${instead(a, b)}`)
    group.objects.push(`pods/${object}`)
    found.set(what, group)
  }
  return [...found].map(([what, group]) => ({ kind: 'pods', what, ...group }))
}

/** `deleted at 2m0s instead of 3m0s` */
function instead(a: string, b: string): string {
  const same = 'deleted at '
  return a.startsWith(same) && b.startsWith(same) ? `${b} instead of ${a.slice(same.length)}` : `${b} instead of ${a}`
}

function ownerOf({ pod, workload, owner }: PodEntry): string {
  const namespace = pod.slice(0, pod.indexOf('/'))
  const [kind, name] = (workload ?? owner ?? '').split('/')
  return name === undefined ? 'no controller' : `${kind} ${namespace}/${name}`
}

function add(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}
