// Shared by the commands of `berth capacity`: the profile of the scheduler of the cluster.
import { silentLogger } from '../base/log.ts'
import { MetricRegistry } from '../base/metrics.ts'
import { profilesOf } from '../controlplane/controllers.ts'
import type { Profile } from '../scheduler/contract/contract.ts'
import type { FoundVersion } from '../whatif/snapshot/found-cluster.ts'
import type { Ports } from './command.ts'
import { type ConfigOptions, readConfig } from './whatif-command.ts'

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
