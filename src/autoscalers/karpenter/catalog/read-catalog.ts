import { fieldOf, listAt, objectAt, textAt, WrongField } from '../../../api/document-reader.ts'
import type { ClaimRequirement } from '../../../api/objects/karpenter.ts'
import type { ResourceList } from '../../../api/objects/pod.ts'
import { formatQuantity, parseQuantity, quantity } from '../../../api/quantity.ts'
import { labels } from '../../../api/well-known.ts'
import { capacityTypeLabel, kwokGroup, wellKnownLabels } from '../names.ts'
import { type Amounts, amountsOf } from '../scheduling/amounts.ts'
import { Requirement } from '../scheduling/requirement.ts'
import { Requirements } from '../scheduling/requirements.ts'
import {
  type Catalog,
  createInstanceType,
  type InstanceType,
  type Offering,
  reservationLabel,
} from './instance-type.ts'

const typeFields = [
  ...['name', 'architecture', 'operatingSystems', 'resources', 'offerings', 'labels', 'overhead', 'zones', 'prices'],
]
const offeringFields = ['Price', 'Available', 'Requirements', 'ReservationCapacity']
const maxTypes = 5_000

// The resources that the kubelet reserves on nodes of the kwok provider.
const kwokOverhead: ResourceList = { cpu: '100m', memory: '10Mi' }

/**
 * Reads instance types in the form of Karpenter's kwok provider. berth adds `labels`, `overhead`, and a short form of
 * `offerings`: `zones`, and `prices` by capacity type.
 */
export function readCatalog(value: unknown, path: string): Catalog {
  const items = listAt(value, path)
  if (items.length > maxTypes) throw new WrongField(path, `must have at most ${maxTypes} instance types`)
  let hasPrices = false
  const types = items.map((item, at) => {
    const where = `${path}[${at}]`
    const fields = objectAt(item, where, typeFields)
    const offerings = offeringsAt(fields, where)
    hasPrices ||= offerings.some((offering) => (offering as { readonly Price?: unknown }).Price !== undefined)
    return instanceTypeAt(fields, offerings, where)
  })
  return catalogOf(types, hasPrices)
}

export function catalogOf(types: readonly InstanceType[], hasPrices: boolean): Catalog {
  const wellKnown = new Set(wellKnownLabels)
  for (const { requirements, offerings } of types) {
    for (const key of requirements.keys) wellKnown.add(key)
    for (const offering of offerings) for (const key of offering.requirements.keys) wellKnown.add(key)
  }
  return { types, byName: new Map(types.map((type) => [type.name, type])), wellKnown, hasPrices }
}

/** The offerings as written, or the offerings of the short form: every capacity type in every zone, at one price. */
function offeringsAt(fields: Readonly<Record<string, unknown>>, path: string): readonly unknown[] {
  if (fields['prices'] === undefined) return listAt(fields['offerings'], fieldOf(path, 'offerings'))
  if (fields['offerings'] !== undefined) throw new WrongField(fieldOf(path, 'prices'), 'must not be set with offerings')
  const zones = listAt(fields['zones'], fieldOf(path, 'zones')).map(String)
  return Object.entries(objectAt(fields['prices'], fieldOf(path, 'prices'))).flatMap(([capacityType, price]) =>
    zones.map((zone) => ({
      // In YAML, an unknown price is null.
      ...(price === null ? {} : { Price: price }),
      Requirements: [
        { key: capacityTypeLabel, operator: 'In', values: [capacityType] },
        { key: labels.zone, operator: 'In', values: [zone] },
      ],
    })),
  )
}

function instanceTypeAt(
  fields: Readonly<Record<string, unknown>>,
  offered: readonly unknown[],
  path: string,
): InstanceType {
  const name = textAt(fields['name'], fieldOf(path, 'name'), 'm-4x-amd64-linux')
  const capacity = resourcesAt(fields['resources'], fieldOf(path, 'resources'))
  const written = fieldOf(path, fields['prices'] === undefined ? 'offerings' : 'prices')
  const offerings = offered.map((item, at) => offeringAt(item, `${written}[${at}]`))
  const systems = fields['operatingSystems'] === undefined ? ['linux'] : listAt(fields['operatingSystems'], path)
  const architecture = fields['architecture'] === undefined ? 'amd64' : String(fields['architecture'])
  const own = objectAt(fields['labels'] ?? {}, fieldOf(path, 'labels'))
  const resources = fields['resources'] as Readonly<Record<string, string>>
  return createInstanceType({
    name,
    requirements: Requirements.of([
      Requirement.in(labels.instanceType, [name]),
      Requirement.in(labels.arch, [architecture]),
      Requirement.in(labels.os, systems.map(String)),
      Requirement.in(labels.zone, valuesOf(offerings, labels.zone)),
      Requirement.in(capacityTypeLabel, valuesOf(offerings, capacityTypeLabel)),
      Requirement.in(`${kwokGroup}/instance-size`, [sizeOf(name, resources)]),
      Requirement.in(`${kwokGroup}/instance-family`, [familyOf(name)]),
      Requirement.in(`${kwokGroup}/instance-cpu`, [canonical(resources['cpu'])]),
      Requirement.in(`${kwokGroup}/instance-memory`, [canonical(resources['memory'])]),
      ...Object.entries(own).map(([key, value]) => Requirement.in(key, [String(value)])),
    ]),
    offerings,
    capacity: new Map([['pods', 110_000], ...capacity]),
    overhead: fields['overhead'] === undefined ? amountsOf(kwokOverhead) : resourcesAt(fields['overhead'], path),
  })
}

function offeringAt(value: unknown, path: string): Offering {
  const fields = objectAt(value, path, offeringFields)
  const price = fields['Price'] ?? 0
  if (typeof price !== 'number' || price < 0) throw new WrongField(fieldOf(path, 'Price'), 'must be a number >= 0')
  const left = fields['ReservationCapacity'] ?? 0
  if (typeof left !== 'number' || left < 0)
    throw new WrongField(fieldOf(path, 'ReservationCapacity'), 'must be a number >= 0')
  const requirements = requirementsAt(fields['Requirements'], fieldOf(path, 'Requirements'))
  const first = (key: string) => [...requirements.get(key).values][0] ?? ''
  const capacityType = first(capacityTypeLabel)
  return {
    requirements,
    zone: first(labels.zone),
    capacityType,
    price,
    // The kwok provider reads `Available` and then sets it to true. A stock-out is a step of the scenario.
    isAvailable: true,
    ...(capacityType === 'reserved' ? { reservation: { id: first(reservationLabel), left } } : {}),
  }
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte']

function requirementsAt(value: unknown, path: string): Requirements {
  const fields = listAt(value, path).map((item, at): ClaimRequirement => {
    const where = `${path}[${at}]`
    const { key, operator, values } = objectAt(item, where, ['key', 'operator', 'values', 'minValues'])
    if (!operators.includes(String(operator)))
      throw new WrongField(fieldOf(where, 'operator'), `must be one of ${operators.join(', ')}`)
    return {
      key: textAt(key, fieldOf(where, 'key'), labels.zone),
      operator: operator as ClaimRequirement['operator'],
      values: values === undefined ? [] : listAt(values, fieldOf(where, 'values')).map(String),
    }
  })
  return Requirements.fromFields(fields)
}

function resourcesAt(value: unknown, path: string): Amounts {
  const fields = objectAt(value, path)
  for (const [name, text] of Object.entries(fields)) {
    const isQuantity = (typeof text === 'string' || typeof text === 'number') && parseQuantity(String(text)).ok
    if (!isQuantity) throw new WrongField(fieldOf(path, name), 'must be a quantity such as 4 or 16Gi')
  }
  return amountsOf(Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, String(text)])))
}

function valuesOf(offerings: readonly Offering[], key: string): readonly string[] {
  return offerings.flatMap(({ requirements }) => [...requirements.get(key).values])
}

function canonical(amount: unknown): string {
  return amount === undefined ? '' : formatQuantity(quantity(String(amount)))
}

const awsSizes = /^[0-9A-Za-z_]+\.(nano|micro|small|medium|large|[0-9]*xlarge|metal)$/

/** The size in the name of an AWS instance type, or the number of CPUs. */
function sizeOf(name: string, resources: Readonly<Record<string, unknown>>): string {
  return awsSizes.exec(name)?.[1] ?? canonical(resources['cpu'])
}

/** The text before the first dot or dash, or the first letter. */
function familyOf(name: string): string {
  const at = name.search(/[.-]/)
  return at < 0 ? name.slice(0, 1) : name.slice(0, at)
}
