import { deepEqual } from '../../../src/api/equality.ts'
import type { AllocationResult } from '../../../src/api/objects/devices.ts'
import type { KubernetesRelease } from '../../../src/api/releases/kubernetes-release.ts'
import {
  comparesLists,
  type DeviceFeatures,
  deviceFeaturesOf,
  triesPoolsInOrder,
} from '../../../src/scheduler/devices/device-features.ts'
import { DeviceInventory } from '../../../src/scheduler/devices/device-inventory.ts'
import type { AllocatorQuestion, QuestionOptions } from './random-question.ts'

/** An answer of the program, one line of its output. */
export interface AllocatorAnswer {
  readonly results?: readonly AllocationResult[]
  readonly error?: string
}

/** The lists of a question affect answers only where the gate DRAListTypeAttributes is on. */
export function questionOptions(release: KubernetesRelease): QuestionOptions {
  return { maxPools: maxPools(release), hasLists: deviceFeaturesOf(release).listTypeAttributes }
}

/** Up to v1.35 pools are tried in a random order, so that only questions with one pool have one answer. */
function maxPools(release: KubernetesRelease): number {
  return triesPoolsInOrder(deviceFeaturesOf(release)) ? 3 : 1
}

/** A line of the input of the program. */
export function asLine(question: AllocatorQuestion, release: KubernetesRelease): string {
  const features = deviceFeaturesOf(release)
  return JSON.stringify({
    ...question,
    features: {
      AdminAccess: features.adminAccess,
      ConsumableCapacity: features.consumableCapacity,
      DeviceBindingAndStatus: features.bindingConditions,
      DeviceTaints: features.deviceTaints,
      FractionalCapacityRange: features.fractionalCapacityRange,
      ListTypeAttributes: comparesLists(features),
      SelectListTypeAttributes: features.listTypeAttributes,
      PartitionableDevices: features.partitionableDevices,
      PrioritizedList: features.prioritizedList,
    },
  })
}

export function berthAnswer(question: AllocatorQuestion, release: KubernetesRelease): AllocatorAnswer {
  const features: DeviceFeatures = deviceFeaturesOf(release)
  const devices = new DeviceInventory(() => {})
  // Each release parses the slices again, because answers of selectors differ.
  for (const slice of structuredClone(question.slices)) devices.note('resourceslices.resource.k8s.io', undefined, slice)
  for (const one of question.classes) devices.note('deviceclasses.resource.k8s.io', undefined, one)
  for (const claim of question.held) devices.note('resourceclaims.resource.k8s.io', undefined, claim)
  const { node, claims } = question
  const found = devices.allocate({ node, claims, features, maxSteps: Number.POSITIVE_INFINITY })
  switch (found.kind) {
    case 'allocated':
      return { results: found.results.map(comparable) }
    case 'error':
      return { error: found.message }
    case 'invalidPools':
      return { error: 'invalid resource pools were encountered' }
    default:
      return {}
  }
}

/** The difference; undefined if both answers are equal. */
export function difference(want: AllocatorAnswer, got: AllocatorAnswer): string | undefined {
  const expected = { ...want, ...(want.results === undefined ? {} : { results: want.results.map(comparable) }) }
  if (deepEqual(expected, got)) return undefined
  return `want ${JSON.stringify(expected)}\n got ${JSON.stringify(got)}`
}

function comparable(allocation: AllocationResult): AllocationResult {
  const results = allocation.devices?.results?.map(({ shareID, ...result }) => ({
    ...result,
    ...(shareID === undefined ? {} : { shareID: 'share' }),
  }))
  return { ...allocation, devices: { ...allocation.devices, ...(results === undefined ? {} : { results }) } }
}
