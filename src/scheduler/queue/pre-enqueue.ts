import type { AnyPlugin, ObjectReader } from '../contract/contract.ts'
import type { QueueMetrics } from './queue-metrics.ts'
import type { QueuedPod } from './queued-pod.ts'
import { rejectorsOf } from './queued-pod.ts'

interface PreEnqueueContext {
  readonly objects: ObjectReader
  readonly metrics?: QueueMetrics
}

/** Reports whether the plugin that gates the pod still rejects it. */
export function isStillGated(pod: QueuedPod, plugins: readonly AnyPlugin[], context: PreEnqueueContext): boolean {
  if (pod.gatingPlugin === undefined) return false
  const gate = plugins.find((plugin) => plugin.name === pod.gatingPlugin)
  return gate !== undefined && !admits(gate, pod, context)
}

/**
 * Runs the PreEnqueue plugins, starting with the one that gated the pod, and stores the one that rejects the pod. Only
 * events that this plugin registers can retry the pod (v1.36, runPreEnqueuePlugins).
 */
export function passesPreEnqueue(pod: QueuedPod, plugins: readonly AnyPlugin[], context: PreEnqueueContext): boolean {
  if (isStillGated(pod, plugins, context)) return false
  const before = pod.gatingPlugin
  for (const plugin of plugins) {
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
