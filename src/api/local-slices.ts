import type { AllocationResult, ResourceSlice } from './objects/devices.ts'

/**
 * The slices of a new node like an existing one. Pools and slices that are named after the node get the new name. The
 * new name is appended to other names, because the pools of a driver must have different names.
 */
export function slicesLike(slices: readonly ResourceSlice[], like: string, name: string): readonly ResourceSlice[] {
  return slices.map((slice) => {
    const { labels } = slice.metadata
    const { pool, ...spec } = slice.spec
    return {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: renamed(slice.metadata.name, like, name), ...(labels === undefined ? {} : { labels }) },
      spec: {
        ...spec,
        nodeName: name,
        pool: { ...pool, name: renamed(pool.name, like, name) },
      },
    }
  })
}

/** The slices of a new machine, without device taints, which report problems of single devices. */
export function slicesOfNewMachine(
  slices: readonly ResourceSlice[],
  like: string,
  name: string,
): readonly ResourceSlice[] {
  return slicesLike(slices, like, name).map(({ spec, ...slice }) => {
    const devices = spec.devices?.map(({ taints: _, ...device }) => device)
    return { ...slice, spec: devices === undefined ? spec : { ...spec, devices } }
  })
}

/** The allocation of a claim on the devices of one node, moved to the copies of these devices. */
export function allocationLike(
  allocation: AllocationResult,
  pools: ReadonlySet<string>,
  like: string,
  name: string,
): AllocationResult {
  const results = (allocation.devices?.results ?? []).map((result) =>
    pools.has(result.pool) && result.adminAccess !== true
      ? { ...result, pool: renamed(result.pool, like, name) }
      : result,
  )
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [name] }]
  return {
    ...allocation,
    devices: { ...allocation.devices, results },
    nodeSelector: { nodeSelectorTerms: [{ matchFields }] },
  }
}

function renamed(text: string, like: string, name: string): string {
  return text.includes(like) ? text.replace(like, name) : `${text}-${name}`
}
