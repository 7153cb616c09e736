import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { releaseOf, withFeatureGates } from '../../api/releases/release-of.ts'
import type { Fields } from '../../base/fields.ts'
import { createRandom } from '../../base/random.ts'
import { must } from '../../base/result.ts'
import { createStore } from '../../store/memory-store.ts'
import type { Caller } from '../contract.ts'
import { createRegistry } from '../registry.ts'

const minors = ['1.34', '1.35', '1.36', '1.37'] as const
const user: Caller = { name: 'alice', groups: ['system:masters'] }

/** Creates and changes one object named `a` on a server of the release. */
function server(version: string, gates: Readonly<Record<string, boolean>> = {}) {
  const release = must(withFeatureGates(must(releaseOf(version)), new Map(Object.entries(gates))))
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => 0 },
    random: createRandom('strategies'),
    options: { release },
  })
  const create = (resource: string, object: object): Outcome =>
    registry.call({ verb: 'create', resource, namespace: 'default', object: object as KubeObject }, user)
  create('namespaces', { metadata: { name: 'default' } })
  const merge = (resource: string, patch: object, subresource?: 'resize' | 'status'): Outcome =>
    registry.call(
      {
        verb: 'patch',
        resource,
        namespace: 'default',
        name: 'a',
        ...(subresource === undefined ? {} : { subresource }),
        patch: { kind: 'merge', patch: patch as never },
      },
      user,
    )
  return { create, merge, registry }
}

const objectOf = (outcome: Outcome): KubeObject & Fields => {
  if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
  return outcome.object as KubeObject & Fields
}
const generationOf = (outcome: Outcome): number | undefined => objectOf(outcome).metadata.generation

/** The answers of all releases. */
const inEach = <T>(ask: (version: string) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(minors.map((minor) => [minor, ask(minor)]))

describe('the generation of a HorizontalPodAutoscaler', () => {
  const resource = 'horizontalpodautoscalers.autoscaling'
  const autoscaler = {
    metadata: { name: 'a' },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  }
  const generations = (version: string, gates: Readonly<Record<string, boolean>> = {}) => {
    const { create, merge } = server(version, gates)
    return [
      create(resource, autoscaler),
      merge(resource, { spec: { maxReplicas: 4 } }),
      merge(resource, { metadata: { labels: { a: 'b' } } }),
    ].map(generationOf)
  }

  it('counts spec changes in the generation of a HorizontalPodAutoscaler since v1.37', () => {
    const none = [undefined, undefined, undefined]
    expect(inEach(generations)).toEqual({ '1.34': none, '1.35': none, '1.36': none, '1.37': [1, 2, 2] })
    expect(generations('1.37', { HPAGeneration: false })).toEqual(none)
  })
})

describe('the conditions of a HorizontalPodAutoscaler', () => {
  it('refuses a negative generation in conditions of a HorizontalPodAutoscaler since v1.37', () => {
    const resource = 'horizontalpodautoscalers.autoscaling'
    const spec = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } }
    const condition = { type: 'AbleToScale', status: 'True', observedGeneration: -1 }
    const answers = inEach((minor) => {
      const { create, merge } = server(minor)
      create(resource, { metadata: { name: 'a' }, spec })
      const outcome = merge(resource, { status: { conditions: [condition] } }, 'status')
      return outcome.ok ? 'ok' : outcome.status.details?.causes?.map(({ field, message }) => `${field}: ${message}`)
    })
    const why = 'Invalid value: -1: must be greater than or equal to 0'
    const refused = [`status.conditions[0].observedGeneration: ${why}`]
    expect(answers).toEqual({ '1.34': 'ok', '1.35': 'ok', '1.36': 'ok', '1.37': refused })
  })
})

describe('the Endpoints of a deleted Service', () => {
  it.each([
    ['1.34', 'gone'],
    ['1.36', 'gone'],
    ['1.37', 'left to the controller'],
  ])('Endpoints of a deleted Service in v%s are %s', (version, expected) => {
    const { create, registry } = server(version)
    create('services', { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } })
    create('endpoints', { metadata: { name: 'a' } })
    const place = { namespace: 'default', name: 'a' }
    expect(registry.call({ verb: 'delete', resource: 'services', ...place })).toMatchObject({ ok: true })
    const left = registry.call({ verb: 'get', resource: 'endpoints', ...place }).ok
    expect(left ? 'left to the controller' : 'gone').toBe(expected)
  })
})

describe('the reserved label in the selector of a PodDisruptionBudget', () => {
  const resource = 'poddisruptionbudgets.policy'
  const label = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'
  const budget = (selector: object) => ({ metadata: { name: 'a' }, spec: { minAvailable: 1, selector } })
  const selectorOf = (outcome: Outcome): unknown => (objectOf(outcome)['spec'] as Fields)['selector']
  const web = { key: 'app', operator: 'In', values: ['web'] }

  it.each(minors)(
    'keeps the reserved label of a PodDisruptionBudget alone, and removes it beside other requirements in v%s',
    (minor) => {
      for (const operator of ['Exists', 'DoesNotExist']) {
        const alone = { matchExpressions: [{ key: label, operator }] }
        expect(selectorOf(server(minor).create(resource, budget(alone)))).toEqual(alone)
        const both = { matchLabels: { tier: 'a' }, matchExpressions: [{ key: label, operator }, web] }
        const kept = { matchLabels: { tier: 'a' }, matchExpressions: [web] }
        expect(selectorOf(server(minor).create(resource, budget(both)))).toEqual(kept)
      }
      const only = { matchLabels: { tier: 'a' }, matchExpressions: [{ key: label, operator: 'Exists' }] }
      expect(selectorOf(server(minor).create(resource, budget(only)))).toEqual({ matchLabels: { tier: 'a' } })
    },
  )

  it('counts the reserved label of a PodDisruptionBudget as a change only since v1.37, where the strategy removes it', () => {
    const generations = inEach((minor) => {
      const { create, merge } = server(minor)
      create(resource, budget({ matchExpressions: [web] }))
      const matchExpressions = [web, { key: label, operator: 'Exists' }]
      const outcome = merge(resource, { spec: { selector: { matchExpressions } } })
      expect(selectorOf(outcome)).toEqual({ matchExpressions: [web] })
      return generationOf(outcome)
    })
    expect(generations).toEqual({ '1.34': 1, '1.35': 1, '1.36': 1, '1.37': 2 })
  })
})

describe('names of registrations that only manifests of the API server may have', () => {
  const why =
    'names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API'
  const resource = 'validatingwebhookconfigurations.admissionregistration.k8s.io'
  const answer = (version: string, gates: Readonly<Record<string, boolean>> = {}): string => {
    const outcome = server(version, gates).create(resource, { metadata: { name: 'a.static.k8s.io' }, webhooks: [] })
    if (!outcome.ok) return outcome.status.message ?? ''
    return ('warnings' in outcome ? (outcome.warnings ?? []) : []).join()
  }

  it('refuses reserved names of registrations where manifests of the API server are enabled, by default in v1.37', () => {
    expect(inEach(answer)).toEqual({
      '1.34': '',
      '1.35': '',
      '1.36': `metadata.name: ${why}`,
      '1.37': expect.stringContaining(`metadata.name: Invalid value: "a.static.k8s.io": ${why}`),
    })
    expect(answer('1.36', { ManifestBasedAdmissionControlConfig: true })).toContain('Invalid value')
    expect(answer('1.37', { ManifestBasedAdmissionControlConfig: false })).toBe(`metadata.name: ${why}`)
  })
})

describe('annotations from before init containers were fields', () => {
  it.each(minors)('removes the annotations for init containers from the templates of workloads in v%s', (minor) => {
    const annotations = { 'pod.beta.kubernetes.io/init-containers': '[]', kept: 'yes' }
    const template = {
      metadata: { labels: { a: 'b' }, annotations },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    }
    const spec = { selector: { matchLabels: { a: 'b' } }, template }
    const made = objectOf(server(minor).create('deployments.apps', { metadata: { name: 'a' }, spec }))
    expect(made).toMatchObject({ spec: { template: { metadata: { annotations: { kept: 'yes' } } } } })
    expect(JSON.stringify(made['spec'])).not.toContain('init-containers')
  })
})

describe('resources of a pod', () => {
  const container = { name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }
  const pod = (cpu: string) => ({
    metadata: { name: 'a' },
    spec: { resources: { requests: { cpu } }, containers: [container] },
  })
  const cpuOf = (outcome: Outcome): string =>
    outcome.ok ? JSON.stringify((objectOf(outcome)['spec'] as Fields)['resources']) : 'refused'

  it('changes the resources of a pod by a resize since v1.36, and in earlier releases with the gate', () => {
    const resized = (version: string, gates: Readonly<Record<string, boolean>> = {}): string => {
      const { create, merge } = server(version, gates)
      objectOf(create('pods', pod('2')))
      const outcome = merge('pods', { spec: { resources: { requests: { cpu: '3' } } } }, 'resize')
      return outcome.ok ? cpuOf(outcome) : (outcome.status.message ?? '')
    }
    const three = '{"requests":{"cpu":"3"}}'
    expect(inEach(resized)).toEqual({
      '1.34': expect.stringContaining('pods with pod-level resources cannot be resized'),
      '1.35': expect.stringContaining('resize of pods with pod-level resources is forbidden when'),
      '1.36': three,
      '1.37': three,
    })
    expect(resized('1.35', { InPlacePodLevelResourcesVerticalScaling: true, NodeDeclaredFeatures: true })).toBe(three)
  })

  it('resizes init containers that are not sidecars since v1.36', () => {
    const resized = (version: string, gates: Readonly<Record<string, boolean>> = {}): string => {
      const { create, merge } = server(version, gates)
      const init = (cpu: string) => [{ name: 'init', image: 'i', resources: { requests: { cpu } } }]
      const containers = [container]
      objectOf(create('pods', { metadata: { name: 'a' }, spec: { initContainers: init('1'), containers } }))
      const outcome = merge('pods', { spec: { initContainers: init('2') } }, 'resize')
      return outcome.ok ? 'accepted' : (outcome.status.message ?? '')
    }
    const refused = expect.stringContaining('spec: Forbidden: resources for non-sidecar init containers are immutable')
    expect(inEach(resized)).toEqual({ '1.34': refused, '1.35': refused, '1.36': 'accepted', '1.37': 'accepted' })
    expect(resized('1.36', { InPlacePodVerticalScalingInitContainers: false })).toEqual(refused)
  })

  it('computes the QoS class of a pod with empty resources from its containers since v1.37', () => {
    const classOf = (version: string, gates: Readonly<Record<string, boolean>> = {}): unknown => {
      const spec = { resources: {}, containers: [container] }
      const made = objectOf(server(version, gates).create('pods', { metadata: { name: 'a' }, spec }))
      return (made['status'] as Fields)['qosClass']
    }
    const none = 'BestEffort'
    expect(inEach(classOf)).toEqual({ '1.34': none, '1.35': none, '1.36': none, '1.37': 'Burstable' })
    expect(classOf('1.37', { PodLevelResourcesFixKubeletQOSClass: false })).toBe(none)
  })

  it('keeps the resources of a pod if a client does not send them, since v1.37', () => {
    const sent = (version: string): string => {
      const { create, merge } = server(version)
      objectOf(create('pods', pod('2')))
      return cpuOf(merge('pods', { metadata: { labels: { a: 'b' } }, spec: { resources: null } }))
    }
    expect(inEach(sent)).toEqual({
      '1.34': 'refused',
      '1.35': 'refused',
      '1.36': 'refused',
      '1.37': '{"requests":{"cpu":"2"}}',
    })
  })
})
