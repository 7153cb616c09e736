import type { EndpointPort, EndpointSlice } from '../../api/objects/endpoints.ts'

export const serviceNameLabel = 'kubernetes.io/service-name'
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by'
export const headlessLabel = 'service.kubernetes.io/headless'

/** The changes of the slices of a service or of an Endpoints object. */
export interface SliceChanges {
  readonly create: readonly EndpointSlice[]
  readonly update: readonly EndpointSlice[]
  readonly remove: readonly EndpointSlice[]
}

/** A key that is equal for the same ports in any order. */
export function portsKey(ports: readonly EndpointPort[] | null | undefined): string {
  return (ports ?? [])
    .map(({ name = '', port, protocol, appProtocol }) => JSON.stringify([name, protocol, port, appProtocol ?? '']))
    .sort()
    .join()
}

/** `name-`, or the name alone if it is too long for a suffix. */
export const slicePrefix = (name: string): string => (name.length < 253 ? `${name}-` : name)

/** Updates slices that would be deleted with the contents of slices that would be created. */
export function recycled(changes: SliceChanges, isReusable: (slice: EndpointSlice) => boolean): SliceChanges {
  const create = [...changes.create]
  const update = [...changes.update]
  const remove: EndpointSlice[] = []
  for (const slice of changes.remove) {
    const index = create.findLastIndex(({ addressType }) => addressType === slice.addressType)
    const [reused] = index < 0 || !isReusable(slice) ? [] : create.splice(index, 1)
    if (reused === undefined) remove.push(slice)
    else update.push(renamed(reused, slice))
  }
  return { create, update, remove }
}

function renamed({ metadata, ...contents }: EndpointSlice, { metadata: kept }: EndpointSlice): EndpointSlice {
  const { generateName: _, ...rest } = metadata
  const { name, uid, resourceVersion } = kept
  const identity = {
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
  return { ...contents, metadata: { ...rest, ...identity } }
}

export function slicesBy(
  slices: readonly EndpointSlice[],
  key: (slice: EndpointSlice) => string,
): Map<string, EndpointSlice[]> {
  const groups = new Map<string, EndpointSlice[]>()
  for (const slice of slices) {
    const group = groups.get(key(slice))
    if (group === undefined) groups.set(key(slice), [slice])
    else group.push(slice)
  }
  return groups
}
