import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController } from '../../runtime/reconciler.ts'
import { nextStep, ttlAnnotation, ttlSecondsOf } from './ttl-steps.ts'

/** Annotates nodes with the time for which kubelets may cache objects, by the size of the cluster (v1.36, ttl). */
export function createNodeTtl(): Controller {
  let count = 0
  let step = 0
  const counted = (change: 1 | -1): void => {
    count += change
    step = nextStep(step, count)
  }
  return createReconcilerController({
    name: 'ttl-controller',
    wakes: {
      nodes: ({ before, after }) => {
        if (before === undefined) counted(1)
        if (after === undefined) counted(-1)
        return after?.metadata.name
      },
    },
    reconcile(name, { view, call }) {
      const node = view.get('nodes', name)
      if (node === undefined) return undefined
      const wanted = String(ttlSecondsOf(step))
      if (node.metadata.annotations?.[ttlAnnotation] === wanted) return undefined
      const patch = { metadata: { annotations: { [ttlAnnotation]: wanted } } }
      return {
        actions: [call({ verb: 'patch', resource: 'nodes', name, patch: { kind: 'strategic', patch } })],
      }
    },
  })
}
