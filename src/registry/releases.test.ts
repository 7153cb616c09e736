import { describe, expect, it } from 'vitest'
import type { Call, Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { releaseOf, withFeatureGates } from '../api/releases/release-of.ts'
import type { Fields } from '../base/fields.ts'
import { createRandom } from '../base/random.ts'
import { must } from '../base/result.ts'
import { createStore } from '../store/memory-store.ts'
import type { Caller } from './contract.ts'
import { tableOf } from './printed/table.ts'
import { createRegistry } from './registry.ts'

const minors = ['1.34', '1.35', '1.36', '1.37'] as const
const user: Caller = { name: 'alice', groups: ['system:masters'] }

function server(release: KubernetesRelease) {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => 1_700_000_000_000 },
    random: createRandom('releases'),
    options: { release },
  })
  const call = (request: Call): Outcome => registry.call(request, user)
  call({
    verb: 'create',
    resource: 'namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
  })
  const create = (resource: string, object: Fields): Outcome =>
    call({ verb: 'create', resource, namespace: 'default', object: object as unknown as KubeObject })
  return { registry, call, create }
}

const at = (version: string, gates: Readonly<Record<string, boolean>> = {}): KubernetesRelease =>
  must(withFeatureGates(must(releaseOf(version)), new Map(Object.entries(gates))))

const stored = (outcome: Outcome): Fields => {
  if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
  return outcome.object as unknown as Fields
}
const warningsOf = (outcome: Outcome): readonly string[] =>
  'warnings' in outcome ? ((outcome.warnings ?? []) as readonly string[]) : []
const messageOf = (outcome: Outcome): string => (outcome.ok ? 'accepted' : (outcome.status.message ?? ''))

const pod = (spec: Fields = {}, metadata: Fields = {}): Fields => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})

const labels = { app: 'a' }
const statefulSet = (spec: Fields = {}): Fields => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 's' },
  spec: {
    selector: { matchLabels: labels },
    serviceName: 's',
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    ...spec,
  },
})

/** The answer in each release. */
function answers<T>(ask: (release: KubernetesRelease) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(minors.map((minor) => [minor, ask(at(minor))]))
}

it.each([
  ['1.36', []],
  ['1.37', ['me']],
])('an update with a list element without a key leaves in %s the managers %j', (version, managers) => {
  const { call } = server(at(version))
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' }, secrets: [{ name: 's' }] }
  const made = call({
    ...{ verb: 'create', resource: 'serviceaccounts', namespace: 'default', fieldManager: 'me' },
    object: account as unknown as KubeObject,
  } as Call)
  expect(made.ok).toBe(true)
  const object = { ...account, secrets: [{ name: 's' }, { namespace: 'x' }] } as unknown as KubeObject
  const updated = stored(
    call({
      verb: 'update',
      resource: 'serviceaccounts',
      namespace: 'default',
      name: 'robot',
      object,
      fieldManager: 'me',
    } as Call),
  )
  const { managedFields = [] } = updated['metadata'] as { managedFields?: readonly { manager: string }[] }
  expect(managedFields.map(({ manager }) => manager)).toEqual(managers)
})

it.each([
  ['1.36', "in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"],
  ['1.37', 'accepted'],
])('checks the status of devices of a pod as %s does', (version, expected) => {
  const { call, create } = server(at(version))
  const requests = { cpu: '1', 'example.com/gpu': '1' }
  const containers = [{ name: 'c', image: 'i', resources: { requests, limits: { 'example.com/gpu': '1' } } }]
  expect(create('pods', pod({ containers })).ok).toBe(true)
  const write = (status: Fields): string => {
    const found = stored(call({ verb: 'get', resource: 'pods', namespace: 'default', name: 'p' }))
    const object = { ...found, status: { ...(found['status'] as Fields), ...status } } as unknown as KubeObject
    return messageOf(
      call({ verb: 'update', resource: 'pods', subresource: 'status', namespace: 'default', name: 'p', object }),
    )
  }
  const mapping = { containerName: 'c', resourceName: 'example.com/gpu', requestName: 'r' }
  const claim = { requestMappings: [mapping], resourceClaimName: 'gpus' }
  const healthy = [{ resourceID: 'a', health: 'Healthy' }]
  const of = (name: string) => [
    {
      ...{ name: 'c', image: 'i', imageID: '', restartCount: 0, ready: true },
      allocatedResourcesStatus: [{ name, resources: healthy }],
    },
  ]
  expect(
    write({ extendedResourceClaimStatus: { ...claim, requestMappings: [{ ...mapping, containerName: 'x' }] } }),
  ).toContain(
    'status.extendedResourceClaimStatus.requestMappings[0].containerName: Invalid value: "x": must match the name of an entry in spec.initContainers.name or spec.containers.name',
  )
  expect(write({ containerStatuses: of('memory') })).toContain("must match one of the container's resource requests")
  expect(write({ ephemeralContainerStatuses: of('cpu') })).toContain('must not be specified in container status')
  expect(write({ extendedResourceClaimStatus: claim, containerStatuses: of('claim:gpus/r') })).toContain(expected)
  expect(write({ extendedResourceClaimStatus: claim, containerStatuses: of('cpu') })).toBe('accepted')
})

describe('kinds and fields', () => {
  it('serves MutatingAdmissionPolicy v1 since v1.36', () => {
    const served = answers((release) =>
      server(release)
        .registry.kinds.all()
        .some(({ kind }) => kind === 'MutatingAdmissionPolicy'),
    )
    expect(served).toEqual({ '1.34': false, '1.35': false, '1.36': true, '1.37': true })
  })

  it('drops a field that the release does not have, and a field whose gate is off', () => {
    const kept = answers((release) => {
      const spec = stored(server(release).create('pods', pod({ hostnameOverride: 'h', schedulingGroup: {} })))['spec']
      return Object.keys(spec as Fields).filter((field) => ['hostnameOverride', 'schedulingGroup'].includes(field))
    })
    expect(kept).toEqual({
      '1.34': [],
      '1.35': ['hostnameOverride'],
      '1.36': ['hostnameOverride'],
      '1.37': ['hostnameOverride'],
    })
  })

  it('keeps a field whose feature gate is on', () => {
    const { create } = server(at('1.34', { HostnameOverride: true }))
    expect(stored(create('pods', pod({ hostnameOverride: 'h' })))).toMatchObject({ spec: { hostnameOverride: 'h' } })
  })

  it('drops image volumes and their mounts where the gate is off', () => {
    const spec = {
      volumes: [{ name: 'v', image: { reference: 'r' } }],
      containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
    }
    const volumes = answers(
      (release) =>
        ((stored(server(release).create('pods', pod(spec)))['spec'] as Fields)['volumes'] as unknown[]).length,
    )
    expect(volumes).toEqual({ '1.34': 0, '1.35': 1, '1.36': 1, '1.37': 1 })
  })

  it('drops the restart policy of a container where the gate is off', () => {
    const spec = { containers: [{ name: 'c', image: 'i', restartPolicy: 'Never' }] }
    const policies = answers((release) => {
      const { containers } = stored(server(release).create('pods', pod(spec)))['spec'] as { containers: Fields[] }
      return containers[0]?.['restartPolicy']
    })
    expect(policies).toEqual({ '1.34': undefined, '1.35': 'Never', '1.36': 'Never', '1.37': 'Never' })
  })

  it('defaults maxUnavailable of a StatefulSet where the gate is on, by patch level', () => {
    const maxUnavailable = (version: string) => {
      const { updateStrategy } = stored(server(at(version)).create('statefulsets.apps', statefulSet()))['spec'] as {
        updateStrategy: { rollingUpdate: Fields }
      }
      return updateStrategy.rollingUpdate['maxUnavailable']
    }
    expect(['1.34', '1.35.0', '1.35.8', '1.36', '1.37'].map(maxUnavailable)).toEqual([
      undefined,
      1,
      undefined,
      undefined,
      1,
    ])
  })
})

describe('validation', () => {
  it('refuses an owner without a name, with an index since v1.37', () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: '', uid: 'u' }
    const messages = answers((release) => {
      const message = messageOf(server(release).create('pods', pod({}, { ownerReferences: [owner] })))
      return message.slice(message.indexOf('metadata'))
    })
    const before = 'metadata.ownerReferences.name: Invalid value: "": must not be empty'
    expect(messages).toEqual({
      '1.34': before,
      '1.35': before,
      '1.36': before,
      '1.37': 'metadata.ownerReferences[0].name: Required value: must not be empty',
    })
  })

  it('counts the names of labels in characters before v1.35', () => {
    const messages = answers((release) => {
      const long = { [`${'a'.repeat(64)}`]: '' }
      return messageOf(server(release).create('pods', pod({}, { labels: long }))).split('no more than ')[1]
    })
    expect(messages).toEqual({ '1.34': '63 characters', '1.35': '63 bytes', '1.36': '63 bytes', '1.37': '63 bytes' })
  })

  it('accepts lenient forms of IP addresses before v1.36', () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }], externalIPs: ['010.1.2.3'] },
    }
    const accepted = answers((release) => server(release).create('services', service).ok)
    expect(accepted).toEqual({ '1.34': true, '1.35': true, '1.36': false, '1.37': false })
  })

  it('accepts a service name that begins with a digit since v1.36', () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: '1s' }, spec: { ports: [{ port: 80 }] } }
    const accepted = answers((release) => server(release).create('services', service).ok)
    expect(accepted).toEqual({ '1.34': false, '1.35': false, '1.36': true, '1.37': true })
  })

  it('lists the operators of a toleration that it knows', () => {
    const operators = answers((release) => {
      const tolerations = [{ key: 'k', operator: 'Gt', value: '1' }]
      return messageOf(server(release).create('pods', pod({ tolerations }))).split('supported values: ')[1]
    })
    const four = '"Equal", "Exists", "Lt", "Gt"'
    expect(operators).toEqual({ '1.34': '"Equal", "Exists"', '1.35': four, '1.36': four, '1.37': four })
  })

  it('compares numbers in tolerations where the gate is set', () => {
    const { create } = server(at('1.36', { TaintTolerationComparisonOperators: true }))
    const tolerations = (value: string) => ({ tolerations: [{ key: 'k', operator: 'Gt', value }] })
    expect(create('pods', pod(tolerations('5'))).ok).toBe(true)
    expect(messageOf(create('pods', pod(tolerations('05'), { name: 'q' })))).toContain(
      'must be a valid decimal integer in canonical form',
    )
  })

  it('names each field of a StatefulSet that cannot change, since v1.37', () => {
    const update = (release: KubernetesRelease): string => {
      const { call, create } = server(release)
      const before = stored(create('statefulsets.apps', statefulSet())) as { spec: Fields }
      const object = { ...before, spec: { ...before.spec, serviceName: 'other' } } as unknown as KubeObject
      return messageOf(call({ verb: 'update', resource: 'statefulsets.apps', namespace: 'default', name: 's', object }))
    }
    expect(update(at('1.36'))).toContain('spec: Forbidden: updates to statefulset spec for fields other than')
    expect(update(at('1.37'))).toContain('spec.serviceName: Invalid value: "other": field is immutable')
  })
})

describe('validation of priority levels', () => {
  it('calls a missing type unsupported up to v1.35, and required since v1.36', () => {
    const level = {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'low' },
      spec: { type: 'Limited', limited: { limitResponse: {} } },
    }
    const resource = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io'
    const said = answers((release) => messageOf(server(release).create(resource, level)))
    const start =
      'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io "low" is invalid: spec.limited.limitResponse.type'
    const unsupported = `${start}: Unsupported value: "": supported values: "Queue", "Reject"`
    const missing = `${start}: Required value`
    expect(said).toEqual({ '1.34': unsupported, '1.35': unsupported, '1.36': missing, '1.37': missing })
  })

  it('omits details about mutually exclusive parts of a priority level since v1.37', () => {
    const limited = { limitResponse: { type: 'Reject', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } } }
    const level = {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'low' },
      spec: { type: 'Limited', limited },
    }
    const resource = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io'
    const said = answers((release) => messageOf(server(release).create(resource, level)).split('queuing: ')[1])
    const why = 'Forbidden: must be nil if limited.limitResponse.type is not Limited'
    expect(said).toEqual({ '1.34': why, '1.35': why, '1.36': why, '1.37': 'Forbidden' })
  })
})

describe('admission of a resize', () => {
  const resized = (release: KubernetesRelease, cpu: string, labels: Fields = {}): Outcome => {
    const { call, create } = server(release)
    const allocatable = { cpu: '4', memory: '8Gi' }
    create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels }, status: { allocatable } })
    const containers = (amount: string) => [
      { name: 'c', image: 'i', resources: { requests: { cpu: amount }, limits: { cpu: amount } } },
    ]
    create('pods', pod({ nodeName: 'n', containers: containers('1') }))
    const patch = { kind: 'strategic', patch: { spec: { containers: containers(cpu) } } } as never
    return call({ verb: 'patch', resource: 'pods', namespace: 'default', name: 'p', subresource: 'resize', patch })
  }

  it('refuses a resize beyond the allocatable resources of the node since v1.36', () => {
    const start = 'pods "p" is forbidden: node didn\'t have enough allocatable resources'
    const why = `${start}: cpu, requested: 5000, allocatable: 4000`
    const said = answers((release) => messageOf(resized(release, '5')))
    expect(said).toEqual({ '1.34': 'accepted', '1.35': 'accepted', '1.36': why, '1.37': why })
    expect(messageOf(resized(at('1.36'), '4'))).toBe('accepted')
    expect(resized(at('1.36'), '5')).toMatchObject({ status: { details: { causes: [{ reason: 'NodeCapacity' }] } } })
  })

  it('refuses a resize on nodes that do not run Linux since v1.36', () => {
    expect(messageOf(resized(at('1.36'), '2', { 'kubernetes.io/os': 'windows' }))).toBe(
      'pods "p" is forbidden: pod resize is only supported on linux nodes, node "n" is "windows"',
    )
  })
})

it('refuses the unsafe deletion of a readable object in v1.37, and ignores the option in earlier releases', () => {
  const unsafe = { ignoreStoreReadErrorWithClusterBreakingPotential: true }
  const deleted = (release: KubernetesRelease, options: object): Outcome => {
    const { call, create } = server(release)
    create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } })
    return call({ verb: 'delete', resource: 'configmaps', namespace: 'default', name: 'c', options })
  }
  const codes = answers((release) => (deleted(release, unsafe) as { status?: { code?: number } }).status?.code)
  expect(codes).toEqual({ '1.34': undefined, '1.35': undefined, '1.36': undefined, '1.37': 409 })
  expect(messageOf(deleted(at('1.37'), unsafe))).toContain(
    'Key: /registry/configmaps/default/c, ResourceVersion: 0, AdditionalErrorMsg: unsafe deletion is not allowed because',
  )
  expect(messageOf(deleted(at('1.37'), { ...unsafe, gracePeriodSeconds: 0 }))).toContain(
    'Invalid value: true: cannot be set together with .gracePeriodSeconds',
  )
})

describe('printed columns', () => {
  const printed = (release: KubernetesRelease, resource: string, objects: readonly Fields[], list = true) => {
    const kind = server(release).registry.kinds.find(resource)!
    const all = objects as unknown as readonly KubeObject[]
    const { columns, rows } = tableOf(kind, all, 0, list ? all : undefined)
    return { columns: columns.map(({ name }) => name), rows }
  }

  it('counts the secrets of a service account before v1.35', () => {
    const columns = answers((release) => printed(release, 'serviceaccounts', [{ metadata: { name: 'a' } }]).columns)
    const since = ['Name', 'Age']
    expect(columns).toEqual({ '1.34': ['Name', 'Secrets', 'Age'], '1.35': since, '1.36': since, '1.37': since })
  })

  it('marks the default storage class that is used, in lists since v1.37', () => {
    const storageClass = (name: string, creationTimestamp: string) => ({
      metadata: { name, creationTimestamp, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'p',
    })
    const classes = [storageClass('a', '2026-01-01T00:00:00Z'), storageClass('b', '2026-01-02T00:00:00Z')]
    const names = (version: string, list: boolean) =>
      printed(at(version), 'storageclasses.storage.k8s.io', classes, list).rows.map(([name]) => name)
    expect(names('1.36', true)).toEqual(['a (default)', 'b (default)'])
    expect(names('1.37', true)).toEqual(['a', 'b (default)'])
    expect(names('1.37', false)).toEqual(['a', 'b'])
  })

  it('shows the error of a pod whose last container completed, since v1.35', () => {
    const ended = (name: string, exitCode: number, reason: string) => ({
      name,
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode, reason } },
    })
    const failed = {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'a' }, { name: 'b' }] },
      status: { phase: 'Failed', containerStatuses: [ended('a', 0, 'Completed'), ended('b', 1, 'Error')] },
    }
    const reasons = answers((release) => printed(release, 'pods', [failed]).rows[0]?.[2])
    expect(reasons).toEqual({ '1.34': 'Completed', '1.35': 'Error', '1.36': 'Error', '1.37': 'Error' })
  })
})

describe('warnings', () => {
  it('warns about external addresses since v1.36, and about lenient addresses with the message of the release', () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }], externalIPs: ['1.2.3.4'] },
    }
    const counts = answers((release) => warningsOf(server(release).create('services', service)).length)
    expect(counts).toEqual({ '1.34': 0, '1.35': 0, '1.36': 1, '1.37': 1 })
    const lenient = { ...service, spec: { ...service.spec, externalIPs: ['010.1.2.3'] } }
    expect(warningsOf(server(at('1.35')).create('services', lenient))).toEqual([
      'spec.externalIPs[0]: non-standard IP address "010.1.2.3" will be considered invalid in a future Kubernetes release: use "10.1.2.3"',
    ])
  })
})

describe('warnings about registrations of webhooks', () => {
  const webhooks = (name: string, rule: Fields): Fields => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig: { url: 'https://example.com' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        rules: [{ operations: ['CREATE'], apiVersions: ['*'], ...rule }],
      },
    ],
  })
  const resource = 'validatingwebhookconfigurations.admissionregistration.k8s.io'
  const said = (object: Fields) => answers((release) => warningsOf(server(release).create(resource, object)))

  it('warns about webhook rules for reviews in v1.37, unless the rule has a wildcard', () => {
    const reviews = { apiGroups: ['authentication.k8s.io', 'apps'], resources: ['tokenreviews', 'deployments'] }
    const why = 'tokenreviews.authentication.k8s.io is excluded from admission webhooks; this rule will have no effect'
    const none = { '1.34': [], '1.35': [], '1.36': [], '1.37': [] }
    expect(said(webhooks('a', reviews))).toEqual({ ...none, '1.37': [`webhooks[0].rules[0]: ${why}`] })
    expect(said(webhooks('a', { ...reviews, apiGroups: ['*'] }))).toEqual(none)
  })

  it('warns about names that only manifests may use since v1.36', () => {
    const [reserved] =
      said(webhooks('a.static.k8s.io', { apiGroups: ['apps'], resources: ['deployments'] }))['1.36'] ?? []
    expect(reserved).toBe(
      'metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API',
    )
    const { '1.35': before } = said(webhooks('a.static.k8s.io', { apiGroups: ['apps'], resources: ['deployments'] }))
    expect(before).toEqual([])
  })
})

describe('declared rules', () => {
  it('reports an error of a declared rule once, without a value or a reason, since v1.37', () => {
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }],
    }
    const message = (release: KubernetesRelease): string =>
      messageOf(server(release).create('roles.rbac.authorization.k8s.io', role))
    expect(message(at('1.36'))).toMatch(/rules\[0\]\.verbs: Required value: verbs must contain at least one value$/)
    expect(message(at('1.37'))).toMatch(/rules\[0\]\.verbs: Required value$/)
    const storageClass = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 's', labels: { a: '-' } },
      provisioner: 'p',
    }
    const update = (release: KubernetesRelease): Outcome => {
      const { call } = server(release)
      const resource = 'storageclasses.storage.k8s.io'
      const created = call({ verb: 'create', resource, object: { ...storageClass, metadata: { name: 's' } } })
      const { metadata } = stored(created) as { metadata: Fields }
      const object = { ...storageClass, metadata: { ...metadata, labels: { a: '-' } }, provisioner: 'q' }
      return call({ verb: 'update', resource, name: 's', object: object as unknown as KubeObject })
    }
    const causes = (outcome: Outcome) => (outcome.ok ? [] : (outcome.status.details?.causes ?? []))
    expect(messageOf(update(at('1.36')))).toContain('provisioner: Invalid value: "q": field is immutable')
    expect(messageOf(update(at('1.37')))).toContain('provisioner: Invalid value: null: field is immutable')
    expect(causes(update(at('1.36'))).length).toBeGreaterThan(causes(update(at('1.37'))).length)
  })
})
