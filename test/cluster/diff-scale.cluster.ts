import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/api/objects/meta.ts'
import type { RandomStream } from '../../src/base/random.ts'
import { bare, type Case, jsonPatch, objectPath, query, slice } from './diff-case.ts'
import { unexplained } from './diff-known.ts'
import { Mutator } from './diff-mutation.ts'
import { compare, plant } from './diff-run.ts'
import { type Seed, seeds } from './diff-seeds.ts'
import { askOurs, askReal, likeBerth } from './diff-servers.ts'
import { buildParts, clusterRelease, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing(['kube-apiserver'])
const cases = Number(process.env['DIFF_CASES'] ?? 1000)
const seedNames = (process.env['DIFF_SEEDS'] ?? 'one,two').split(',')

const scalable = /^(deployments|replicasets|statefulsets|replicationcontrollers)\b/
const scaledSeeds = seeds.filter(({ resource }) => scalable.test(resource))

/** Scales of both servers as the real one shows them, by the path of their object. */
const scales = new Map<string, JsonObject>()

function scaleCase(random: RandomStream, _live: (seed: Seed) => JsonObject, from: readonly Seed[]): Case {
  const mutator = new Mutator(random)
  const seed = random.pick(from)
  const live = scales.get(objectPath(seed)) as JsonObject
  const mutated = mutator.mutate(bare(live), clusterRelease.api.types.get('autoscaling.Scale'))
  const path = `${objectPath(seed)}/scale${query(mutator)}`
  const base = { kind: 'Scale', path }
  switch (mutator.pick(['update', 'update', 'json', 'merge', 'strategic', 'apply'])) {
    case 'update': {
      const version = mutator.chance(60) ? { versionOf: objectPath(seed) } : {}
      return { ...base, verb: 'update', method: 'PUT', contentType: 'application/json', body: mutated, ...version }
    }
    case 'json': {
      const body = jsonPatch(mutator, live)
      return { ...base, verb: 'json-patch', method: 'PATCH', contentType: 'application/json-patch+json', body }
    }
    case 'apply': {
      const force = mutator.chance(60) ? '&force=true' : ''
      const applied = `${objectPath(seed)}/scale?dryRun=All&fieldManager=${mutator.pick(['diff', 'other'])}${force}`
      const contentType = 'application/apply-patch+yaml'
      return { ...base, path: applied, verb: 'apply', method: 'PATCH', contentType, body: mutated }
    }
    case 'strategic': {
      const contentType = 'application/strategic-merge-patch+json'
      return { ...base, verb: 'strategic', method: 'PATCH', contentType, body: slice(mutator, mutated) }
    }
    default: {
      const contentType = 'application/merge-patch+json'
      return { ...base, verb: 'merge-patch', method: 'PATCH', contentType, body: slice(mutator, mutated) }
    }
  }
}

describe.skipIf(reason !== undefined)(
  `scales on both API servers${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let real: RealCluster
    let client: ReturnType<typeof askReal>
    const ours = askOurs()
    beforeAll(async () => {
      buildParts(['kube-apiserver'])
      real = await startRealCluster({ apiServer: likeBerth })
      client = askReal(real.kubeconfig)
      await plant(client.ask, scaledSeeds)
      await plant(ours, scaledSeeds)
      for (const seed of scaledSeeds) {
        scales.set(objectPath(seed), (await client.ask('GET', `${objectPath(seed)}/scale`)).body)
      }
    })
    afterAll(async () => {
      client?.close()
      await real?.close()
    })

    it.each(seedNames)(
      'both API servers give the same answers to updates, patches and applies (seed %s)',
      async (seed) => {
        const report = await compare({ real: client.ask, ours, seed, cases, seeds: scaledSeeds, draw: scaleCase })
        expect(report.cases).toBe(cases)
        expect(unexplained(report)).toEqual([])
      },
    )
  },
)
