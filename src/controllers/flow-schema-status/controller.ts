import type { FlowSchema } from '../../api/objects/access.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import { formatTime } from '../../api/time.ts'
import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController, itself } from '../../runtime/reconciler.ts'

const schemas = 'flowschemas.flowcontrol.apiserver.k8s.io'
const levels = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io'
const manager = 'api-priority-and-fairness-config-consumer-v1'

/**
 * Reports in the status of a flow schema whether its priority level exists (v1.36, util/flowcontrol,
 * syncFlowSchemaStatus).
 */
export function createFlowSchemaStatus(): Controller {
  return createReconcilerController({
    name: 'flow-schema-status',
    wakes: {
      [schemas]: itself,
      [levels]: ({ before, after }, view) =>
        before !== undefined && after !== undefined
          ? undefined
          : view
              .list(schemas)
              .filter(({ spec }) => spec.priorityLevelConfiguration.name === (after ?? before)?.metadata.name)
              .map(({ metadata }) => metadata.name),
    },
    reconcile(key, { view, wall, call }) {
      const schema = view.get(schemas, key)
      if (schema === undefined) return undefined
      const condition = decideCondition(
        schema,
        view.get(levels, schema.spec.priorityLevelConfiguration.name) !== undefined,
      )
      if (condition === undefined) return undefined
      const applied = {
        apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
        kind: 'FlowSchema',
        metadata: { name: key },
        status: { conditions: [{ ...condition, lastTransitionTime: formatTime(wall) }] },
      }
      const patch = { kind: 'apply', object: applied as unknown as JsonObject, force: true } as const
      return {
        actions: [
          call({ verb: 'patch', resource: schemas, name: key, subresource: 'status', patch, fieldManager: manager }),
        ],
      }
    },
  })
}

/** The condition Dangling, or undefined if it is up to date. */
export function decideCondition({ spec, status }: FlowSchema, hasLevel: boolean) {
  const level = `This FlowSchema references the PriorityLevelConfiguration object named "${spec.priorityLevelConfiguration.name}"`
  const wanted = hasLevel
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${level} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${level} but there is no such object` }
  const present = status?.conditions?.find(({ type }) => type === 'Dangling')
  const isSame =
    present?.status === wanted.status && present.reason === wanted.reason && present.message === wanted.message
  return isSame ? undefined : wanted
}
