import { deepEqual } from '../../api/equality.ts'
import type { Service } from '../../api/objects/cluster.ts'
import type { Endpoint, EndpointHints, EndpointSlice } from '../../api/objects/endpoints.ts'
import type { SliceChanges } from './slice-changes.ts'

const preferences = ['PreferClose', 'PreferSameZone', 'PreferSameNode']

/**
 * Hints for spec.trafficDistribution: the zone of an endpoint, and its node for PreferSameNode (v1.36, endpointslice/trafficdist).
 * Slices with outdated hints are updated.
 */
export function withHints(service: Service, changes: SliceChanges, present: readonly EndpointSlice[]): SliceChanges {
  const preference = service.spec?.['trafficDistribution']
  const wanted = typeof preference === 'string' && preferences.includes(preference) ? preference : undefined
  const touched = new Set([...changes.update, ...changes.remove].map(({ metadata }) => metadata.name))
  const hinted = (slice: EndpointSlice): EndpointSlice => {
    const endpoints = (slice.endpoints ?? []).map((endpoint) => withOwnHints(endpoint, wanted))
    const isSame = endpoints.every((endpoint, i) => endpoint === slice.endpoints?.[i])
    return isSame ? slice : { ...slice, endpoints }
  }
  const outdated = present.filter((slice) => !touched.has(slice.metadata.name) && hinted(slice) !== slice)
  return {
    create: changes.create.map(hinted),
    update: [...changes.update, ...outdated].map(hinted),
    remove: changes.remove,
  }
}

function withOwnHints(endpoint: Endpoint, preference: string | undefined): Endpoint {
  const { hints, ...rest } = endpoint
  const wanted = preference === undefined ? undefined : hintsOf(endpoint, preference)
  if (deepEqual(hints, wanted)) return endpoint
  return wanted === undefined ? rest : { ...rest, hints: wanted }
}

function hintsOf({ conditions, zone, nodeName }: Endpoint, preference: string): EndpointHints | undefined {
  if (conditions?.ready !== true) return undefined
  const forZones = zone === undefined ? {} : { forZones: [{ name: zone }] }
  const isNodeHinted = preference === 'PreferSameNode' && nodeName !== undefined
  if (zone === undefined && !isNodeHinted) return undefined
  return { ...forZones, ...(isNodeHinted ? { forNodes: [{ name: nodeName }] } : {}) }
}
