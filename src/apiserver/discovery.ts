import { createHash } from 'node:crypto'
import { compareVersions } from '../registry/custom/version-order.ts'
import type { Kind, KindTable } from '../registry/kinds/kind.ts'
import { aggregatedVersion, type RemoteGroupVersion } from './aggregation/remote-discovery.ts'
import type { ApiRequest, FullResponse } from './exchange.ts'
import { indentedJson, json, methodNotAllowed, text } from './exchange.ts'
import { parseRoute, type Route } from './route.ts'

interface ApiGroup {
  readonly name: string
  readonly versions: readonly string[]
}

/** Ordered by the priorities of upstream's APIServices (kube-aggregator, apiVersionPriorities). */
const groupOrder: ReadonlyMap<string, number> = new Map(
  [
    '',
    'apiregistration.k8s.io',
    'apps',
    'events.k8s.io',
    'authentication.k8s.io',
    'authorization.k8s.io',
    'autoscaling',
    'batch',
    'certificates.k8s.io',
    'networking.k8s.io',
    'policy',
    'rbac.authorization.k8s.io',
    'storage.k8s.io',
    'admissionregistration.k8s.io',
    'apiextensions.k8s.io',
    'scheduling.k8s.io',
    'coordination.k8s.io',
    'node.k8s.io',
    'discovery.k8s.io',
    'resource.k8s.io',
    'flowcontrol.apiserver.k8s.io',
  ].map((name, index) => [name, index]),
)

/**
 * Groups in the order that kubectl prefers: core, built-in groups, then custom groups. The first version is the
 * preferred one.
 */
function groupsOf(kinds: readonly Kind[]): readonly ApiGroup[] {
  const groups = new Map<string, Set<string>>()
  for (const kind of kinds) {
    const versions = groups.get(kind.group) ?? new Set()
    groups.set(kind.group, versions.add(kind.version))
  }
  const place = (name: string) => (groupOrder.has(name) ? (groupOrder.get(name) as number) : groupOrder.size)
  const sorted = [...groups].sort(([a], [b]) => place(a) - place(b))
  return sorted.map(([name, versions]) => ({
    name,
    versions: [...versions].sort((a, b) => compareVersions(b, a)),
  }))
}

interface Served {
  readonly all: readonly Kind[]
  /** The APIs of other servers. */
  readonly remote: readonly RemoteGroupVersion[]
}

const none: readonly RemoteGroupVersion[] = []

/** The groups of this server, then the groups of other servers. */
function withRemote(own: readonly ApiGroup[], remote: readonly RemoteGroupVersion[]): readonly ApiGroup[] {
  if (remote.length === 0) return own
  const groups = new Map(own.map(({ name, versions }) => [name, [...versions]]))
  for (const { group, version } of remote) {
    const versions = groups.get(group) ?? []
    if (!versions.includes(version)) versions.push(version)
    groups.set(group, versions)
  }
  return [...groups].map(([name, versions]) => ({ name, versions }))
}

/** Discovery for kubectl and client-go, legacy and aggregated (apidiscovery.k8s.io). */
export function createDiscovery(
  kinds: KindTable,
  serverAddress: () => string,
  remote: () => readonly RemoteGroupVersion[] = () => none,
): (request: ApiRequest) => FullResponse | undefined {
  return (request) => {
    const route = parseRoute(request.method, request.path, request.query)
    if (route.kind !== 'discovery') return undefined
    const all = kinds.all()
    const answer = answerOf(request, route, { all, remote: remote() }, serverAddress)
    // Upstream ignores the method when it lists groups.
    const isGroupList = route.root === 'apis' && route.version === undefined
    return request.method === 'GET' || isGroupList || answer.code !== 200 ? answer : json(405, methodNotAllowed.status)
  }
}

function answerOf(
  request: ApiRequest,
  route: Extract<Route, { kind: 'discovery' }>,
  { all, remote }: Served,
  serverAddress: () => string,
): FullResponse {
  const accept = request.headers['accept'] ?? ''
  if (route.version !== undefined) return resourceList(all, route.group ?? '', route.version)
  if (route.group !== undefined) {
    const group = withRemote(groupsOf(all), remote).find(({ name }) => name === route.group)
    return group === undefined
      ? text(404, '404 page not found\n')
      : json(200, { kind: 'APIGroup', apiVersion: 'v1', ...legacyGroup(group) })
  }
  const wanted =
    route.root === 'api' ? all.filter(({ group }) => group === '') : all.filter(({ group }) => group !== '')
  const aggregated = /as=APIGroupDiscoveryList/.test(accept) ? /v=(v2(?:beta1)?)\b/.exec(accept)?.[1] : undefined
  const elsewhere = route.root === 'api' ? none : remote
  if (aggregated !== undefined) return aggregatedDiscovery(wanted, elsewhere, aggregated)
  if (route.root === 'api') {
    return json(200, {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: serverAddress() }],
    })
  }
  const groups = withRemote(groupsOf(wanted), elsewhere).map(legacyGroup)
  return json(200, { kind: 'APIGroupList', apiVersion: 'v1', groups })
}

const servedPaths = ['/healthz', '/livez', '/metrics', '/openapi/v2', '/openapi/v3', '/readyz', '/version']

/** `/`: the list of paths. */
export function createRootPaths(
  kinds: KindTable,
  checks: readonly string[],
): (request: ApiRequest) => FullResponse | undefined {
  return ({ path }) => {
    if (path !== '/' && path !== '') return undefined
    const groups = groupsOf(kinds.all()).flatMap(({ name, versions }) =>
      name === '' ? [] : [`/apis/${name}`, ...versions.map((version) => `/apis/${name}/${version}`)],
    )
    const health = ['/healthz', '/livez', '/readyz'].flatMap((root) => checks.map((name) => `${root}/${name}`))
    const documents = groupsOf(kinds.all()).flatMap(({ name, versions }) =>
      versions.map((version) => `/openapi/v3/${name === '' ? 'api' : `apis/${name}`}/${version}`),
    )
    const paths = ['/api', '/api/v1', '/apis', '/apis/', ...groups, ...servedPaths, ...health, ...documents]
    return indentedJson({ paths: paths.sort() })
  }
}

function legacyGroup({ name, versions }: ApiGroup) {
  const listed = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions: listed, preferredVersion: listed[0] }
}

function resourceList(all: readonly Kind[], group: string, version: string): FullResponse {
  const kinds = all.filter((kind) => kind.group === group && kind.version === version)
  if (kinds.length === 0) return text(404, '404 page not found\n')
  const resources = kinds.flatMap((kind) => [
    {
      name: kind.plural,
      singularName: kind.singular,
      namespaced: kind.namespaced,
      kind: kind.kind,
      verbs: kind.verbs,
      ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
      ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
      ...(kind.verbs.includes('watch') ? { storageVersionHash: storageVersionHash(kind) } : {}),
    },
    ...kind.subresources.map((sub) => ({
      name: `${kind.plural}/${sub.name}`,
      singularName: '',
      namespaced: kind.namespaced,
      ...(sub.group === undefined ? {} : { group: sub.group, version: sub.version }),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ])
  return json(200, {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources,
  })
}

function aggregatedDiscovery(
  kinds: readonly Kind[],
  remote: readonly RemoteGroupVersion[],
  version: string,
): FullResponse {
  const items = withRemote(groupsOf(kinds), remote).map(({ name, versions }) => ({
    metadata: { ...(name === '' ? {} : { name }), creationTimestamp: null },
    versions: versions.map((each) => {
      const own = kinds.filter((kind) => kind.group === name && kind.version === each)
      const other = remote.find((one) => one.group === name && one.version === each)
      if (own.length === 0 && other !== undefined) return aggregatedVersion(other)
      return { version: each, resources: own.map(aggregatedResource), freshness: 'Current' }
    }),
  }))
  const body = { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items }
  return json(200, body, {
    'content-type': `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
  })
}

function aggregatedResource(kind: Kind) {
  return {
    resource: kind.plural,
    responseKind: { group: kind.group, version: kind.version, kind: kind.kind },
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: kind.verbs,
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(kind.subresources.length === 0
      ? {}
      : {
          subresources: kind.subresources.map((sub) => ({
            subresource: sub.name,
            responseKind: { group: sub.group ?? kind.group, version: sub.version ?? kind.version, kind: sub.kind },
            verbs: sub.verbs,
          })),
        }),
  }
}

/**
 * Identifies the form in which an object is stored (apiserver, endpoints/discovery, StorageVersionHash). Events exist
 * in two groups and are stored as core events; definitions are stored in their first version.
 */
function storageVersionHash({ group, version, kind, storage, custom }: Kind): string {
  const storedGroup = storage.includes('.') ? group : ''
  const storedVersion = kind === 'CustomResourceDefinition' ? 'v1beta1' : (custom?.storageVersion ?? version)
  const stored = `${storedGroup}/${storedVersion}/${kind}`
  return createHash('sha256').update(stored).digest().subarray(0, 8).toString('base64')
}
