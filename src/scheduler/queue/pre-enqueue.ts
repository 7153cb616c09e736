import type { AnyPlugin, ObjectReader } from '../framework/contract.ts'
import type { QueueMetrics } from './queue-metrics.ts'
import type { QueuedPod } from './queued-pod.ts'
import { rejectorsOf } from './queued-pod.ts'

/**
 * Runs the PreEnqueue plugins, the one that gated the pod before first, and notes the one that says no: only events
 * that plugin listens to can bring the pod back (v1.36, runPreEnqueuePlugins).
 */
export function passesPreEnqueue(
  pod: QueuedPod,
  plugins: readonly AnyPlugin[],
  context: { readonly objects: ObjectReader; readonly metrics?: QueueMetrics },
): boolean {
  const admits = (plugin: AnyPlugin): boolean => {
    const status = plugin.preEnqueue?.(pod.parsed.pod, context.objects)
    return status === undefined || status.code === 'Success'
  }
  const before = pod.gatingPlugin
  if (before !== undefined) {
    const gate = plugins.find((plugin) => plugin.name === before)
    if (gate !== undefined && !admits(gate)) return false
  }
  for (const plugin of plugins) {
    if (plugin.name === before || admits(plugin)) continue
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
