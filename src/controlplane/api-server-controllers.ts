import { lookupTable } from '../base/lookup-table.ts'
import { Refusal } from '../base/refusal.ts'
import { createFlowSchemaStatus } from '../controllers/flow-schema-status/controller.ts'
import { createGarbageCollector } from '../controllers/garbage-collection/controller.ts'
import { createNamespaceController } from '../controllers/namespace/controller.ts'
import { createPodGarbageCollector } from '../controllers/pod-gc/controller.ts'
import {
  createRootCaPublisher,
  createServiceAccountController,
  createTokenController,
} from '../controllers/service-account/controller.ts'
import type { TokenSecretContents } from '../controllers/service-account/decide-tokens.ts'
import type { Controller } from '../runtime/controller.ts'
import type { EmbeddedContext } from './embedded.ts'

export const noIdentity: TokenSecretContents = {
  rootCa: '',
  sign: () => {
    throw new Refusal('serviceaccount-token: no key to sign tokens with')
  },
}

/**
 * The controllers without which an API server is not usable: they finish the deletion of namespaces and of objects with
 * deleted owners, and the admission plugin ServiceAccount needs them. They are separate from the other controllers, so
 * that the API server starts quickly.
 */
export const apiServerControllers = lookupTable<(context: EmbeddedContext) => Controller>({
  'flow-schema-status': () => createFlowSchemaStatus(),
  podgc: ({ metrics, log }) => createPodGarbageCollector({ metrics, log }),
  garbagecollector: ({ kinds }) => createGarbageCollector({ kinds }),
  namespace: ({ kinds }) => createNamespaceController({ kinds }),
  serviceaccount: () => createServiceAccountController(),
  'root-ca-cert-publisher': ({ identity = noIdentity }) => createRootCaPublisher(identity),
  'serviceaccount-token': ({ identity = noIdentity }) => createTokenController(identity),
})
