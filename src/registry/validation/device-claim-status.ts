import { parseCidr } from '../../api/cidr.ts'
import { semanticEqual } from '../../api/equality.ts'
import { formatIp, parseIp } from '../../api/ip-address.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { forbidden, invalid, notSupported, required, tooLong, tooMany } from '../errors/field-error.ts'
import { checkRequestName, checkRequestNames, type RequestNames, requestNamesOf } from './device-claims.ts'
import {
  checkBindingConditions,
  checkConfiguration,
  checkItems,
  checkPoolName,
  checkRawObject,
  checkSet,
  checkShareId,
  maxConfigs,
  unlimited,
} from './device-parts.ts'
import { checkConditions, checkMetaUpdate, immutable, metaOf } from './meta.ts'
import { checkLabelName } from './names.ts'
import { child, type Errors, list, type Obj, part, texts } from './reader.ts'
import { text, textIfSet } from './scalars.ts'
import { checkNodeSelector } from './selectors.ts'
import { equalAsType, internalForm } from './shown.ts'
import { checkDriverName } from './volumes.ts'

const maxConsumers = 256
const maxResults = 32
const maxConditions = 8
const maxDataBytes = 10 * 1024
const maxAddresses = 16
const maxInterfaceBytes = 256
const maxHardwareBytes = 128

/** ValidateResourceClaimStatusUpdate. */
export function checkResourceClaimStatus(errors: Errors, claim: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(claim), metaOf(old))
  const status = part(claim, 'status')
  const before = part(old, 'status')
  const consumers = list(status, 'reservedFor')
  const uidOf = (consumer: Obj): string => text(consumer, 'uid')
  checkSet(errors, consumers, maxConsumers, checkConsumer, uidOf, 'status.reservedFor', { field: 'uid' })
  const allocation = child(status, 'allocation')
  const allocated = new Set(list(part(allocation, 'devices'), 'results').map(deviceKey))
  const checkStatus = (found: Errors, device: Obj, at: string): void => checkDeviceStatus(found, device, at, allocated)
  const keyText = { field: 'deviceID', shown: (device: Obj) => shownDevice(errors, device) }
  checkSet(errors, list(status, 'devices'), unlimited, checkStatus, deviceKey, 'status.devices', keyText)
  if (consumers.length > 0) checkConsumersAllowed(errors, claim, consumers, list(before, 'reservedFor'))
  if (allocation === undefined) return
  // An allocation is immutable while it exists, and an accepted one is not checked again.
  const present = child(before, 'allocation')
  if (present === undefined) checkAllocation(errors, allocation, requestNamesOf(part(claim, 'spec')))
  else if (!equalAsType(errors, 'resource.AllocationResult', allocation, present)) {
    errors.push(invalid('status.allocation', internalForm(errors, 'resource.AllocationResult', allocation), immutable))
  }
}

function checkConsumersAllowed(errors: Errors, claim: Obj, now: readonly Obj[], before: readonly Obj[]): void {
  const path = 'status.reservedFor'
  if (child(part(claim, 'status'), 'allocation') === undefined) {
    errors.push(forbidden(path, 'may not be specified when `allocated` is not set'))
  } else if (metaOf(claim)['deletionTimestamp'] !== undefined) {
    if (now.every((one) => before.some((known) => semanticEqual(one, known)))) return
    const why = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'
    errors.push(forbidden(path, why))
  }
}

function checkConsumer(errors: Errors, consumer: Obj, path: string): void {
  for (const field of ['resource', 'name', 'uid']) {
    if (text(consumer, field) === '') errors.push(required(`${path}.${field}`))
  }
}

/** A device as messages print it (structured.SharedDeviceID). */
function shownDevice({ release }: Errors, device: Obj): unknown {
  // Up to v1.34 the parts of an id are handles, which have no text.
  const shown = (field: string): unknown => (atLeast(release, '1.35') ? text(device, field) : {})
  return { Driver: shown('driver'), Pool: shown('pool'), Device: shown('device'), ShareID: shown('shareID') }
}

export const deviceKey = (device: Obj): string =>
  JSON.stringify([text(device, 'driver'), text(device, 'pool'), text(device, 'device'), text(device, 'shareID')])

function checkDeviceNames(errors: Errors, device: Obj, path: string): void {
  checkDriverName(errors, text(device, 'driver'), `${path}.driver`)
  checkPoolName(errors, text(device, 'pool'), `${path}.pool`)
  checkLabelName(errors, text(device, 'device'), `${path}.device`)
}

function checkDeviceStatus(errors: Errors, device: Obj, path: string, allocated: ReadonlySet<string>): void {
  checkDeviceNames(errors, device, path)
  const share = textIfSet(device, 'shareID')
  if (share !== undefined) checkShareId(errors, share, `${path}.shareID`)
  if (!allocated.has(deviceKey(device))) {
    errors.push(invalid(path, shownDevice(errors, device), 'must be an allocated device in the claim'))
  }
  const conditions = list(device, 'conditions')
  if (conditions.length > maxConditions) {
    errors.push(tooMany(`${path}.conditions`, conditions.length, maxConditions))
  }
  checkConditions(errors, conditions, `${path}.conditions`)
  const data = device['data']
  if (data !== undefined && data !== null) checkRawObject(errors, data, `${path}.data`, maxDataBytes)
  const network = child(device, 'networkData')
  if (network !== undefined) checkNetworkData(errors, network, `${path}.networkData`)
}

function checkNetworkData(errors: Errors, network: Obj, path: string): void {
  const checkLength = (field: string, max: number): void => {
    if (Buffer.byteLength(text(network, field)) > max) errors.push(tooLong(`${path}.${field}`, max))
  }
  checkLength('interfaceName', maxInterfaceBytes)
  checkLength('hardwareAddress', maxHardwareBytes)
  checkSet(errors, texts(network, 'ips'), maxAddresses, checkInterfaceAddress, (ip) => ip, `${path}.ips`)
}

/** `192.168.1.5/24`: an address with prefix length (IsValidInterfaceAddress). */
function checkInterfaceAddress(errors: Errors, value: string, path: string): void {
  const [address = '', prefix = ''] = value.split('/')
  const ip = parseIp(address)
  const length = Number(prefix)
  if (ip === undefined || parseCidr(value) === undefined) {
    const why = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'
    errors.push(invalid(path, value, why))
    return
  }
  const shown = ip.family === 4 && length > 32 ? length - 96 : length
  const canonical = `${formatIp(ip)}/${shown}`
  if (value !== canonical) errors.push(invalid(path, value, `must be in canonical form (${JSON.stringify(canonical)})`))
}

function checkAllocation(errors: Errors, allocation: Obj, names: RequestNames): void {
  const path = 'status.allocation'
  const devices = part(allocation, 'devices')
  const checkResult = (found: Errors, result: Obj, at: string): void => {
    checkRequestName(found, text(result, 'request'), `${at}.request`, names)
    checkDeviceNames(found, result, at)
    checkBindingConditions(found, result, at)
    const share = textIfSet(result, 'shareID')
    if (share !== undefined) checkShareId(found, share, `${at}.shareID`)
  }
  checkItems(errors, list(devices, 'results'), maxResults, checkResult, `${path}.devices.results`)
  const checkConfig = (found: Errors, config: Obj, at: string): void => {
    checkSource(found, text(config, 'source'), `${at}.source`)
    checkRequestNames(found, texts(config, 'requests'), `${at}.requests`, names)
    checkConfiguration(found, config, at)
  }
  // Configurations of the class and of the claim.
  checkItems(errors, list(devices, 'config'), 2 * maxConfigs, checkConfig, `${path}.devices.config`)
  const selector = child(allocation, 'nodeSelector')
  if (selector !== undefined) checkNodeSelector(errors, selector, `${path}.nodeSelector`)
}

const sources = ['FromClaim', 'FromClass']

function checkSource(errors: Errors, source: string, path: string): void {
  if (source === '') errors.push(required(path))
  else if (!sources.includes(source)) errors.push(notSupported(path, source, sources))
}
