import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { releaseOf, withFeatureGates } from '../../src/api/releases/release-of.ts'
import { must } from '../../src/base/result.ts'
import { deviceSeeds, deviceSeedsOf } from './diff-device-seeds.ts'
import { unexplained } from './diff-known.ts'
import { learnFrom } from './diff-mutation.ts'
import { compare, plant } from './diff-run.ts'
import { askOurs, askReal, likeBerth } from './diff-servers.ts'
import { buildParts, clusterRelease, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing(['kube-apiserver'])
const cases = Number(process.env['DIFF_CASES'] ?? 1500)
const seedNames = (process.env['DIFF_SEEDS'] ?? 'one,two').split(',')

// The seeds have fields of these gates, which are off before v1.36.
const added = [...must(releaseOf('1.36')).gates].filter(
  (name) =>
    name.startsWith('DRA') && Object.hasOwn(clusterRelease.featureGates, name) && !clusterRelease.gates.has(name),
)
const gatesOf: Readonly<Record<string, readonly string[]>> = {
  'the default gates': [],
  ...(added.length === 0 ? {} : { 'the gates of v1.36': added }),
}

learnFrom(deviceSeeds)

describe.skipIf(reason !== undefined).each(Object.entries(gatesOf))(
  `claims, templates, slices and classes on both API servers with %s${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  (_, gates) => {
    let real: RealCluster
    let client: ReturnType<typeof askReal>
    const release = must(withFeatureGates(clusterRelease, new Map(gates.map((name) => [name, true]))))
    const flags = gates.length === 0 ? {} : { 'feature-gates': gates.map((name) => `${name}=true`).join(',') }
    const ours = askOurs({ registryOptions: { release } })
    const seeds = deviceSeedsOf(release)
    beforeAll(async () => {
      buildParts(['kube-apiserver'])
      real = await startRealCluster({ apiServer: { ...likeBerth, ...flags } })
      client = askReal(real.kubeconfig)
      await plant(client.ask, seeds)
      await plant(ours, seeds)
    })
    afterAll(async () => {
      client?.close()
      await real?.close()
    })

    it.each(seedNames)(
      'both API servers give the same answers to creations, updates, patches and applies (seed %s)',
      async (seed) => {
        const report = await compare({ real: client.ask, ours, seed, cases, seeds })
        expect(report.cases).toBe(cases)
        expect(unexplained(report)).toEqual([])
      },
    )
  },
)
