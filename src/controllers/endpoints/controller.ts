import type { Call } from '../../api/call.ts'
import { findCondition } from '../../api/conditions.ts'
import { matcherFromMap } from '../../api/label-selector.ts'
import { createCall, deleteCall, updateCall } from '../../api/object-calls.ts'
import { objectKey } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { EndpointSlice, Endpoints } from '../../api/objects/endpoints.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ChangeOf, Controller, EventRecord } from '../../runtime/controller.ts'
import {
  type AfterResults,
  createReconcilerController,
  itself,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
} from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { isNamespaceTerminating } from '../event-note.ts'
import { decideEndpointSlices, sliceController } from './decide-endpoint-slices.ts'
import { decideEndpoints } from './decide-endpoints.ts'
import { decideMirroredSlices, type MirrorDecision, mirroringController } from './decide-mirrored-slices.ts'
import { changesEndpoints, servicesOf, type TriggerTimes, triggerTime } from './service-pods.ts'
import { managedByLabel, type SliceChanges, serviceNameLabel } from './slice-changes.ts'
import { cpuSharesByZone, isTopologyAware } from './topology-hints.ts'

const slices = 'endpointslices.discovery.k8s.io'
const zoneLabel = 'topology.kubernetes.io/zone'
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader'
const skipMirrorLabel = 'endpointslice.kubernetes.io/skip-mirror'

/** The services whose endpoints a change of a pod can change. */
function servicesOfPod({ before, after }: ChangeOf<'pods'>, view: View): readonly string[] | undefined {
  if (view.count('services') === 0) return undefined
  if (before !== undefined && after !== undefined && !changesEndpoints(before, after)) return undefined
  const services = view.list('services', (after ?? before)?.metadata.namespace)
  if (services.length === 0) return undefined
  const present = after === undefined ? [] : servicesOf(services, after.metadata.labels)
  if (before === undefined || before.metadata.labels === after?.metadata.labels) return present
  return [...new Set([...present, ...servicesOf(services, before.metadata.labels)])]
}

/**
 * Pods on an unknown node wait for the node, because its zone is part of their endpoints. The CPU of a zone is part of
 * the hints of services.
 */
function servicesOfNode({ before, after }: ChangeOf<'nodes'>, view: View): readonly string[] | undefined {
  if (view.count('services') === 0) return undefined
  const factsOf = (node: Node | undefined) =>
    JSON.stringify([
      node?.metadata.labels?.[zoneLabel],
      node?.status?.allocatable?.['cpu'],
      findCondition(node?.status?.conditions, 'Ready')?.status,
    ])
  const hinted =
    factsOf(before) === factsOf(after)
      ? []
      : view
          .list('services')
          .filter(isTopologyAware)
          .map(({ metadata }) => objectKey(metadata.namespace, metadata.name))
  const isNew = before === undefined || before.metadata.labels?.[zoneLabel] !== after?.metadata.labels?.[zoneLabel]
  if (after === undefined || !isNew) return hinted
  const ofPods = view
    .podsOn(after.metadata.name)
    .flatMap((pod) => servicesOf(view.list('services', pod.metadata.namespace), pod.metadata.labels))
  return [...new Set([...hinted, ...ofPods])]
}

/**
 * Conflicts are not retried, because the change of the other writer wakes the key. Writes to a terminating namespace
 * are not retried either.
 */
function afterWrites(_key: string, results: readonly KeyedResult[]): AfterResults {
  const isSettled = ({ outcome }: KeyedResult) =>
    outcome.ok || isNamespaceTerminating(outcome) || outcome.status.reason === 'NotFound'
  return results.every(isSettled) ? 'done' : 'retry'
}

function podsOf(view: View, namespace: string, selector: Readonly<Record<string, string>>): readonly Pod[] {
  return view.selectedBy('pods', namespace, matcherFromMap(selector))
}

const namespaceOf = (key: string) => key.slice(0, key.indexOf('/'))

/** The Endpoints of services with a selector (v1.36, pkg/controller/endpoint). */
export function createEndpointsController(): Controller {
  const triggers = new Map<string, TriggerTimes>()
  // Endpoints without a service are deleted only if they exist at the start. Endpoints that are created later belong to
  // other writers.
  let isStarting = true
  const inner = createReconcilerController({
    name: 'endpoint-controller',
    wakes: {
      services: itself,
      pods: servicesOfPod,
      endpoints: ({ key, before, after }) =>
        after === undefined || (before === undefined && isStarting) ? key : undefined,
    },
    reconcile(key, { view, call }) {
      const service = view.get('services', key)
      const present = view.get('endpoints', key)
      if (service === undefined) {
        triggers.delete(key)
        if (present === undefined || present.metadata.annotations?.[leaderAnnotation] !== undefined) return undefined
        return { actions: [call(deleteCall('endpoints', present))] }
      }
      const selector = service.spec?.selector
      if (selector === undefined || service.spec?.type === 'ExternalName') return undefined
      const pods = podsOf(view, namespaceOf(key), selector)
      const { times, at } = triggerTime(service, pods, triggers.get(key))
      triggers.set(key, times)
      const wanted = decideEndpoints({ service, pods, present, triggeredAt: at })
      if (wanted === undefined) return undefined
      return { actions: [call((present === undefined ? createCall : updateCall)('endpoints', wanted))] }
    },
    onResults: afterWrites,
  })
  return {
    ...inner,
    step(input) {
      const output = inner.step(input)
      isStarting = false
      return output
    },
  }
}

const managedBy = (manager: string) => (slice: EndpointSlice) => slice.metadata.labels?.[managedByLabel] === manager

/** The key of the service of a slice of this manager. */
function ownerOfSlice(manager: string) {
  const isManaged = managedBy(manager)
  return ({ before, after }: { readonly before?: EndpointSlice; readonly after?: EndpointSlice }) => {
    const found = [after, before].find((slice) => slice !== undefined && isManaged(slice))
    const service = found?.metadata.labels?.[serviceNameLabel] ?? ''
    return service === '' ? undefined : `${found?.metadata.namespace}/${service}`
  }
}

function slicesOf(view: View, key: string, manager: string): readonly EndpointSlice[] {
  const namespace = namespaceOf(key)
  const selector = { [serviceNameLabel]: key.slice(namespace.length + 1), [managedByLabel]: manager }
  const found = view.selectedBy(slices, namespace, matcherFromMap(selector))
  return [...found].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}

function callsOf({ create, update, remove }: SliceChanges): readonly Call[] {
  return [
    ...create.map((slice) => createCall(slices, slice)),
    ...update.map((slice) => updateCall(slices, slice)),
    ...remove.map((slice) => deleteCall(slices, slice)),
  ]
}

function written(context: ReconcileContext, changes: SliceChanges): ReconcileResult | undefined {
  const calls = callsOf(changes)
  return calls.length === 0 ? undefined : { actions: calls.map((call) => context.call(call)) }
}

/** The EndpointSlices of services with a selector (v1.36, pkg/controller/endpointslice). */
export function createEndpointSliceController(): Controller {
  const triggers = new Map<string, TriggerTimes>()
  return createReconcilerController({
    name: 'endpoint-slice-controller',
    wakes: {
      services: itself,
      pods: servicesOfPod,
      [slices]: ownerOfSlice(sliceController),
      nodes: servicesOfNode,
    },
    reconcile(key, context) {
      const { view } = context
      const service = view.get('services', key)
      if (service === undefined) {
        triggers.delete(key)
        return undefined
      }
      const selector = service.spec?.selector
      if (selector === undefined || service.spec?.type === 'ExternalName') return undefined
      const pods = podsOf(view, namespaceOf(key), selector)
      const { times, at } = triggerTime(service, pods, triggers.get(key))
      triggers.set(key, times)
      const { changes, isIncomplete, events } = decideEndpointSlices({
        service,
        cpuShares: () => cpuSharesByZone(view.list('nodes')),
        pods,
        node: (name) => view.get('nodes', name),
        present: slicesOf(view, key, sliceController),
        triggeredAt: at,
      })
      const result = { ...written(context, changes), ...(isIncomplete ? { retry: true } : {}) }
      if (events.length === 0) return result
      const regarding = referenceTo(service, { apiVersion: 'v1', kind: 'Service' })
      return { ...result, events: events.map((event) => ({ ...event, regarding, api: 'core' })) }
    },
    onResults: afterWrites,
  })
}

/** EndpointSlices for Endpoints that users write (v1.36, pkg/controller/endpointslicemirroring). */
export function createEndpointSliceMirroring(): Controller {
  return createReconcilerController({
    name: 'endpointslice-mirroring-controller',
    wakes: { services: itself, endpoints: itself, [slices]: ownerOfSlice(mirroringController) },
    reconcile(key, context) {
      const { view } = context
      const endpoints = view.get('endpoints', key)
      const service = view.get('services', key)
      const present = slicesOf(view, key, mirroringController)
      if (endpoints === undefined || !isMirrored(endpoints) || service === undefined || hasSelector(service)) {
        return written(context, { create: [], update: [], remove: present })
      }
      const decision = decideMirroredSlices(endpoints, present)
      const result = written(context, decision.changes)
      const events = eventsOf(endpoints, decision)
      return events.length === 0 ? result : { ...result, events }
    },
    onResults: afterWrites,
  })
}

const hasSelector = ({ spec }: { readonly spec?: { readonly selector?: unknown } }) => spec?.selector !== undefined

const isMirrored = ({ metadata }: Endpoints): boolean =>
  metadata.labels?.[skipMirrorLabel] !== 'true' && metadata.annotations?.[leaderAnnotation] === undefined

function eventsOf(endpoints: Endpoints, decision: MirrorDecision): readonly EventRecord[] {
  const { invalidAddresses, skippedAddresses } = decision
  const regarding = referenceTo(endpoints, { apiVersion: 'v1', kind: 'Endpoints' })
  const event = (reason: string, message: string): EventRecord => ({
    regarding,
    type: 'Warning',
    reason,
    message,
    api: 'core',
  })
  const invalid = `Skipped ${invalidAddresses} invalid IP addresses when mirroring to EndpointSlices`
  const many = `A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. ${skippedAddresses} addresses were skipped`
  return [
    ...(invalidAddresses > 0 ? [event('InvalidIPAddress', invalid)] : []),
    ...(skippedAddresses > invalidAddresses ? [event('TooManyAddressesToMirror', many)] : []),
  ]
}
