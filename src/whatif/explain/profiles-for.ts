import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { silentLogger } from '../../base/log.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import { profilesOf } from '../../controlplane/controllers.ts'
import type { Settings } from '../../controlplane/settings.ts'
import type { Profile } from '../../scheduler/contract/contract.ts'
import { assumeGates } from '../run/assumed-gates.ts'
import type { ObjectSource } from './object-set.ts'

/** The profiles of the scheduler of a cluster. As in forecasts, the gates that its objects need are enabled. */
export function profilesFor(
  given: Settings,
  objects: ObjectSource,
): { readonly profiles: readonly Profile[]; readonly release: KubernetesRelease } {
  const { settings } = assumeGates(given, (resource) => objects.list(resource as never))
  const profiles = profilesOf({ settings, metrics: new MetricRegistry(), log: silentLogger })
  return { profiles, release: settings.release }
}
