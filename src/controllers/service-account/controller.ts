import { createCall, deleteCall, updateCall } from '../../api/object-calls.ts'
import type { Secret, ServiceAccount } from '../../api/objects/service-account.ts'
import type { Controller } from '../../runtime/controller.ts'
import { type AfterResults, createReconcilerController, itself, type KeyedResult } from '../../runtime/reconciler.ts'
import { decideRootCertificate, rootCertificateName } from './decide-root-certificate.ts'
import {
  accountNameAnnotation,
  accountOf,
  accountUidAnnotation,
  decideReferenceRemoval,
  decideTokenSecret,
  type TokenSecretContents,
  tokenSecretType,
} from './decide-tokens.ts'

export const serviceAccount = 'serviceaccount-controller'
export const rootCaPublisher = 'root-ca-certificate-publisher-controller'
export const serviceAccountToken = 'serviceaccount-token-controller'

const defaultAccount = 'default'

/** Failures that need no retry: another writer was first, or the namespace is terminating. */
function unlessOvertaken(results: readonly KeyedResult[]): AfterResults {
  const isHarmless = ({ outcome }: KeyedResult): boolean => {
    if (outcome.ok) return true
    const { reason, details } = outcome.status
    if (reason === 'AlreadyExists' || reason === 'NotFound') return true
    return details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating') === true
  }
  return results.every(isHarmless) ? 'done' : 'retry'
}

/** Creates the service account `default` in every active namespace (v1.36, pkg/controller/serviceaccount). */
export function createServiceAccountController(): Controller {
  return createReconcilerController({
    name: serviceAccount,
    wakes: {
      namespaces: ({ after }) => after?.metadata.name,
      serviceaccounts: ({ before, after }) => (after === undefined ? before?.metadata.namespace : undefined),
    },
    reconcile(namespace, { view, call }) {
      if (view.get('namespaces', namespace)?.status?.phase !== 'Active') return undefined
      if (view.get('serviceaccounts', `${namespace}/${defaultAccount}`) !== undefined) return undefined
      const metadata = { name: defaultAccount, namespace }
      const account: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata }
      return { actions: [call(createCall('serviceaccounts', account))] }
    },
    onResults: (_, results) => unlessOvertaken(results),
  })
}

/**
 * Publishes the CA certificate of the cluster in every namespace (v1.36,
 * pkg/controller/certificates/rootcacertpublisher).
 */
export function createRootCaPublisher({ rootCa }: { readonly rootCa: string }): Controller {
  return createReconcilerController({
    name: rootCaPublisher,
    wakes: {
      namespaces: ({ before, after }) =>
        before === undefined || after?.status?.phase === 'Active' ? after?.metadata.name : undefined,
      configmaps: ({ before, after }) => {
        const { name, namespace } = (after ?? before)?.metadata ?? {}
        return name === rootCertificateName && before !== undefined ? namespace : undefined
      },
    },
    reconcile(namespace, { view, call }) {
      if (view.get('namespaces', namespace)?.status?.phase !== 'Active') return undefined
      const present = view.get('configmaps', `${namespace}/${rootCertificateName}`)
      const wanted = decideRootCertificate(present, namespace, rootCa)
      if (wanted === undefined) return undefined
      const write = present === undefined ? createCall : updateCall
      return { actions: [call(write('configmaps', wanted))] }
    },
    onResults: (_, results) => unlessOvertaken(results),
  })
}

const isToken = (secret: Secret | undefined) => secret?.type === tokenSecretType

/**
 * Fills in token secrets, and deletes those whose service account is deleted (v1.36, pkg/controller/serviceaccount,
 * TokensController).
 */
export function createTokenController(contents: TokenSecretContents): Controller {
  /** The accounts of deleted secrets, by the secret's key. */
  const former = new Map<string, { readonly name: string; readonly uid: string }>()
  return createReconcilerController({
    name: serviceAccountToken,
    wakes: {
      secrets: (change) => {
        const { key, before, after } = change
        if (!isToken(after ?? before)) return undefined
        const { annotations = {} } = (after ?? before)?.metadata ?? {}
        if (after !== undefined) former.delete(key)
        else {
          const [name = '', uid = ''] = [annotations[accountNameAnnotation], annotations[accountUidAnnotation]]
          former.set(key, { name, uid })
        }
        return itself(change)
      },
      serviceaccounts: ({ before, after }, view) => {
        const { namespace = '', name } = (after ?? before)?.metadata ?? {}
        if (view.count('secrets') === 0) return undefined
        return view
          .list('secrets', namespace)
          .filter((one) => isToken(one) && one.metadata.annotations?.[accountNameAnnotation] === name)
          .map(({ metadata }) => `${namespace}/${metadata.name}`)
      },
    },
    reconcile(key, { view, call }) {
      const namespace = key.slice(0, key.indexOf('/'))
      const named = (name: string) => view.get('serviceaccounts', `${namespace}/${name}`)
      const secret = view.get('secrets', key)
      if (secret === undefined) {
        const owner = former.get(key)
        const account = owner === undefined ? undefined : named(owner.name)
        former.delete(key)
        if (account === undefined || (owner?.uid !== '' && owner?.uid !== account.metadata.uid)) return undefined
        const changed = decideReferenceRemoval(account, key.slice(namespace.length + 1))
        return changed === undefined ? undefined : { actions: [call(updateCall('serviceaccounts', changed))] }
      }
      if (!isToken(secret)) return undefined
      const account = accountOf(secret, named)
      if (account === undefined) {
        const { uid } = secret.metadata
        const options = uid === undefined ? {} : { preconditions: { uid } }
        return { actions: [call(deleteCall('secrets', secret, options))] }
      }
      const filled = decideTokenSecret(account, secret, contents)
      return filled === undefined ? undefined : { actions: [call(updateCall('secrets', filled))] }
    },
  })
}
