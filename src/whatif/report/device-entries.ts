import type { AllocationResult } from '../../api/objects/devices.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { DeviceEntry } from '../../wire/forecast-entries.ts'
import type { ClaimStory } from '../facts/claim-watch.ts'
import { seconds } from '../facts/pod-entries.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { Forecast } from './forecast.ts'

/** The devices that are allocated or released because of the steps, in order of time. */
export function deviceReport(run: ForecastRun, baseline?: ForecastRun): Pick<Forecast, 'devices'> {
  const anyway = new Set(baseline?.recorder.claims.stories.map(identityOf))
  const caused = run.recorder.claims.stories.filter((story) => !anyway.has(identityOf(story)))
  return caused.length === 0 ? {} : { devices: caused.map((story) => entryOf(story, run)) }
}

/** Generated names differ from run to run, except those of claims that exist at the start. */
function identityOf({ claim, allocation, allocatedMs, releasedMs }: ClaimStory): string {
  return [claim, ...devicesOf(allocation).map(({ device }) => device), allocatedMs, releasedMs].join(' ')
}

function entryOf(story: ClaimStory, run: ForecastRun): DeviceEntry {
  const { claim, allocation, pods, allocatedMs, releasedMs } = story
  const node = nodeOf(story, run)
  return {
    claim,
    ...(node === undefined ? {} : { node }),
    pods: [...pods],
    devices: devicesOf(allocation),
    ...(allocatedMs === undefined ? {} : { allocated: seconds(allocatedMs) }),
    ...(releasedMs === undefined ? {} : { released: seconds(releasedMs) }),
  }
}

function devicesOf({ devices }: AllocationResult): DeviceEntry['devices'] {
  return (devices?.results ?? []).map(({ request, driver, pool, device }) => ({
    request,
    device: `${driver}/${pool}/${device}`,
  }))
}

/** The node to which the allocation is restricted, or otherwise the node of its pods. */
function nodeOf({ allocation, pods }: ClaimStory, { recorder, cluster }: ForecastRun): string | undefined {
  const [term, ...others] = allocation.nodeSelector?.nodeSelectorTerms ?? []
  const field = term?.matchFields?.find(({ key }) => key === 'metadata.name')
  if (others.length === 0 && field?.operator === 'In' && field.values?.length === 1) return field.values[0]
  for (const pod of pods) {
    const bound = (cluster.store.get('pods', pod) as Pod | undefined)?.spec.nodeName
    if (bound !== undefined) return bound
  }
  return [...recorder.stories.values()].find(({ key, node }) => pods.has(key) && node !== undefined)?.node
}
