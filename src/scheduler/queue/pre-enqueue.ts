import type { AnyPlugin, ObjectReader, Profile } from '../contract/contract.ts'
import type { QueueMetrics } from './queue-metrics.ts'
import type { QueuedEntry, QueuedPod } from './queued-pod.ts'
import { isGroup, rejectorsOf } from './queued-pod.ts'

interface PreEnqueueContext {
  readonly objects: ObjectReader
  readonly profiles: ReadonlyMap<string, Pick<Profile, 'preEnqueue'>>
  readonly metrics?: QueueMetrics
}

/** Reports whether a plugin that gates a pod of the entry still rejects it. */
export function staysGated(entry: QueuedEntry, context: PreEnqueueContext): boolean {
  if (entry.gatingPlugin === undefined) return false
  if (!isGroup(entry)) return isStillGated(entry, context)
  for (const pod of entry.members.values()) if (isStillGated(pod, context)) return true
  return false
}

function isStillGated(pod: QueuedPod, context: PreEnqueueContext): boolean {
  if (pod.gatingPlugin === undefined) return false
  const plugins = pluginsOf(pod, context)
  for (let i = 0; i < plugins.length; i++) {
    const plugin = plugins[i] as AnyPlugin
    if (plugin.name === pod.gatingPlugin) return !admits(plugin, pod, context)
  }
  return false
}

/** If any pod of a group is gated, the group is (v1.37, runPreEnqueuePlugins). */
export function entryPassesPreEnqueue(entry: QueuedEntry, context: PreEnqueueContext): boolean {
  if (!isGroup(entry)) return passesPreEnqueue(entry, context)
  let gated: QueuedPod | undefined
  for (const pod of entry.members.values()) if (!passesPreEnqueue(pod, context)) gated = pod
  entry.gatingPlugin = gated?.gatingPlugin
  return gated === undefined
}

/**
 * Runs the PreEnqueue plugins, starting with the one that gated the pod, and stores the one that rejects the pod. Only
 * events that this plugin registers can retry the pod (v1.36, runPreEnqueuePlugins).
 */
export function passesPreEnqueue(pod: QueuedPod, context: PreEnqueueContext): boolean {
  if (isStillGated(pod, context)) return false
  const before = pod.gatingPlugin
  for (const plugin of pluginsOf(pod, context)) {
    if (plugin.name === before || admits(plugin, pod, context)) continue
    if (!rejectorsOf(pod).includes(plugin.name)) {
      context.metrics?.gated(pod, plugin.name)
      pod.unschedulablePlugins = [...pod.unschedulablePlugins, plugin.name]
    }
    pod.gatingPlugin = plugin.name
    return false
  }
  pod.gatingPlugin = undefined
  return true
}

function admits(plugin: AnyPlugin, pod: QueuedPod, { objects }: PreEnqueueContext): boolean {
  const status = plugin.preEnqueue?.(pod.parsed.pod, objects)
  return status === undefined || status.code === 'Success'
}

function pluginsOf({ profile }: QueuedPod, { profiles }: PreEnqueueContext): readonly AnyPlugin[] {
  return profiles.get(profile)?.preEnqueue ?? []
}
