import { deleteCall, updateCall } from '../../api/object-calls.ts'
import type { Secret } from '../../api/objects/service-account.ts'
import { reachedAt } from '../../base/clock.ts'
import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController, type KeyedResult } from '../../runtime/reconciler.ts'
import { bootstrapTokenType, decideSignatures, tokenExpiry } from './decide-signatures.ts'

const tokenNamespace = 'kube-system'
const mapKey = 'kube-public/cluster-info'

const isToken = (secret: Secret | undefined): boolean =>
  secret?.type === bootstrapTokenType && secret.metadata.namespace === tokenNamespace

/** Signs the map `cluster-info` with every bootstrap token (v1.36, bootstrapsigner). */
export function createBootstrapSigner(): Controller {
  return createReconcilerController({
    name: 'bootstrap-signer-controller',
    wakes: {
      configmaps: ({ after }) =>
        after?.metadata.name === 'cluster-info' && after.metadata.namespace === 'kube-public' ? mapKey : undefined,
      secrets: ({ before, after }) => (isToken(before) || isToken(after) ? mapKey : undefined),
    },
    reconcile(key, { view, call, wall }) {
      const map = view.get('configmaps', key)
      if (map === undefined) return undefined
      const secrets = view.list('secrets').filter(isToken)
      const wanted = decideSignatures(map, secrets, wall)
      return wanted === undefined ? undefined : { actions: [call(updateCall('configmaps', wanted))] }
    },
    onResults: (_, results) => unlessOvertaken(results),
  })
}

/** Deletes bootstrap tokens that have expired (v1.36, tokencleaner). */
export function createTokenCleaner(): Controller {
  return createReconcilerController({
    name: 'token-cleaner-controller',
    wakes: {
      secrets: ({ after }) =>
        after !== undefined && isToken(after) ? `${after.metadata.namespace}/${after.metadata.name}` : undefined,
    },
    reconcile(key, { view, call, now, wall }) {
      const secret = view.get('secrets', key)
      const at = secret === undefined ? undefined : tokenExpiry(secret)
      if (secret === undefined || at === undefined) return undefined
      if (at > wall) return { wakeAt: reachedAt(at, { now, wall }) }
      const { uid } = secret.metadata
      const options = uid === undefined ? undefined : { preconditions: { uid } }
      return { actions: [call(deleteCall('secrets', secret, options))] }
    },
    onResults: (_, results) => unlessOvertaken(results),
  })
}

/** Conflicts and deleted objects are not retried, because the change of the object wakes the controller again. */
const unlessOvertaken = (results: readonly KeyedResult[]) =>
  results.every(({ outcome }) => outcome.ok || ['Conflict', 'NotFound'].includes(outcome.status.reason ?? ''))
    ? ('done' as const)
    : ('retry' as const)
