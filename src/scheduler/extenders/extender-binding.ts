import type { ForeignBinder } from '../binding/binding-cycles.ts'
import type { Extender, ExtenderAnswer, ExtenderRequest } from './extender.ts'
import { fieldOf } from './extender.ts'

/**
 * Binds with the first extender that binds the pod. When an ignorable extender fails, the next extender or the plugins
 * bind the pod.
 */
export function createExtenderBinder(
  extenders: readonly Extender[],
  ask: (request: ExtenderRequest, answered: (answer: ExtenderAnswer) => void) => void,
): ForeignBinder {
  return (placement, settled, declined) => {
    const { pod } = placement.assumed
    const binders = extenders.filter((extender) => extender.binds && extender.isInterestedIn(pod))
    if (binders.length === 0) return false
    const tryNext = (at: number): void => {
      const extender = binders[at]
      if (extender === undefined) {
        declined()
        return
      }
      const { name, namespace, uid } = pod.metadata
      const args = { PodName: name, PodNamespace: namespace ?? '', PodUID: uid ?? '', Node: placement.node }
      ask(extender.request('bind', args), (answer) => {
        const error = answer.ok ? fieldOf(answer.body, 'Error') : answer.message
        const failed = typeof error === 'string' && error !== ''
        if (failed && extender.ignorable) tryNext(at + 1)
        else settled(failed ? error : undefined)
      })
    }
    tryNext(0)
    return true
  }
}
