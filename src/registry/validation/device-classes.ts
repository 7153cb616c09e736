import { semanticEqual } from '../../api/equality.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { isExtendedResource } from '../../api/resource-names.ts'
import { invalid } from '../errors/field-error.ts'
import { checkConfiguration, checkItems, maxConfigs, maxSelectors } from './device-parts.ts'
import { checkDeviceSelector } from './device-selectors.ts'
import { checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { type Errors, list, type Obj, part } from './reader.ts'
import { textIfSet } from './scalars.ts'

/** ValidateDeviceClass. */
export function checkDeviceClass(errors: Errors, deviceClass: Obj): void {
  checkClassMeta(errors, deviceClass)
  checkClassSpec(errors, part(deviceClass, 'spec'), undefined)
}

export function checkDeviceClassUpdate(errors: Errors, deviceClass: Obj, old: Obj): void {
  if (atLeast(errors.release, '1.35')) checkClassMeta(errors, deviceClass)
  checkMetaUpdate(errors, metaOf(deviceClass), metaOf(old))
  checkClassSpec(errors, part(deviceClass, 'spec'), part(old, 'spec'))
}

function checkClassMeta(errors: Errors, deviceClass: Obj): void {
  const name = atLeast(errors.release, '1.35') ? 'subdomain-bytes' : 'subdomain'
  checkMeta(errors, metaOf(deviceClass), { namespaced: false, name })
}

function checkClassSpec(errors: Errors, spec: Obj, old: Obj | undefined): void {
  // From v1.37 on, expressions that were accepted before are not compiled again.
  const isAccepted =
    atLeast(errors.release, '1.37') &&
    old !== undefined &&
    semanticEqual(list(spec, 'selectors'), list(old, 'selectors'))
  if (!isAccepted) {
    checkItems(errors, list(spec, 'selectors'), maxSelectors, checkDeviceSelector, 'spec.selectors')
  }
  const isStored = old !== undefined && semanticEqual(list(spec, 'config'), list(old, 'config'))
  const check = (found: Errors, config: Obj, at: string): void => checkConfiguration(found, config, at, isStored)
  checkItems(errors, list(spec, 'config'), maxConfigs, check, 'spec.config')
  const name = textIfSet(spec, 'extendedResourceName')
  if (name !== undefined && !isExtendedResource(name)) {
    errors.push(invalid('spec.extendedResourceName', name, 'must be a valid extended resource name'))
  }
}
