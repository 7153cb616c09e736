import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { semanticEqual } from '../../api/equality.ts'
import { labelNameProblems } from '../../api/name-problems.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { compareQuantities, quantity } from '../../api/quantity.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { quoteValue } from '../errors/field-error.ts'
import type { Kind } from '../kinds/kind.ts'
import { child, entryOf, list, type Obj, part, strings, texts } from '../validation/reader.ts'
import { flagIfSet, number, numberIfSet, text, textIfSet } from '../validation/scalars.ts'
import { cidrWarnings, ipWarnings } from './addresses.ts'
import { deprecatedLabel, selectorWarnings, termWarnings } from './node-labels.ts'
import { claimSpecWarnings, podWarnings, preparedPodWarnings } from './pods.ts'
import { staticNameWarnings, webhookWarnings } from './registrations.ts'

/** `old` is absent for creations. */
type Warn = (object: Obj, old: Obj | undefined, release: KubernetesRelease) => readonly string[]

const metaOf = (object: Obj): Obj => part(object, 'metadata')
const annotationsOf = (object: Obj): Readonly<Record<string, string>> => strings(metaOf(object), 'annotations')
const isCounted = (object: Obj, old: Obj | undefined): boolean =>
  old === undefined || number(metaOf(object), 'generation') !== number(metaOf(old), 'generation')

function nameWarnings(object: Obj, whose: string): readonly string[] {
  const problems = labelNameProblems(text(metaOf(object), 'name'))
  if (problems.length === 0) return []
  const why = 'which can result in surprising behavior; a DNS label is recommended'
  return [`metadata.name: this is used in ${whose}, ${why}: [${problems.join(' ')}]`]
}

const ownName = (object: Obj, old: Obj | undefined): readonly string[] =>
  old === undefined ? nameWarnings(object, 'Pod names and hostnames') : []

/** A workload: its template is checked when it is new or changed. */
const templated: Warn = (object, old, release) => [
  ...ownName(object, old),
  ...(isCounted(object, old) ? podWarnings(part(part(object, 'spec'), 'template'), 'spec.template', release) : []),
]

const manyCompletions = 100_000
const manyPods = 10_000

function jobSpecWarnings(spec: Obj, path: string, release: KubernetesRelease): readonly string[] {
  const isHuge = number(spec, 'completions') > manyCompletions && number(spec, 'parallelism') > manyPods
  const why =
    'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ' +
    'Kubernetes might not be able to track completedIndexes when a big number of indexes fail'
  return [
    ...(text(spec, 'completionMode') === 'Indexed' && isHuge ? [`${path}: ${why}`] : []),
    ...podWarnings(part(spec, 'template'), `${path}.template`, release),
  ]
}

const hintsAnnotation = 'service.kubernetes.io/topology-aware-hints'
const modeAnnotation = 'service.kubernetes.io/topology-mode'

const serviceWarnings: Warn = (service, _old, release) => {
  const spec = part(service, 'spec')
  const type = text(spec, 'type')
  const external = texts(spec, 'externalIPs')
  const isHeadless = type === 'ClusterIP' && text(spec, 'clusterIP') === 'None'
  const balancer = text(spec, 'loadBalancerIP')
  const warnings: string[] = []
  if (Object.hasOwn(annotationsOf(service), hintsAnnotation)) {
    warnings.push(`annotation ${hintsAnnotation} is deprecated, please use ${modeAnnotation} instead`)
  }
  texts(spec, 'clusterIPs').forEach((ip, i) => {
    if (ip !== 'None') warnings.push(...ipWarnings(`spec.clusterIPs[${i}]`, ip, release))
  })
  if (isHeadless) {
    if (balancer !== '') warnings.push('spec.loadBalancerIP is ignored for headless services')
    if (external.length > 0) warnings.push('spec.externalIPs is ignored for headless services')
    if (text(spec, 'sessionAffinity') !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services')
  }
  external.forEach((ip, i) => {
    warnings.push(...ipWarnings(`spec.externalIPs[${i}]`, ip, release))
  })
  if (external.length > 0 && !isHeadless && type !== 'ExternalName' && atLeast(release, '1.36')) {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters')
  }
  if (balancer !== '') warnings.push(...ipWarnings('spec.loadBalancerIP', balancer, release))
  texts(spec, 'loadBalancerSourceRanges').forEach((cidr, i) => {
    warnings.push(...cidrWarnings(`spec.loadBalancerSourceRanges[${i}]`, cidr, release))
  })
  if (type === 'ExternalName') {
    if (external.length > 0) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  } else if (text(spec, 'externalName') !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  }
  if (textIfSet(spec, 'trafficDistribution') === 'PreferClose' && atLeast(release, '1.35')) {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
  }
  return warnings
}

const oldClass = 'volume.beta.kubernetes.io/storage-class'
const oldClassText = 'deprecated since v1.8; use "storageClassName" attribute instead'
const oldOptions = 'volume.beta.kubernetes.io/mount-options'
const deadVolumes = lookupTable<readonly [string, string]>({
  cephfs: ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  photonPersistentDisk: ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  scaleIO: ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  storageos: ['storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  glusterfs: ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  rbd: ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
})

const volumeWarnings: Warn = (volume) => {
  const spec = part(volume, 'spec')
  const notes = annotationsOf(volume)
  const warnings: string[] = []
  if (Object.hasOwn(notes, oldClass)) warnings.push(`metadata.annotations[${oldClass}]: ${oldClassText}`)
  if (Object.hasOwn(notes, oldOptions)) {
    warnings.push(`metadata.annotations[${oldOptions}]: deprecated since v1.31; use "mountOptions" attribute instead`)
  }
  if (text(spec, 'persistentVolumeReclaimPolicy') === 'Recycle') {
    const why =
      'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.'
    warnings.push(`spec.persistentVolumeReclaimPolicy: ${why}`)
  }
  list(child(child(spec, 'nodeAffinity'), 'required'), 'nodeSelectorTerms').forEach((term, i) => {
    warnings.push(...termWarnings(term, false, `spec.nodeAffinity.required.nodeSelectorTerms[${i}]`))
  })
  for (const [field, [shown, why]] of Object.entries(deadVolumes)) {
    if (child(spec, field) !== undefined) warnings.push(`spec.${shown}: ${why}`)
  }
  return warnings
}

const tokenText =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes'

const driverWarnings: Warn = (driver, old, { gates }) => {
  if (!gates.has('CSIServiceAccountTokenSecrets')) return []
  const spec = part(driver, 'spec')
  const requests = list(spec, 'tokenRequests')
  if (requests.length === 0 || flagIfSet(spec, 'serviceAccountTokenInSecrets') !== undefined) return []
  const isSame = old !== undefined && semanticEqual(requests, list(part(old, 'spec'), 'tokenRequests'))
  return isSame ? [] : [tokenText]
}

const quotaPairs = ['cpu', 'memory', 'storage', 'ephemeral-storage']

const quotaWarnings: Warn = (quota, old) => {
  const hard = strings(part(quota, 'spec'), 'hard')
  if (old !== undefined) return []
  return quotaPairs.flatMap((resource) => {
    const bare = resource === 'cpu' || resource === 'memory' ? [resource] : []
    const name = [`requests.${resource}`, ...bare].find((one) => entryOf(hard, one) !== undefined)
    const request = name === undefined ? undefined : entryOf(hard, name)
    const limit = entryOf(hard, `limits.${resource}`)
    if (request === undefined || limit === undefined) return []
    if (compareQuantities(quantity(request), quantity(limit)) <= 0) return []
    return [`ResourceQuota ${name} (${request}) should be less than limits.${resource} (${limit})`]
  })
}

const policyWarnings: Warn = (policy, _old, release) => {
  const sides = { ingress: 'from', egress: 'to' }
  return Object.entries(sides).flatMap(([rules, peers]) =>
    list(part(policy, 'spec'), rules).flatMap((rule, i) =>
      list(rule, peers).flatMap((peer, j) => {
        const block = child(peer, 'ipBlock')
        const at = `spec.${rules}[${i}].${peers}[${j}].ipBlock`
        if (block === undefined) return []
        return [
          ...cidrWarnings(`${at}.cidr`, text(block, 'cidr'), release),
          ...texts(block, 'except').flatMap((except, k) => cidrWarnings(`${at}.except[${k}]`, except, release)),
        ]
      }),
    ),
  )
}

const nodeWarnings: Warn = (node, _old, release) => {
  const spec = part(node, 'spec')
  return [
    ...(child(spec, 'configSource') === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...(text(spec, 'externalID') === ''
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...texts(spec, 'podCIDRs').flatMap((cidr, i) => cidrWarnings(`spec.podCIDRs[${i}]`, cidr, release)),
  ]
}

const endpointsWarnings: Warn = (endpoints, _old, release) => {
  if (entryOf(strings(metaOf(endpoints), 'labels'), 'endpoints.kubernetes.io/managed-by') === 'endpoint-controller') {
    return []
  }
  return list(endpoints, 'subsets').flatMap((subset, i) =>
    ['addresses', 'notReadyAddresses'].flatMap((field) =>
      list(subset, field).flatMap((one, j) => ipWarnings(`subsets[${i}].${field}[${j}].ip`, text(one, 'ip'), release)),
    ),
  )
}

const sliceControllers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']

const sliceWarnings: Warn = (slice, old, release) => {
  const isNewName = old === undefined && text(slice, 'addressType') === 'FQDN'
  const fqdn = isNewName ? ['spec.addressType: FQDN endpoints are deprecated'] : []
  const manager = entryOf(strings(metaOf(slice), 'labels'), 'endpointslice.kubernetes.io/managed-by')
  if (manager !== undefined && sliceControllers.includes(manager)) return fqdn
  const addresses = list(slice, 'endpoints').flatMap((endpoint, i) =>
    texts(endpoint, 'addresses').flatMap((ip, j) => ipWarnings(`endpoints[${i}].addresses[${j}]`, ip, release)),
  )
  return [...fqdn, ...addresses]
}

const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets'

/** Errors of Go's tls.X509KeyPair, for common mistakes. */
const secretWarnings: Warn = (secret) => {
  if (text(secret, 'type') !== 'kubernetes.io/tls') return []
  const data = strings(secret, 'data')
  const file = (name: string): string => Buffer.from(entryOf(data, name) ?? '', 'base64').toString('latin1')
  const [certificate, key] = [file('tls.crt'), file('tls.key')]
  const pem = '-----BEGIN '
  if (!certificate.includes(pem)) return ['tls: failed to find any PEM data in certificate input']
  if (!certificate.includes('-----BEGIN CERTIFICATE-----')) {
    const skipped = /-----BEGIN ([^-]+)-----/.exec(certificate)?.[1] ?? ''
    if (skipped.endsWith('PRIVATE KEY')) {
      return [
        'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
      ]
    }
    return [
      `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${skipped}]`,
    ]
  }
  if (!key.includes(pem)) return ['tls: failed to find any PEM data in key input']
  try {
    const wanted = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
    const found = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' })
    return wanted.equals(found) ? [] : ['tls: private key does not match public key']
  } catch {
    return ['tls: failed to parse private key']
  }
}

const topologyWarnings: Warn = (storageClass) =>
  list(storageClass, 'allowedTopologies').flatMap((term, i) =>
    list(term, 'matchLabelExpressions').flatMap((expression, j) => {
      const why = deprecatedLabel(text(expression, 'key'))
      return why === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${why}`]
    }),
  )

const classAnnotation = 'kubernetes.io/ingress.class'

function driverNameWarnings(slice: Obj): readonly string[] {
  const driver = text(part(slice, 'spec'), 'driver')
  if (driver === driver.toLowerCase()) return []
  return [`spec.driver: driver names should be lowercase; ${quoteValue(driver)} contains uppercase characters`]
}

const tables = lookupTable<Warn>({
  pods: (pod, old, release) =>
    old === undefined
      ? [...preparedPodWarnings(pod), ...nameWarnings(pod, "the Pod's hostname"), ...podWarnings(pod, '', release)]
      : [],
  nodes: nodeWarnings,
  services: serviceWarnings,
  endpoints: endpointsWarnings,
  'endpointslices.discovery.k8s.io': sliceWarnings,
  'resourceslices.resource.k8s.io': driverNameWarnings,
  resourcequotas: quotaWarnings,
  secrets: secretWarnings,
  persistentvolumes: volumeWarnings,
  persistentvolumeclaims: (claim) => [
    ...(Object.hasOwn(annotationsOf(claim), oldClass) ? [`metadata.annotations[${oldClass}]: ${oldClassText}`] : []),
    ...claimSpecWarnings(part(claim, 'spec'), 'spec'),
  ],
  serviceaccounts: (account, old) => {
    const isOld = old !== undefined && Object.hasOwn(annotationsOf(old), enforceAnnotation)
    if (isOld || !Object.hasOwn(annotationsOf(account), enforceAnnotation)) return []
    const why = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets'
    return [`metadata.annotations[${enforceAnnotation}]: ${why}`]
  },
  podtemplates: (object, old, release) =>
    isCounted(object, old) ? podWarnings(part(object, 'template'), 'template', release) : [],
  replicationcontrollers: (object, old, release) => {
    if (old === undefined) return templated(object, old, release)
    // Upstream checks the old template.
    return isCounted(object, old) ? podWarnings(part(part(old, 'spec'), 'template'), 'spec.template', release) : []
  },
  'deployments.apps': templated,
  'replicasets.apps': templated,
  'daemonsets.apps': (object, old, release) => {
    const isSame = old !== undefined && semanticEqual(templateOf(object), templateOf(old))
    return isSame ? [] : podWarnings(templateOf(object), 'spec.template', release)
  },
  'statefulsets.apps': (object, old, release) => [
    ...(isCounted(object, old) ? podWarnings(templateOf(object), 'spec.template', release) : []),
    ...list(part(object, 'spec'), 'volumeClaimTemplates').flatMap((claim, i) =>
      claimSpecWarnings(part(claim, 'spec'), `spec.volumeClaimTemplates[${i}]${old === undefined ? '' : '.Spec'}`),
    ),
    ...((numberIfSet(part(object, 'spec'), 'revisionHistoryLimit') ?? 0) < 0
      ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
      : []),
  ],
  'jobs.batch': (job, old, release) => [
    ...ownName(job, old),
    ...(isCounted(job, old) ? jobSpecWarnings(part(job, 'spec'), 'spec', release) : []),
  ],
  'cronjobs.batch': (cron, old, release) => {
    const spec = part(cron, 'spec')
    const zone =
      'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'
    return [
      ...ownName(cron, old),
      ...(isCounted(cron, old)
        ? jobSpecWarnings(part(part(spec, 'jobTemplate'), 'spec'), 'spec.jobTemplate.spec', release)
        : []),
      ...(old !== undefined && text(spec, 'schedule').includes('TZ') ? [zone] : []),
    ]
  },
  'csidrivers.storage.k8s.io': driverWarnings,
  'storageclasses.storage.k8s.io': topologyWarnings,
  'csistoragecapacities.storage.k8s.io': (capacity) =>
    selectorWarnings(child(capacity, 'nodeTopology'), 'nodeTopology'),
  'runtimeclasses.node.k8s.io': (runtime) =>
    Object.keys(strings(child(runtime, 'scheduling'), 'nodeSelector')).flatMap((key) => {
      const why = deprecatedLabel(key)
      return why === undefined ? [] : [`scheduling.nodeSelector: ${why}`]
    }),
  'networkpolicies.networking.k8s.io': policyWarnings,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookWarnings,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookWarnings,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': staticNameWarnings,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': staticNameWarnings,
  'validatingadmissionpolicies.admissionregistration.k8s.io': staticNameWarnings,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': staticNameWarnings,
  'ingresses.networking.k8s.io': (ingress, old) => {
    const isAnnotated = Object.hasOwn(annotationsOf(ingress), classAnnotation)
    if (old !== undefined || !isAnnotated) return []
    if (textIfSet(part(ingress, 'spec'), 'ingressClassName') !== undefined) return []
    return [`annotation ${JSON.stringify(classAnnotation)} is deprecated, please use 'spec.ingressClassName' instead`]
  },
})

const templateOf = (object: Obj): Obj => part(part(object, 'spec'), 'template')

const ingressIps: Warn = (object, _old, release) =>
  list(part(part(object, 'status'), 'loadBalancer'), 'ingress').flatMap((point, i) =>
    text(point, 'ip') === '' ? [] : ipWarnings(`status.loadBalancer.ingress[${i}]`, text(point, 'ip'), release),
  )

const ofStatus = lookupTable<Warn>({
  services: ingressIps,
  'ingresses.networking.k8s.io': ingressIps,
  nodes: nodeWarnings,
  pods: (pod, _old, release) =>
    ['podIPs', 'hostIPs'].flatMap((field) =>
      list(part(pod, 'status'), field).flatMap((one, i) =>
        ipWarnings(`status.${field}[${i}].ip`, text(one, 'ip'), release),
      ),
    ),
})

/** Warnings about a valid object (WarningsOnCreate and WarningsOnUpdate of upstream's strategies). */
export function warningsOf(
  kind: Kind,
  object: KubeObject,
  old: KubeObject | undefined,
  subresource: string | undefined,
): readonly string[] {
  if (kind.strategy.warnings !== undefined) return kind.strategy.warnings(object, old)
  const table = subresource === undefined ? tables : subresource === 'status' ? ofStatus : {}
  const warn = Object.hasOwn(table, kind.resource) ? table[kind.resource] : undefined
  return warn === undefined ? [] : warn(object as unknown as Obj, old as unknown as Obj | undefined, kind.release)
}

/** Warnings about a new object that is rejected as invalid. */
export function warningsOfRefused(kind: Kind, object: KubeObject): readonly string[] {
  return kind.resource === 'pods' ? preparedPodWarnings(object as unknown as Obj) : []
}
