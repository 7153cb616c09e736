import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'
import { clusterRelease, missing, type RealCluster, startRealCluster } from './real-parts.ts'
import { askerOf } from './two-servers.ts'

const reason = missing(['kube-apiserver'])

type Json = Readonly<Record<string, unknown>>

/** Types that only operations refer to; of operations, berth publishes what kubectl reads. */
const ofOperations = new RegExp(
  String.raw`meta\.v1\.(API\w+|DeleteOptions|GroupVersionForDiscovery|Patch|Preconditions|ServerAddressByClientCIDR|Status\w*|WatchEvent)$` +
    String.raw`|authentication\.v1\.(BoundObjectReference|TokenRequest\w*)$|autoscaling\.v1\.Scale\w*$|policy\.v1\.Eviction$|version\.Info$`,
)
/** `+listType` on bytes, which a list type does not describe. */
const knownPlaces = ['APIServiceSpec.properties.caBundle.x-kubernetes-list-type']

/** A schema without descriptions, with its members in order. A reference with and without `allOf` around it is the same. */
function comparable(schema: unknown, isProperties = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => comparable(one))
  if (typeof schema !== 'object' || schema === null) return schema
  const { allOf, ...rest } = schema as { readonly allOf?: readonly Json[] }
  const whole: Json = !isProperties && allOf?.length === 1 ? { ...allOf[0], ...rest } : (schema as Json)
  return Object.fromEntries(
    Object.entries(whole)
      .filter(([name]) => isProperties || name !== 'description')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, comparable(inner, name === 'properties' && !isProperties)]),
  )
}

/** Every place at which two values differ. */
function differences(real: unknown, ours: unknown, place: string): readonly string[] {
  if (JSON.stringify(real) === JSON.stringify(ours)) return []
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(real) || !isObject(ours))
    return [`${place}: ${JSON.stringify(real)} on kube-apiserver, ${JSON.stringify(ours)} on berth`]
  const [one, other] = [real as Json, ours as Json]
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((name) =>
    differences(one[name], other[name], `${place}.${name}`),
  )
}

async function schemasOf(kubeconfig: string): Promise<Json> {
  const ask = askerOf(kubeconfig)
  const { paths } = (await ask('GET', '/openapi/v3')).body as {
    readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>
  }
  const found: Record<string, unknown> = {}
  for (const { serverRelativeURL } of Object.values(paths)) {
    const { components } = (await ask('GET', serverRelativeURL)).body
    for (const [name, schema] of Object.entries((components?.schemas ?? {}) as Json)) found[name] = comparable(schema)
  }
  ask.close()
  return found
}

describe.skipIf(reason !== undefined)(
  `OpenAPI v3 of berth and of kube-apiserver v${clusterRelease.version}${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let real: RealCluster
    let berth: ApiProcess
    beforeAll(async () => {
      real = await startRealCluster()
      berth = await startApiProcess({
        host: '127.0.0.1',
        port: 0,
        clock: new RealClock(),
        log: silentLogger,
        release: clusterRelease,
      })
    })
    afterAll(async () => {
      await berth?.close()
      await real?.close()
    })

    it('the schemas of all types are equal: fields, enums, defaults, formats and extensions', async () => {
      const upstream = await schemasOf(real.kubeconfig)
      const ours = await schemasOf(berth.kubeconfig)
      expect(Object.keys(upstream).length).toBeGreaterThan(500)
      expect(Object.keys(ours).filter((name) => !(name in upstream))).toEqual([])
      expect(Object.keys(upstream).filter((name) => !(name in ours) && !ofOperations.test(name))).toEqual([])
      const found = Object.keys(ours).flatMap((name) => differences(upstream[name], ours[name], name))
      expect(found.filter((place) => !knownPlaces.some((known) => place.includes(known)))).toEqual([])
    })
  },
)
