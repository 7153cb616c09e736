import { atLeast } from '../../api/releases/at-least.ts'
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from '../errors/field-error.ts'
import { checkLabelName, checkSubdomain } from './names.ts'
import { child, type Errors, list, type Obj, part } from './reader.ts'
import { text, textIfSet } from './scalars.ts'

const healthValues = ['Healthy', 'Unhealthy', 'Unknown']
const containersOf = (spec: Obj): readonly Obj[] => [...list(spec, 'initContainers'), ...list(spec, 'containers')]
const requestsOf = (container: Obj): Obj => part(part(container, 'resources'), 'requests')

/** The claim for extended resources of a pod (validatePodExtendedResourceClaimStatus). */
export function checkExtendedClaim(errors: Errors, status: Obj, spec: Obj): void {
  const claim = child(status, 'extendedResourceClaimStatus')
  if (claim === undefined) return
  const path = 'status.extendedResourceClaimStatus'
  const mappings = list(claim, 'requestMappings')
  if (mappings.length === 0)
    errors.push(required(`${path}.requestMappings`, 'at least one request mapping is required'))
  const containers = new Map(containersOf(spec).map((one) => [text(one, 'name'), one]))
  const seen = new Set<string>()
  mappings.forEach((mapping, i) => {
    const at = `${path}.requestMappings[${i}]`
    const names = ['containerName', 'resourceName', 'requestName'].map(
      (field) => [field, text(mapping, field)] as const,
    )
    const [containerName, resourceName, requestName] = names.map(([, name]) => name) as [string, string, string]
    const container = containers.get(containerName)
    const lists = (field: string) => `spec.initContainers.${field} or spec.containers.${field}`
    if (container === undefined) {
      const why = `must match the name of an entry in ${lists('name')}`
      errors.push(invalid(`${at}.containerName`, containerName, why))
    } else if (!Object.hasOwn(requestsOf(container), resourceName)) {
      const why = `must match the extended resource name of an entry in ${lists('resources.requests')}`
      errors.push(invalid(`${at}.resourceName`, resourceName, why))
    }
    // Upstream names the field without the mapping.
    checkLabelName(errors, requestName, `${path}.requestName`)
    const key = JSON.stringify([containerName, resourceName, requestName])
    if (seen.has(key)) for (const [field, name] of names) errors.push(duplicate(`${at}.${field}`, name))
    seen.add(key)
  })
  const name = text(claim, 'resourceClaimName')
  if (name === '') errors.push(required(`${path}.resourceClaimName`))
  else checkSubdomain(errors, name, `${path}.resourceClaimName`)
}

/** The health of the devices of containers (validateContainerStatusAllocatedResourcesStatus). */
export function checkDeviceHealth(errors: Errors, status: Obj, spec: Obj): void {
  const extended = part(status, 'extendedResourceClaimStatus')
  for (const [field, containers] of [
    ['containerStatuses', list(spec, 'containers')],
    ['initContainerStatuses', list(spec, 'initContainers')],
  ] as const) {
    list(status, field).forEach((one, i) => {
      const container = containers.find((each) => text(each, 'name') === text(one, 'name'))
      list(one, 'allocatedResourcesStatus').forEach((resource, j) => {
        checkHealth(errors, resource, container, extended, `status.${field}[${i}].allocatedResourcesStatus[${j}]`)
      })
    })
  }
  list(status, 'ephemeralContainerStatuses').forEach((one, i) => {
    if (list(one, 'allocatedResourcesStatus').length === 0) return
    const path = `status.ephemeralContainerStatuses[${i}].allocatedResourcesStatus`
    errors.push(forbidden(path, 'must not be specified in container status'))
  })
}

const healthMessageLength = 1024

function checkHealth(errors: Errors, resource: Obj, container: Obj | undefined, extended: Obj, path: string): void {
  const name = text(resource, 'name')
  const problem = container === undefined ? undefined : nameProblem(errors, name, container, extended)
  if (problem !== undefined) errors.push(invalid(`${path}.name`, name, problem))
  const seen = new Set<string>()
  list(resource, 'resources').forEach((one, k) => {
    const [health, id, message] = [text(one, 'health'), text(one, 'resourceID'), textIfSet(one, 'message')]
    const at = `${path}.resources[${k}]`
    if (!healthValues.includes(health)) errors.push(notSupported(`${at}.health`, health, healthValues))
    if (message === '') errors.push(required(`${at}.message`, 'must be non-empty if specified'))
    else if (message !== undefined && message.length > healthMessageLength)
      errors.push(tooLong(`${at}.message`, healthMessageLength))
    if (seen.has(id)) errors.push(duplicate(`${at}.resourceID`, id))
    seen.add(id)
  })
}

/** Why a container has no resource of this name: a request, a claim, or (v1.37) a request for an extended resource. */
function nameProblem({ release }: Errors, name: string, container: Obj, extended: Obj): string | undefined {
  if (!name.startsWith('claim:'))
    return Object.hasOwn(requestsOf(container), name)
      ? undefined
      : "must match one of the container's resource requests"
  const claims = list(part(container, 'resources'), 'claims').map((claim) => {
    const request = text(claim, 'request')
    return `claim:${text(claim, 'name')}${request === '' ? '' : `/${request}`}`
  })
  if (claims.includes(name)) return undefined
  if (!atLeast(release, '1.37'))
    return "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
  const isExtended = list(extended, 'requestMappings').some(
    (mapping) =>
      text(mapping, 'containerName') === text(container, 'name') &&
      name === `claim:${text(extended, 'resourceClaimName')}/${text(mapping, 'requestName')}` &&
      Object.hasOwn(requestsOf(container), text(mapping, 'resourceName')),
  )
  if (isExtended) return undefined
  return "must match one of the container's resource claims as 'claim:<claimName>/<requestName>' when container.resources.claims[*].request is set or 'claim:<claimName>' when it is empty"
}
