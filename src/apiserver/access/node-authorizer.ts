import { parseFieldSelector } from '../../api/field-selector.ts'
import { nodeNameOfUser } from '../../api/node-identity.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Store } from '../../store/contract.ts'
import { defaultClusterRoleRules } from '../default-roles.ts'
import { type AccessDecision, type Attributes, ruleAllows } from '../rbac.ts'
import { createNodeRelations, type NodeRelations } from './node-relations.ts'

const allowed: AccessDecision = { allowed: true, reason: '' }
const noOpinion: AccessDecision = { allowed: false, reason: '' }
const because = (reason: string): AccessDecision => ({ allowed: false, reason })

interface NodeRequest {
  readonly node: string
  readonly attributes: Attributes
  /** The name in the request. */
  readonly name: string
  readonly namespace: string
  readonly verb: string
  readonly subresource: string
  readonly related: NodeRelations
}

/** Authorizes kubelets (v1.36, plugin/pkg/auth/authorizer/node). It has no opinion about other users. */
export function createNodeAuthorizer(
  store: Store,
  release: KubernetesRelease,
): (attributes: Attributes) => AccessDecision {
  const related = createNodeRelations(store)
  const rules = defaultClusterRoleRules('system:node', release)
  const readsAccounts = release.gates.has('KubeletServiceAccountTokenForCredentialProviders')
  return (attributes) => {
    const node = nodeNameOfUser(attributes.caller)
    if (node === undefined) return noOpinion
    if (node === '') return because(`unknown node for user ${JSON.stringify(attributes.caller.name)}`)
    const { group, plural, path, name = '', namespace = '', verb, subresource = '' } = attributes
    if (path === undefined) {
      const resource = group === '' ? plural : `${plural}.${group}`
      const request: NodeRequest = { node, attributes, name, namespace, verb, subresource, related }
      if (resource === 'serviceaccounts') return serviceAccount(request, readsAccounts)
      const decide = divided[resource]
      if (decide !== undefined) return decide(request, resource)
    }
    return rules.some((rule) => ruleAllows(rule, attributes)) ? allowed : noOpinion
  }
}

/** Resources of which a node may use only its own objects. */
const divided = lookupTable<(request: NodeRequest, resource: string) => AccessDecision>({
  secrets: readable,
  configmaps: readable,
  persistentvolumeclaims: (request, resource) =>
    request.subresource === 'status' ? writableStatus(request, resource) : gettable(request, resource),
  persistentvolumes: gettable,
  'resourceclaims.resource.k8s.io': gettable,
  'volumeattachments.storage.k8s.io': gettable,
  'leases.coordination.k8s.io': lease,
  'csinodes.storage.k8s.io': csiNode,
  'resourceslices.resource.k8s.io': resourceSlice,
  nodes: nodeObject,
  pods: pod,
  'podcertificaterequests.certificates.k8s.io': () => noOpinion,
})

function relation({ related, node, namespace, name }: NodeRequest, resource: string): AccessDecision {
  if (name === '') return because('No Object name found')
  if (related(node, resource, namespace, name)) return allowed
  return because(`no relationship found between node '${node}' and this object`)
}

const reads: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

function readable(request: NodeRequest, resource: string): AccessDecision {
  if (!reads.has(request.verb)) return because('can only read resources of this type')
  if (request.subresource !== '') return because('cannot read subresource')
  if (request.namespace === '') return because('can only read namespaced object of this type')
  return relation(request, resource)
}

function gettable(request: NodeRequest, resource: string): AccessDecision {
  if (request.verb !== 'get') return because('can only get individual resources of this type')
  if (request.subresource !== '') return because('cannot get subresource')
  return relation(request, resource)
}

function writableStatus(request: NodeRequest, resource: string): AccessDecision {
  if (!changes.has(request.verb)) return because('can only get/update/patch this type')
  return relation(request, resource)
}

const changes: ReadonlySet<string> = new Set(['update', 'patch'])

function serviceAccount(request: NodeRequest, readsAccounts: boolean): AccessDecision {
  const { verb, subresource, name } = request
  if (verb === 'get' && subresource === '') {
    return readsAccounts ? readable(request, 'serviceaccounts') : because('not allowed to get service accounts')
  }
  if (verb !== 'create' || name === '') return because('can only create tokens for individual service accounts')
  if (subresource !== 'token') return because('can only create token subresource of serviceaccount')
  return relation(request, 'serviceaccounts')
}

const ownVerbs: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete'])

function lease({ verb, namespace, name, node }: NodeRequest): AccessDecision {
  if (!ownVerbs.has(verb)) return because('can only get, create, update, patch, or delete a node lease')
  if (namespace !== 'kube-node-lease') {
    return because('can only access leases in the "kube-node-lease" system namespace')
  }
  if (verb !== 'create' && name !== node) {
    return because('can only access node lease with the same name as the requesting node')
  }
  return allowed
}

function csiNode({ verb, subresource, name, node }: NodeRequest): AccessDecision {
  if (!ownVerbs.has(verb)) return because('can only get, create, update, patch, or delete a CSINode')
  if (subresource !== '') return because('cannot authorize CSINode subresources')
  if (verb !== 'create' && name !== node) {
    return because('can only access CSINode with the same name as the requesting node')
  }
  return allowed
}

/** Whether the request selects objects by a field that names the node. */
function selectsNode({ attributes: { fieldSelector = '' }, node }: NodeRequest, field: string): boolean {
  const requirements = typeof fieldSelector === 'string' ? parsed(fieldSelector) : fieldSelector
  return requirements.some((one) => one.field === field && one.operator === '=' && one.value === node)
}

function parsed(text: string) {
  const selector = parseFieldSelector(text)
  return selector.ok ? selector.value.requirements : []
}

function resourceSlice(request: NodeRequest, resource: string): AccessDecision {
  if (request.subresource !== '') return because('cannot authorize ResourceSlice subresources')
  switch (request.verb) {
    case 'create':
      return allowed
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return relation(request, resource)
    case 'watch':
    case 'list':
    case 'deletecollection':
      if (selectsNode(request, 'spec.nodeName')) return allowed
      return because('can only list/watch/deletecollection resourceslices with nodeName field selector')
    default:
      return because(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      )
  }
}

function nodeObject({ verb, subresource, name, node }: NodeRequest): AccessDecision {
  if (subresource === 'status') return changes.has(verb) ? allowed : noOpinion
  if (subresource !== '') return noOpinion
  if (verb === 'create' || changes.has(verb)) return allowed
  if (!reads.has(verb)) return noOpinion
  if (name === node) return allowed
  const what = name === '' ? 'all nodes' : `'${name}'`
  return because(`node '${node}' cannot read ${what}, only its own Node object`)
}

function pod(request: NodeRequest, resource: string): AccessDecision {
  const { verb, subresource, name } = request
  if (subresource === 'status') return changes.has(verb) ? allowed : noOpinion
  if (subresource === 'eviction') return verb === 'create' ? allowed : noOpinion
  if (subresource !== '') return noOpinion
  switch (verb) {
    case 'get':
      return relation(request, resource)
    case 'list':
    case 'watch':
      if (selectsNode(request, 'spec.nodeName')) return allowed
      if (name !== '') return relation(request, resource)
      return because('can only list/watch pods with spec.nodeName field selector')
    case 'create':
    case 'delete':
      return allowed
    default:
      return noOpinion
  }
}
