import type { DeviceTaint, ResourceSlice } from '../api/objects/devices.ts'
import type { JsonObject } from '../api/objects/meta.ts'
import { nameHint } from '../whatif/scenario/near-names.ts'
import { type LookupScope, plannedStep, type Question } from '../whatif/scenario/question.ts'
import type { Step } from '../whatif/scenario/step.ts'
import { wrongQuestion } from './command.ts'

const deviceEffects: readonly string[] = ['NoExecute', 'NoSchedule', 'None']

/** `key=value:effect` of a device. */
export function parseDeviceTaint(text: string): DeviceTaint {
  const colon = text.lastIndexOf(':')
  const effect = text.slice(colon + 1)
  const [key = '', value] = text.slice(0, Math.max(colon, 0)).split('=', 2)
  if (key === '' || !deviceEffects.includes(effect)) {
    throw wrongQuestion(`${text}: expected KEY[=VALUE]:EFFECT with the effect NoExecute, NoSchedule or None`)
  }
  return { key, ...(value === undefined ? {} : { value }), effect: effect as DeviceTaint['effect'] }
}

/**
 * The steps that taint devices, named DRIVER/POOL/DEVICE, in place of their driver.
 * @param healAfterMs Time after which the driver removes the taint. Absent: never.
 */
export function taintDevices(
  names: readonly string[],
  taint: DeviceTaint,
  { store, manifests }: LookupScope,
  healAfterMs?: number,
): Question['steps'] {
  const found = store.list('resourceslices.resource.k8s.io') as readonly ResourceSlice[]
  const given = manifests.filter((object): object is ResourceSlice => object.kind === 'ResourceSlice')
  const slices = [...found, ...given]
  const tainted = new Map<ResourceSlice, ResourceSlice>()
  for (const name of names) {
    const original = slices.find((slice) => devicesOf(slice).includes(name))
    if (original === undefined) {
      throw wrongQuestion(`device ${name} not found; ${nameHint(name, slices.flatMap(devicesOf))}`)
    }
    const slice = tainted.get(original) ?? original
    const devices = (slice.spec.devices ?? []).map((device) =>
      nameOf(slice, device.name) === name ? { ...device, taints: [...(device.taints ?? []), taint] } : device,
    )
    tainted.set(original, { ...slice, spec: { ...slice.spec, devices } })
  }
  const originals = healAfterMs === undefined ? [] : [...tainted.keys()]
  return [
    ...[...tainted.values()].map((slice) => plannedStep(devicesPatch(slice))),
    ...originals.map((slice) => plannedStep(devicesPatch(slice), healAfterMs)),
  ]
}

function devicesPatch({ metadata, spec }: ResourceSlice): Step {
  return {
    kind: 'patch',
    target: { kind: 'resourceslice', name: metadata.name },
    patch: { spec: { devices: spec.devices } } as unknown as JsonObject,
    type: 'merge',
  }
}

function nameOf({ spec }: ResourceSlice, device: string): string {
  return `${spec.driver}/${spec.pool.name}/${device}`
}

function devicesOf(slice: ResourceSlice): readonly string[] {
  return (slice.spec.devices ?? []).map(({ name }) => nameOf(slice, name))
}
