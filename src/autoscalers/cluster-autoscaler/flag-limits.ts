/**
 * Flags of 1.36 that are disabled by default and enable features of Cluster Autoscaler that berth does not implement,
 * with the behavior of a forecast instead.
 */
const limitOf: ReadonlyMap<string, string> = new Map([
  ['enable-provisioning-requests', 'ProvisioningRequests are not forecast'],
  ['capacity-buffer-controller-enabled', 'capacity buffers are not forecast'],
  ['capacity-buffer-pod-injection-enabled', 'capacity buffers are not forecast'],
  ['capacity-quotas-enabled', 'CapacityQuotas are not forecast'],
  ['node-autoprovisioning-enabled', 'node groups are neither created nor deleted'],
  ['enable-proactive-scaleup', 'pods that do not exist yet are not counted'],
  ['salvo-scale-up', 'each loop has one scale-up'],
])

const groupOptions =
  'groups that scale from zero to their maximum at once are scaled node by node, because the options of groups are known only to the cloud provider'

/** Reports whether `flagLimits` may report the flag. */
export function isLimitedFlag(name: string): boolean {
  return limitOf.has(name) || name === 'cloud-provider'
}

/** Reports whether the flag has no value. */
export function isSwitch(name: string): boolean {
  return limitOf.has(name)
}

/** The features that a forecast with these flags omits, one sentence for each flag. */
export function flagLimits(given: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const limit = limitOf.get(name)
    if (limit !== undefined) return String(value) === 'true' ? [sentence(`--${name}`, limit)] : []
    if (name === 'expander') return expanderLimits(String(value))
    if (name === 'cloud-provider' && value === 'externalgrpc')
      return [sentence('--cloud-provider=externalgrpc', groupOptions)]
    return []
  })
}

function expanderLimits(expander: string): readonly string[] {
  const names = expander.split(',')
  if (!names.includes('grpc')) return []
  const others = names.filter((name) => name !== 'grpc')
  const instead = others.length === 0 ? 'a random choice decides' : `${others.join(',')} decides`
  return [sentence(`--expander=${expander}`, `the gRPC server of the expander is not called, ${instead}`)]
}

const sentence = (flag: string, limit: string): string => `${flag} of Cluster Autoscaler: ${limit}`
