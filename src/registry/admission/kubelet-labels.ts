import type { StringMap } from '../../api/objects/meta.ts'

/** Labels of Kubernetes that a kubelet sets on its node (v1.36, kubelet/pkg/apis). */
const kubeletLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
])

const isIn = (namespace: string, domain: string): boolean => namespace === domain || namespace.endsWith(`.${domain}`)

function isForbidden(key: string): boolean {
  const slash = key.indexOf('/')
  const namespace = slash < 0 ? '' : key.slice(0, slash)
  if (isIn(namespace, 'node-restriction.kubernetes.io')) return true
  if (!isIn(namespace, 'kubernetes.io') && !isIn(namespace, 'k8s.io')) return false
  if (kubeletLabels.has(key)) return false
  return !isIn(namespace, 'kubelet.kubernetes.io') && !isIn(namespace, 'node.kubernetes.io')
}

/** Returns the changed labels that a node may not change, sorted. */
export function forbiddenLabels(after: StringMap | undefined, before: StringMap | undefined): readonly string[] {
  const keys = new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})])
  return [...keys].filter((key) => after?.[key] !== before?.[key] && isForbidden(key)).sort()
}
