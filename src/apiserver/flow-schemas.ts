import type { FlowRule, FlowSchema, FlowSubject, PriorityLevelConfiguration } from '../api/objects/access.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import type { Store, StoreChange } from '../store/contract.ts'
import type { Attributes } from './rbac.ts'
import type { FlowLimits, MatchedFlow } from './serving/flow-control.ts'

const schemas = 'flowschemas.flowcontrol.apiserver.k8s.io'
const levels = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io'

/** The maximum number of remembered flows. */
const maxRemembered = 1000

/**
 * The flow schema and the priority level of each request, which its response names (v1.36, util/flowcontrol). Requests are
 * limited by the number in flight, not by the seats of their level.
 */
export function createFlowClassifier(store: Store): (attributes: Attributes) => MatchedFlow | undefined {
  const remembered = new Map<string, MatchedFlow | undefined>()
  let sorted: readonly (readonly [FlowSchema, MatchedFlow])[] | undefined
  const watcher = (changes: readonly StoreChange[]) => {
    if (!changes.some(({ resource }) => resource === schemas || resource === levels)) return
    sorted = undefined
    remembered.clear()
  }
  store.watch(watcher, store.durableRevision)
  return (attributes) => {
    const { caller, verb, group, plural, subresource, namespace, path } = attributes
    const key = `${caller.name}\n${caller.groups.join()}\n${verb} ${path ?? `${group}/${plural}/${subresource ?? ''}/${namespace ?? ''}`}`
    const known = remembered.get(key)
    if (known !== undefined) return known
    sorted ??= schemasInOrder(store)
    const found = sorted.find(([schema]) => matches(schema, attributes))?.[1]
    if (found !== undefined && remembered.size < maxRemembered) remembered.set(key, found)
    return found
  }
}

/** Schemas whose level exists, by precedence and name. */
function schemasInOrder(store: Store): readonly (readonly [FlowSchema, MatchedFlow])[] {
  const uids = new Map(
    (store.list(levels) as readonly PriorityLevelConfiguration[]).map(({ metadata }) => [
      metadata.name,
      metadata.uid ?? '',
    ]),
  )
  return [...(store.list(schemas) as readonly FlowSchema[])]
    .sort((a, b) => {
      const order = (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0)
      return order !== 0 ? order : a.metadata.name < b.metadata.name ? -1 : 1
    })
    .flatMap((schema) => {
      const level = uids.get(schema.spec.priorityLevelConfiguration.name)
      return level === undefined ? [] : [[schema, { schema: schema.metadata.uid ?? '', level }] as const]
    })
}

function matches({ spec }: FlowSchema, attributes: Attributes): boolean {
  return (spec.rules ?? []).some(
    (rule) => (rule.subjects ?? []).some((subject) => isSubject(subject, attributes)) && covers(rule, attributes),
  )
}

function isSubject({ user, group, serviceAccount }: FlowSubject, { caller }: Attributes): boolean {
  if (user !== undefined) return user.name === '*' || user.name === caller.name
  if (group !== undefined) return group.name === '*' || caller.groups.includes(group.name)
  if (serviceAccount === undefined) return false
  const prefix = `system:serviceaccount:${serviceAccount.namespace}:`
  if (!caller.name.startsWith(prefix)) return false
  return serviceAccount.name === '*' || caller.name === `${prefix}${serviceAccount.name}`
}

const has = (values: readonly string[] | undefined, value: string): boolean =>
  values !== undefined && (values.includes('*') || values.includes(value))

function covers({ resourceRules = [], nonResourceRules = [] }: FlowRule, attributes: Attributes): boolean {
  const { verb, path, group, plural, subresource, namespace = '' } = attributes
  if (path !== undefined) {
    return nonResourceRules.some(
      ({ verbs, nonResourceURLs }) => has(verbs, verb) && nonResourceURLs.some((url) => coversPath(url, path)),
    )
  }
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`
  return resourceRules.some(
    ({ verbs, apiGroups, resources, clusterScope, namespaces }) =>
      has(verbs, verb) &&
      has(apiGroups, group) &&
      has(resources, resource) &&
      (namespace === '' ? clusterScope === true : has(namespaces, namespace)),
  )
}

const coversPath = (url: string, path: string): boolean =>
  url === '*' || url === path || (url.endsWith('/*') && path.startsWith(url.slice(0, -1)))

/** The seats of each priority level: its part of the requests in flight, by shares. */
export function registerFlowMetrics(metrics: MetricRegistry, store: Store, limits: () => FlowLimits): void {
  const description = {
    name: 'apiserver_flowcontrol_nominal_limit_seats',
    help: 'Nominal number of execution seats configured for each priority level',
    labels: ['priority_level'],
  }
  metrics.gaugeFrom(description, () => {
    const { readsInFlight, writesInFlight } = limits()
    const all = store.list(levels) as readonly PriorityLevelConfiguration[]
    const sharesOf = ({ spec }: PriorityLevelConfiguration) =>
      spec.limited?.nominalConcurrencyShares ?? spec.exempt?.nominalConcurrencyShares ?? (spec.exempt ? 0 : 30)
    const total = all.reduce((sum, level) => sum + sharesOf(level), 0)
    return all.map((level) => ({
      labelValues: [level.metadata.name],
      value: total === 0 ? 0 : Math.ceil(((readsInFlight + writesInFlight) * sharesOf(level)) / total),
    }))
  })
}
