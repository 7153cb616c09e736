import { atLeast } from '../../api/releases/at-least.ts'
import { invalid, notSupported, required } from '../errors/field-error.ts'
import { checkTemplateMeta } from './claims.ts'
import {
  checkConfiguration,
  checkDeviceToleration,
  checkFullAttributeName,
  checkItems,
  checkSet,
  maxConfigs,
  maxRequests,
  maxSelectors,
} from './device-parts.ts'
import { checkDeviceSelector } from './device-selectors.ts'
import { checkMeta, checkMetaUpdate, immutable, metaOf } from './meta.ts'
import { checkLabelName, checkSubdomain } from './names.ts'
import { child, type Errors, list, type Obj, part, texts } from './reader.ts'
import { number, text, textIfSet } from './scalars.ts'
import { equalAsType, internalForm } from './shown.ts'

const maxConstraints = 32
const maxAlternatives = 8
const allocationModes = ['All', 'ExactCount']

/** Names of requests, with the names of their subrequests. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>

export function requestNamesOf(claimSpec: Obj): RequestNames {
  return new Map(
    list(part(claimSpec, 'devices'), 'requests').map((request) => [
      text(request, 'name'),
      new Set(list(request, 'firstAvailable').map((one) => text(one, 'name'))),
    ]),
  )
}

/** ValidateResourceClaim. */
export function checkResourceClaim(errors: Errors, claim: Obj): void {
  checkMeta(errors, metaOf(claim), { namespaced: true, name: 'subdomain' })
  checkClaimSpec(errors, part(claim, 'spec'), 'spec')
}

/** ValidateResourceClaimUpdate: the spec is immutable. */
export function checkResourceClaimUpdate(errors: Errors, claim: Obj, old: Obj): void {
  const isOld = !atLeast(errors.release, '1.35')
  if (!isOld) checkMeta(errors, metaOf(claim), { namespaced: true, name: 'subdomain' })
  checkMetaUpdate(errors, metaOf(claim), metaOf(old))
  checkSameSpec(errors, claim, old, 'resource.ResourceClaimSpec')
  if (isOld) checkClaimSpec(errors, part(claim, 'spec'), 'spec', true)
}

/** ValidateResourceClaimTemplate. */
export function checkResourceClaimTemplate(errors: Errors, template: Obj): void {
  checkMeta(errors, metaOf(template), { namespaced: true, name: 'subdomain' })
  checkTemplateSpec(errors, part(template, 'spec'), false)
}

function checkTemplateSpec(errors: Errors, spec: Obj, isStored: boolean): void {
  checkTemplateMeta(errors, part(spec, 'metadata'), 'spec.metadata')
  checkClaimSpec(errors, part(spec, 'spec'), 'spec.spec', isStored)
}

export function checkResourceClaimTemplateUpdate(errors: Errors, template: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(template), metaOf(old))
  checkSameSpec(errors, template, old, 'resource.ResourceClaimTemplateSpec')
  if (!atLeast(errors.release, '1.35')) checkTemplateSpec(errors, part(template, 'spec'), true)
}

function checkSameSpec(errors: Errors, object: Obj, old: Obj, type: string): void {
  if (equalAsType(errors, type, part(object, 'spec'), part(old, 'spec'))) return
  errors.push(invalid('spec', internalForm(errors, type, part(object, 'spec')), immutable))
}

/** `isStored`: an update, in which parameters may be longer than in a new object. */
function checkClaimSpec(errors: Errors, spec: Obj, path: string, isStored = false): void {
  const devices = part(spec, 'devices')
  const names = requestNamesOf(spec)
  const at = `${path}.devices`
  checkSet(errors, list(devices, 'requests'), maxRequests, checkRequest, nameOf, `${at}.requests`, named)
  const checkConstraint = (found: Errors, constraint: Obj, where: string): void => {
    checkRequestNames(found, texts(constraint, 'requests'), `${where}.requests`, names)
    checkConstrainedAttribute(found, constraint, where)
  }
  checkItems(errors, list(devices, 'constraints'), maxConstraints, checkConstraint, `${at}.constraints`)
  const checkConfig = (found: Errors, config: Obj, where: string): void => {
    checkRequestNames(found, texts(config, 'requests'), `${where}.requests`, names)
    checkConfiguration(found, config, where, isStored)
  }
  checkItems(errors, list(devices, 'config'), maxConfigs, checkConfig, `${at}.config`)
}

const nameOf = (item: Obj): string => text(item, 'name')
const named = { field: 'name' }

function checkRequest(errors: Errors, request: Obj, path: string): void {
  checkLabelName(errors, nameOf(request), `${path}.name`)
  const alternatives = list(request, 'firstAvailable')
  const exactly = child(request, 'exactly')
  if (alternatives.length === 0 && exactly === undefined) {
    errors.push(required(path, 'exactly one of `exactly` or `firstAvailable` is required'))
  } else if (alternatives.length > 0 && exactly !== undefined) {
    const why = 'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set'
    errors.push(invalid(path, null, why))
    // Up to v1.34, both are checked even then.
    if (atLeast(errors.release, '1.35')) return
  }
  checkSet(errors, alternatives, maxAlternatives, checkAlternative, nameOf, `${path}.firstAvailable`, named)
  if (exactly !== undefined) checkDevicesWanted(errors, exactly, `${path}.exactly`)
}

function checkAlternative(errors: Errors, request: Obj, path: string): void {
  checkLabelName(errors, nameOf(request), `${path}.name`)
  checkDevicesWanted(errors, request, path)
}

/** The common fields of a request and a subrequest. */
function checkDevicesWanted(errors: Errors, request: Obj, path: string): void {
  const className = text(request, 'deviceClassName')
  if (className === '') errors.push(required(`${path}.deviceClassName`))
  else checkSubdomain(errors, className, `${path}.deviceClassName`)
  checkItems(errors, list(request, 'selectors'), maxSelectors, checkDeviceSelector, `${path}.selectors`)
  const mode = text(request, 'allocationMode')
  const count = number(request, 'count')
  if (!allocationModes.includes(mode)) errors.push(notSupported(`${path}.allocationMode`, mode, allocationModes))
  else if (mode === 'All' && count !== 0) {
    errors.push(invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'"))
  } else if (mode === 'ExactCount' && count <= 0) {
    errors.push(invalid(`${path}.count`, count, 'must be greater than zero'))
  }
  list(request, 'tolerations').forEach((toleration, i) => {
    checkDeviceToleration(errors, toleration, `${path}.tolerations[${i}]`)
  })
}

function checkConstrainedAttribute(errors: Errors, constraint: Obj, path: string): void {
  const match = textIfSet(constraint, 'matchAttribute')
  const distinct = textIfSet(constraint, 'distinctAttribute')
  if (match !== undefined) checkFullAttributeName(errors, match, `${path}.matchAttribute`)
  else if (distinct !== undefined) checkFullAttributeName(errors, distinct, `${path}.distinctAttribute`)
  else if (!errors.release.gates.has('DRAConsumableCapacity')) errors.push(required(`${path}.matchAttribute`))
  else {
    // Upstream's message, although neither field is set.
    const why = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    errors.push(required(path, why))
  }
}

const wrongReference =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

/** validateRequestNameRef: `request` or `request/subrequest`. */
export function checkRequestName(errors: Errors, name: string, path: string, names: RequestNames): void {
  const [request = '', alternative, ...rest] = name.split('/')
  if (rest.length > 0) {
    errors.push(invalid(path, name, wrongReference))
    return
  }
  checkLabelName(errors, request, path)
  if (alternative !== undefined) checkLabelName(errors, alternative, path)
  const alternatives = names.get(request)
  if (alternatives === undefined || (alternative !== undefined && !alternatives.has(alternative))) {
    errors.push(invalid(path, name, wrongReference))
  }
}

export function checkRequestNames(errors: Errors, given: readonly string[], path: string, names: RequestNames): void {
  const check = (found: Errors, name: string, at: string): void => checkRequestName(found, name, at, names)
  checkSet(errors, given, maxRequests, check, (name) => name, path)
}
