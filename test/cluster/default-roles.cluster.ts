import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultRoles } from '../../src/apiserver/default-roles.ts'
import { buildParts, clusterRelease, missing, type RealCluster, startRealCluster } from './real-parts.ts'

const reason = missing(['kube-apiserver'])

interface Found {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: unknown }
  readonly rules?: readonly unknown[]
  readonly aggregationRule?: unknown
  readonly roleRef?: unknown
  readonly subjects?: unknown
}

const plurals = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']

/** A line for each rule, with its place, and for everything else that decides about access. */
type Entry = readonly string[]

/** By resource, namespace and name. The rules of an aggregated role are those of other roles. */
function entryOf(plural: string, { metadata, rules = [], aggregationRule, roleRef, subjects }: Found): [string, Entry] {
  const own = aggregationRule === undefined ? rules.map((rule, i) => `${i} ${textOf(rule)}`) : []
  const other = textOf({ labels: metadata.labels, aggregationRule, roleRef, subjects })
  return [[plural, metadata.namespace ?? '', metadata.name].join(' '), [other, ...own]]
}

const textOf = (value: unknown): string => JSON.stringify(sorted(value))

describe.skipIf(reason !== undefined)(
  `the roles of kube-apiserver v${clusterRelease.version}${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let real: RealCluster
    beforeAll(async () => {
      buildParts(['kube-apiserver'])
      real = await startRealCluster({ apiServer: { 'authorization-mode': 'RBAC' } })
    })
    afterAll(async () => {
      await real?.close()
    })

    const realEntries = (): Map<string, Entry> =>
      new Map(
        plurals.flatMap((plural) => {
          const text = real.kubectl('get', '--raw', `/apis/rbac.authorization.k8s.io/v1/${plural}`)
          return (JSON.parse(text).items as Found[]).map((one) => entryOf(plural, one))
        }),
      )

    it('berth creates the same roles and bindings', () => {
      const ours = new Map(
        defaultRoles(clusterRelease).map(({ resource, object }) =>
          entryOf(resource.split('.')[0] as string, object as unknown as Found),
        ),
      )
      const theirs = realEntries()
      const linesOf = (entries: ReadonlyMap<string, Entry>) =>
        [...entries].flatMap(([key, entry]) => entry.map((line) => `${key}: ${line}`)).sort()
      expect(linesOf(ours)).toEqual(linesOf(theirs))
    })
  },
)

/** With the fields in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}
