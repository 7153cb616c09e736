import type { Failure } from '../../api/call.ts'
import { semanticEqual } from '../../api/equality.ts'
import { nodeNameOfUser } from '../../api/node-identity.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { apiReferenceOf } from '../../api/pod-references.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { failure } from '../../api/status.ts'
import { annotations } from '../../api/well-known.ts'
import { readCertificateRequest } from '../../base/certificate-request.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Store } from '../../store/contract.ts'
import type { Caller, Guard } from '../contract.ts'
import type { Kind } from '../kinds/kind.ts'
import { refuse } from './forbidden.ts'
import { forbiddenLabels } from './kubelet-labels.ts'
import { audienceProblem } from './node-token-audience.ts'

/** A write that the plugin checks, by any caller. */
export interface RestrictedWrite {
  readonly caller: Caller
  readonly kind: Kind
  readonly subresource: string
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  readonly name: string
  readonly namespace: string
  readonly object?: KubeObject | undefined
  readonly old?: KubeObject | undefined
  readonly store: Store
  readonly release: KubernetesRelease
  readonly guard?: Guard | undefined
}

/** The message of a 403 response, or another failure. Undefined: the write is allowed. */
type Verdict = string | Failure | undefined
type NodeWrite = RestrictedWrite & { readonly node: string }

/** The admission plugin NodeRestriction (v1.36): what a kubelet may write. Other callers are not restricted. */
export function nodeRestriction(write: RestrictedWrite): Failure | undefined {
  const node = nodeNameOfUser(write.caller)
  if (node === undefined) return undefined
  const verdict =
    node === ''
      ? `could not determine node from user ${JSON.stringify(write.caller.name)}`
      : rules[write.kind.resource]?.({ ...write, node })
  return typeof verdict === 'string' ? refuse(write.kind, write.name, verdict) : verdict
}

const rules = lookupTable<(write: NodeWrite) => Verdict>({
  pods: (write) => {
    switch (write.subresource) {
      case '':
        return podVerdict(write)
      case 'status':
        return podStatusVerdict(write)
      case 'eviction':
        return evictionVerdict(write)
      default:
        return `unexpected pod subresource ${JSON.stringify(write.subresource)}, only 'status' and 'eviction' are allowed`
    }
  },
  nodes: nodeVerdict,
  persistentvolumeclaims: (write) => {
    if (write.subresource !== 'status') return 'may only update PVC status'
    if (write.operation !== 'UPDATE') return `unexpected operation ${JSON.stringify(write.operation)}`
    return claimStatusVerdict(write)
  },
  serviceaccounts: tokenVerdict,
  'podcertificaterequests.certificates.k8s.io': ({ release }) =>
    release.gates.has('PodCertificateRequest') ? undefined : 'PodCertificateRequest feature gate is disabled',
  'leases.coordination.k8s.io': ({ namespace, node, name }) => {
    if (namespace !== 'kube-node-lease') return 'can only access leases in the "kube-node-lease" system namespace'
    return name === node ? undefined : 'can only access node lease with the same name as the requesting node'
  },
  'csinodes.storage.k8s.io': ({ node, name }) =>
    name === node ? undefined : 'can only access CSINode with the same name as the requesting node',
  'resourceslices.resource.k8s.io': ({ operation, object, old, node }) => {
    if (operation === 'UPDATE') return undefined
    const slice = (operation === 'CREATE' ? object : old) as { readonly spec?: { readonly nodeName?: string } }
    if (slice?.spec?.nodeName === node) return undefined
    return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`
  },
  'certificatesigningrequests.certificates.k8s.io': requestVerdict,
})

/** The message of client-go's listers. */
const missing = (kind: string, name: string): Failure =>
  failure('NotFound', `${kind} ${JSON.stringify(name)} not found`, { name, kind })

const podOf = ({ store, namespace }: NodeWrite, name: string) => store.get('pods', `${namespace}/${name}`) as Pod

function podVerdict(write: NodeWrite): Verdict {
  const { operation, node, old } = write
  if (operation === 'CREATE') return mirrorPodVerdict(write)
  if (operation === 'UPDATE') {
    return `unexpected operation "UPDATE", node ${JSON.stringify(node)} can only create and delete mirror pods`
  }
  if ((old as Pod).spec.nodeName === node) return undefined
  return `node ${JSON.stringify(node)} can only delete pods with spec.nodeName set to itself`
}

function mirrorPodVerdict({ node, object, store }: NodeWrite): Verdict {
  const pod = object as Pod
  const { metadata, spec } = pod
  const who = `node ${JSON.stringify(node)}`
  if (metadata.annotations?.[annotations.mirrorPod] === undefined) {
    return `pod does not have "${annotations.mirrorPod}" annotation, ${who} can only create mirror pods`
  }
  if (spec.nodeName !== node) return `${who} can only create pods with spec.nodeName set to itself`
  const owners = metadata.ownerReferences ?? []
  const [owner] = owners
  if (owners.length > 1) return `${who} can only create pods with a single owner reference set to itself`
  if (owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) {
    return `${who} can only create pods with an owner reference set to itself`
  }
  if (owner.controller !== true) return `${who} can only create pods with a controller owner reference set to itself`
  if (owner.blockOwnerDeletion === true) return `${who} must not set blockOwnerDeletion on an owner reference`
  const self = store.get('nodes', node)
  if (self === undefined) return missing('node', node)
  if (owner.uid !== self.metadata.uid) {
    return `node ${node} UID mismatch: expected ${owner.uid} got ${self.metadata.uid ?? ''}`
  }
  const reference = apiReferenceOf(pod)
  return reference === undefined ? undefined : `${who} can not create pods that reference ${reference}`
}

interface ClaimStatuses {
  readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[]
  readonly extendedResourceClaimStatus?: unknown
}

function podStatusVerdict({ operation, node, object, old }: NodeWrite): Verdict {
  if (operation !== 'UPDATE') return `unexpected operation ${JSON.stringify(operation)}`
  const who = `node ${JSON.stringify(node)}`
  const [before, after] = [old as Pod, object as Pod]
  if (before.spec.nodeName !== node) {
    return `${who} can only update pod status for pods with spec.nodeName set to itself`
  }
  if (!semanticEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {})) {
    return `${who} cannot update labels through pod status`
  }
  const [was, is] = [(before.status ?? {}) as ClaimStatuses, (after.status ?? {}) as ClaimStatuses]
  if (!semanticEqual(was.resourceClaimStatuses ?? [], is.resourceClaimStatuses ?? [])) {
    return `${who} cannot update resource claim statues`
  }
  if (!semanticEqual(was.extendedResourceClaimStatus ?? null, is.extendedResourceClaimStatus ?? null)) {
    return `${who} cannot update extended resource claim status`
  }
  return undefined
}

function evictionVerdict(write: NodeWrite): Verdict {
  const { operation, node, name, object } = write
  if (operation !== 'CREATE') return `unexpected operation ${operation}`
  const podName = name || (object?.metadata?.name ?? '')
  if (podName === '') return 'could not determine pod from request data'
  const pod = podOf(write, podName)
  if (pod === undefined) return missing('pod', podName)
  return pod.spec.nodeName === node ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`
}

const changeable = ['capacity', 'conditions', 'allocatedResourceStatuses', 'allocatedResources']

/** The part of a claim that a node may not change. */
function fixedPart(claim: KubeObject): unknown {
  const { status = {}, ...rest } = claim as KubeObject & { readonly status?: Readonly<Record<string, unknown>> }
  const { resourceVersion: _r, managedFields: _m, ...metadata } = rest.metadata
  const kept = Object.fromEntries(Object.entries(status).filter(([field]) => !changeable.includes(field)))
  return { ...rest, metadata, status: kept }
}

function claimStatusVerdict({ node, object, old }: NodeWrite): Verdict {
  if (semanticEqual(fixedPart(old as KubeObject), fixedPart(object as KubeObject))) return undefined
  const who = `node ${JSON.stringify(node)}`
  return `${who} is not allowed to update fields other than status.quantity and status.conditions`
}

function nodeVerdict({ operation, node, name, object, old }: NodeWrite): Verdict {
  const who = `node ${JSON.stringify(node)}`
  if (name !== node) return `${who} is not allowed to modify node ${JSON.stringify(name)}`
  const after = object as Node & { readonly spec?: { readonly configSource?: unknown } }
  if (operation === 'CREATE') {
    if (after.spec?.configSource !== undefined) {
      return `${who} is not allowed to create pods with a non-nil configSource`
    }
    const labels = forbiddenLabels(after.metadata.labels, undefined)
    if (labels.length > 0) return `${who} is not allowed to set the following labels: ${labels.join(', ')}`
  }
  if (operation !== 'UPDATE') return undefined
  const before = old as typeof after
  const source = after.spec?.configSource
  if (source !== undefined && !semanticEqual(source, before.spec?.configSource ?? null)) {
    return `${who} is not allowed to update configSource to a new non-nil configSource`
  }
  if (!semanticEqual(after.spec?.taints ?? [], before.spec?.taints ?? [])) {
    return `${who} is not allowed to modify taints`
  }
  if (!semanticEqual(after.metadata.ownerReferences ?? [], before.metadata.ownerReferences ?? [])) {
    return `${who} is not allowed to modify ownerReferences`
  }
  const labels = forbiddenLabels(after.metadata.labels, before.metadata.labels)
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(', ')}`
}

interface TokenRequestSpec {
  readonly audiences?: readonly string[]
  readonly boundObjectRef?: {
    readonly apiVersion?: string
    readonly kind?: string
    readonly name?: string
    readonly uid?: string
  }
}

function tokenVerdict(write: NodeWrite): Verdict {
  const { operation, subresource, object, node } = write
  if (operation !== 'CREATE' || subresource !== 'token') return undefined
  const spec = (object as KubeObject & { readonly spec?: TokenRequestSpec }).spec ?? {}
  const { apiVersion, kind, name = '', uid = '' } = spec.boundObjectRef ?? {}
  if (apiVersion !== 'v1' || kind !== 'Pod' || name === '') return 'node requested token not bound to a pod'
  if (uid === '') return 'node requested token with a pod binding without a uid'
  const pod = podOf(write, name)
  if (pod === undefined) return missing('pod', name)
  if (pod.metadata.uid !== uid) {
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
  }
  if (pod.spec.nodeName !== node) return 'node requested token bound to a pod scheduled on a different node'
  return write.release.gates.has('ServiceAccountNodeAudienceRestriction')
    ? audienceProblem(write, pod, spec.audiences ?? [])
    : undefined
}

const kubeletSigners = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet']

function requestVerdict({ operation, object, node, release }: NodeWrite): Verdict {
  if (operation !== 'CREATE' || release.gates.has('AllowInsecureKubeletCertificateSigningRequests')) return undefined
  const { signerName = '', request = '' } =
    (object as { readonly spec?: { readonly signerName?: string; readonly request?: string } }).spec ?? {}
  if (!kubeletSigners.includes(signerName)) return undefined
  const parsed = readCertificateRequest(Buffer.from(request, 'base64').toString('latin1'))
  if (!parsed.ok) return `unable to parse csr: ${parsed.message}`
  const wanted = `system:node:${node}`
  return parsed.value.commonName === wanted ? undefined : `can only create a node CSR with CN=${wanted}`
}
