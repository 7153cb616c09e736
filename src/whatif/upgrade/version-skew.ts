import { clusterVersion, compareMinors, compareVersions } from '../../api/releases/cluster-version.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { releaseOf } from '../../api/releases/release-of.ts'
import { done, failed, type Result } from '../../base/result.ts'

export interface UpgradePath {
  readonly from: KubernetesRelease
  readonly to: KubernetesRelease
  /** Set if the version of the cluster is unknown. The nearest known version is used instead. */
  readonly assumed?: string
}

/**
 * The releases of an upgrade of the control plane. Upstream's version skew policy allows patches and the next minor, and
 * no minor may be skipped.
 */
export function upgradePath(fromText: string, toText: string, allowSkip: boolean): Result<UpgradePath> {
  const to = releaseOf(toText)
  if (!to.ok) return to
  const exact = releaseOf(fromText)
  const nearest = exact.ok ? undefined : clusterVersion(fromText)
  if (!exact.ok && nearest === undefined) return exact
  const from = exact.ok ? exact : releaseOf((nearest as { readonly version: string }).version)
  if (!from.ok) return from
  const said = nearest?.instead ?? from.value.version
  if (compareVersions(to.value.version, said) < 0) {
    return failed(
      `v${to.value.version} is older than v${said}: Kubernetes does not support a downgrade of the control plane`,
    )
  }
  const next = `${said.split('.')[0]}.${Number(said.split('.')[1]) + 1}`
  if (compareMinors(to.value.minor, next) > 0 && !allowSkip) {
    return failed(
      `v${said} to v${to.value.version} skips a minor version, which Kubernetes does not support: upgrade to ${next} first, or pass --allow-skip`,
    )
  }
  const path = { from: from.value, to: to.value }
  return done(nearest?.instead === undefined ? path : { ...path, assumed: nearest.instead })
}
