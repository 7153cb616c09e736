// Shared by the commands of `berth capacity`: the objects of the cluster and the profile of its scheduler.
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { silentLogger } from '../base/log.ts'
import { MetricRegistry } from '../base/metrics.ts'
import { profilesOf } from '../controlplane/controllers.ts'
import type { Profile } from '../scheduler/contract/contract.ts'
import { type ObjectSource, sourceOf } from '../whatif/explain/object-set.ts'
import { type ClusterSource, readCluster } from './cluster-input.ts'
import type { CommandContext } from './command.ts'
import { type ConfigOptions, readConfig } from './whatif-command.ts'

export interface CapacityInput {
  readonly objects: ObjectSource
  /** The first profile of the scheduler of the cluster. */
  readonly profile: Profile
  readonly release: KubernetesRelease
}

export async function readCapacityInput(
  context: CommandContext<ClusterSource & Omit<ConfigOptions, 'config'>>,
): Promise<CapacityInput> {
  const { cluster, kubernetes } = await readCluster(context)
  const settings = await readConfig({ ...context.options, config: undefined }, context, kubernetes)
  const [profile] = profilesOf({ settings, metrics: new MetricRegistry(), log: silentLogger })
  return { objects: sourceOf(cluster.store), profile: profile as Profile, release: settings.release }
}
