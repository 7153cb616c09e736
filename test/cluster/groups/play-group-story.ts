import { expect } from 'vitest'
import { withFeatureGates } from '../../../src/api/releases/release-of.ts'
import { must } from '../../../src/base/result.ts'
import { buildParts, clusterRelease, startRealCluster } from '../real-parts.ts'
import { berthSideOf, realSideOf, type Told, type ToldSide } from './two-sides.ts'

export const is136 = clusterRelease.minor === '1.36'
/** The API of groups in this release. */
export const groupVersion = `scheduling.k8s.io/${is136 ? 'v1alpha2' : 'v1beta1'}`

export interface GroupStory {
  readonly steps: readonly (readonly Told[])[]
  /** The controllers of kube-controller-manager that run. */
  readonly controllers: string
  readonly gates: readonly string[]
  /** Of the API, besides that of groups. */
  readonly versions?: readonly string[]
  /** The resources that are compared. */
  readonly seen: (side: ToldSide) => unknown
}

/** Applies the same changes to the real components and to berth, and expects the same state after every step. */
export async function playGroupStory({ steps, controllers, gates, versions = [], seen }: GroupStory): Promise<void> {
  buildParts()
  const gatesFlag = gates.map((gate) => `${gate}=true`).join()
  const cluster = await startRealCluster({
    controllers,
    apiServer: {
      'feature-gates': gatesFlag,
      'runtime-config': [groupVersion, ...versions].map((version) => `${version}=true`).join(),
      'disable-admission-plugins': 'ServiceAccount',
    },
  })
  try {
    await cluster.start('kube-scheduler', ['--feature-gates', gatesFlag])
    await cluster.start('kube-controller-manager', ['--feature-gates', gatesFlag])
    const release = must(withFeatureGates(clusterRelease, new Map(gates.map((gate) => [gate, true]))))
    const sides: readonly ToldSide[] = [realSideOf(cluster), berthSideOf(release)]
    for (const [at, step] of steps.entries()) {
      for (const side of sides) {
        for (const told of step) await side.tell(told)
        await side.settle()
      }
      const [real, berth] = sides.map(seen)
      expect(berth, `step ${at}: ${JSON.stringify(step)}`).toEqual(real)
    }
  } finally {
    await cluster.close()
  }
}
