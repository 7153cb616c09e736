// Shared by the commands of `berth capacity`: the objects of the cluster, and the profile of its scheduler.
import type { KnownResource, ObjectOf } from '../api/objects/resources.ts'
import { silentLogger } from '../base/log.ts'
import { MetricRegistry } from '../base/metrics.ts'
import { profilesOf } from '../controlplane/controllers.ts'
import { readSettings } from '../controlplane/settings.ts'
import type { Profile } from '../scheduler/contract/contract.ts'
import type { Store } from '../store/contract.ts'
import type { ObjectSource } from '../whatif/explain/object-set.ts'
import { type Ports, wrongQuestion } from './command.ts'
import { type SchedulerValues, schedulerOf } from './control-plane-options.ts'
import { type ReleaseValues, releaseFlags } from './release-options.ts'

export function sourceOf(store: Store): ObjectSource {
  return {
    get: (resource, key) => store.get(resource, key) as never,
    list: <R extends KnownResource>(resource: R, namespace?: string) => {
      const all = store.list(resource) as unknown as readonly ObjectOf<R>[]
      return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace)
    },
  }
}

interface CapacityOptions extends ReleaseValues, SchedulerValues {
  readonly behavior: 'upstream' | 'improved'
  readonly fix: readonly string[]
}

export async function profileOf(
  options: CapacityOptions,
  { files, cwd }: Pick<Ports, 'files' | 'cwd'>,
): Promise<Profile> {
  const { behavior, fix } = options
  const settings = readSettings(
    {
      ...releaseFlags(options),
      ...(behavior === 'upstream' ? {} : { behavior }),
      ...(fix.length === 0 ? {} : { fix }),
    },
    await schedulerOf(options, files, cwd),
  )
  if (!settings.ok) throw wrongQuestion(settings.message)
  const [profile] = profilesOf({ settings: settings.value, metrics: new MetricRegistry(), log: silentLogger })
  return profile as Profile
}
