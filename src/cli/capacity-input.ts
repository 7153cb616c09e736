// Shared by the commands of `berth capacity`: the objects of the cluster, and the profile of its scheduler.
import type { KnownResource, ObjectOf } from '../api/objects/resources.ts'
import { silentLogger } from '../base/log.ts'
import { MetricRegistry } from '../base/metrics.ts'
import { profilesOf } from '../controlplane/controllers.ts'
import type { Profile } from '../scheduler/contract/contract.ts'
import type { Store } from '../store/contract.ts'
import type { ObjectSource } from '../whatif/explain/object-set.ts'
import type { FoundVersion } from '../whatif/snapshot/found-cluster.ts'
import type { Ports } from './command.ts'
import { type ConfigOptions, readConfig } from './whatif-command.ts'

export function sourceOf(store: Store): ObjectSource {
  return {
    get: (resource, key) => store.get(resource, key) as never,
    list: <R extends KnownResource>(resource: R, namespace?: string) => {
      const all = store.list(resource) as unknown as readonly ObjectOf<R>[]
      return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace)
    },
  }
}

/** The first profile of the scheduler of the cluster. */
export async function profileOf(
  options: Omit<ConfigOptions, 'config'>,
  ports: Pick<Ports, 'files' | 'cwd'>,
  kubernetes: FoundVersion,
): Promise<Profile> {
  const settings = await readConfig({ ...options, config: undefined }, ports, kubernetes)
  const [profile] = profilesOf({ settings, metrics: new MetricRegistry(), log: silentLogger })
  return profile as Profile
}
