import { referenceTo } from '../../api/object-reference.ts'
import type { KubeObject, ObjectReference } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { type ActionIds, createObject, patchObject, recordEvent } from '../../runtime/actions.ts'
import type { Action, EventRecord } from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'
import { type PriorityWarning, priorityConfigMap } from './group-priorities.ts'
import type { AutoscalerOptions } from './options.ts'
import { statusTime } from './status-report.ts'
import { toBeDeletedTaint } from './taints.ts'

const nodeKind = { apiVersion: 'v1', kind: 'Node' }
const podKind = { apiVersion: 'v1', kind: 'Pod' }

// 1.36, clusterstate/utils ConfigMapLastUpdatedKey.
const lastUpdated = 'cluster-autoscaler.kubernetes.io/last-updated'

/** The writes of a loop about pods, nodes and the autoscaler itself. */
export class LoopReport {
  private readonly options: AutoscalerOptions
  private readonly ids: ActionIds

  constructor(options: AutoscalerOptions, ids: ActionIds) {
    this.options = options
    this.ids = ids
  }

  /** An event about the autoscaler itself. It regards the status ConfigMap. */
  note(event: Pick<EventRecord, 'type' | 'reason' | 'message'>): Action {
    const regarding: ObjectReference = { apiVersion: 'v1', kind: 'ConfigMap', ...this.statusMap }
    return recordEvent({ ...event, regarding, api: 'core', component: 'cluster-autoscaler' })
  }

  /** An event about the ConfigMap of the priority expander. */
  priorityWarning(warning: PriorityWarning): Action {
    const { namespace } = this.options
    const regarding: ObjectReference = { apiVersion: 'v1', kind: 'ConfigMap', name: priorityConfigMap, namespace }
    return recordEvent({ ...warning, type: 'Warning', regarding, api: 'core', component: 'cluster-autoscaler' })
  }

  event(object: KubeObject, type: EventRecord['type'], reason: string, message: string): Action {
    const regarding = referenceTo(object, object.kind === 'Node' ? nodeKind : podKind)
    return recordEvent({ regarding, type, reason, message, api: 'core', component: 'cluster-autoscaler' })
  }

  maxNodes(): Action {
    const message = `Max total nodes in cluster reached: ${this.options['max-nodes-total']}`
    return this.note({ type: 'Warning', reason: 'MaxNodesTotalReached', message })
  }

  noScaleUp(pod: Pod, reasons: string): Action {
    return this.event(pod, 'Normal', 'NotTriggerScaleUp', `pod didn't trigger scale-up: ${reasons}`)
  }

  untaint(node: Node, taint: string): Action {
    const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== taint)
    const isCordoned = taint === toBeDeletedTaint && this.options['cordon-node-before-terminating']
    return this.patchSpec(node, { taints, ...(isCordoned ? { unschedulable: null } : {}) })
  }

  patchSpec(node: Node, spec: object): Action {
    const { resourceVersion } = node.metadata
    const metadata = resourceVersion === undefined ? {} : { metadata: { resourceVersion } }
    const patch = { kind: 'merge' as const, patch: { ...metadata, spec } as never }
    return patchObject(this.ids, { resource: 'nodes', object: node, patch })
  }

  /** Creates the status ConfigMap, or replaces its content. */
  writeStatus(status: string, wall: number, view: View): Action {
    const { name, namespace } = this.statusMap
    const annotations = { [lastUpdated]: statusTime(wall) }
    const known = view.get('configmaps', `${namespace}/${name}`)
    if (known === undefined) {
      const metadata = { name, namespace, annotations }
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { status } } as KubeObject
      return createObject(this.ids, { resource: 'configmaps', object })
    }
    const patch = { kind: 'merge' as const, patch: { metadata: { annotations }, data: { status } } }
    return patchObject(this.ids, { resource: 'configmaps', object: known, patch })
  }

  private get statusMap() {
    return { namespace: this.options.namespace, name: this.options['status-config-map-name'] }
  }
}
