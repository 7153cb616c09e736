import { referenceTo } from '../../api/object-reference.ts'
import type { RuntimeClass } from '../../api/objects/cluster.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { EventRecord } from '../../runtime/controller.ts'
import { hollowAnnotations } from './hollow-names.ts'

/** The handlers of a container runtime without configuration. */
const builtin = ['', 'runc']

/** The runtime handler that a pod needs and its node does not have. Undefined: the pod can start. */
export function missingHandler(
  { spec, status }: Pod,
  { metadata }: Node,
  runtimeClassOf: (name: string) => RuntimeClass | undefined,
): string | undefined {
  if (spec.runtimeClassName === undefined || status?.phase === 'Running') return undefined
  const handler = runtimeClassOf(spec.runtimeClassName)?.handler
  if (handler === undefined || builtin.includes(handler)) return undefined
  const configured = (metadata.annotations?.[hollowAnnotations.runtimeHandlers] ?? '').split(',')
  return configured.some((name) => name.trim() === handler || name.trim() === '*') ? undefined : handler
}

/** The event that a kubelet records each time it tries to start such a pod. */
export function sandboxEvent(pod: Pod, host: string, handler: string): EventRecord {
  const why = `failed to get sandbox runtime: no runtime for "${handler}" is configured`
  return {
    regarding: referenceTo(pod, { apiVersion: 'v1', kind: 'Pod' }),
    type: 'Warning',
    reason: 'FailedCreatePodSandBox',
    message: `Failed to create pod sandbox: rpc error: code = Unknown desc = ${why}`,
    api: 'core',
    component: 'kubelet',
    host,
  }
}

/** The interval at which a kubelet retries to start a pod. */
export const sandboxRetryMs = 15_000
