import { lookupTable } from '../../base/lookup-table.ts'
import { packNames } from '../../controllers/hollow-kubelet/packs.ts'
import { nodeLifecycleFlags } from '../../controllers/node-lifecycle/options.ts'
import { knownFlags } from '../../controlplane/settings.ts'
import { expectationKinds } from './expectation.ts'
import { scenarioApiVersion } from './scenario.ts'
import { stepKinds } from './step-reader.ts'
import { presetNames, timeoutOutcomes } from './upgrade-strategy.ts'

type JsonSchema = { readonly [key: string]: unknown }

const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` })

const durationText: JsonSchema = {
  type: 'string',
  description: 'Duration in the format of Go, for example 30s or 1h15m.',
  pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$|^0$',
}
const duration = ref('duration')

const targetFields = lookupTable<JsonSchema>({
  node: { type: 'string', description: 'Name of one node.' },
  nodes: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'Names of nodes.' },
  zone: { type: 'string', description: 'All nodes with this topology.kubernetes.io/zone.' },
  region: { type: 'string', description: 'All nodes with this topology.kubernetes.io/region.' },
  rack: { type: 'string', description: 'All nodes with this topology.kubernetes.io/rack.' },
  selector: { type: 'string', description: 'Label selector for nodes, as in kubectl -l.' },
})

const amount: JsonSchema = { type: ['string', 'number'], description: 'Quantity, for example 400m.' }
const usage = {
  cpu: amount,
  memory: amount,
  metrics: { type: 'object', description: 'Custom metrics by name.', additionalProperties: amount },
}
const load: JsonSchema = {
  type: 'object',
  description: 'The load of a workload, for the Horizontal Pod Autoscaler.',
  additionalProperties: false,
  properties: {
    target: { type: 'string', description: 'KIND/NAME, for example deployment/web.' },
    external: { type: 'boolean', description: 'The metrics are external, not of a workload.' },
    labels: {
      type: 'object',
      description: 'The labels of the custom or external metrics.',
      additionalProperties: { type: 'string' },
    },
    namespace: { type: 'string', description: 'Default: default.' },
    container: { type: 'string', description: 'The container that has the load. Default: the first one.' },
    shared: { type: 'boolean', description: 'Ready replicas share the load. Default: each pod has it.' },
    ...usage,
    steps: {
      type: 'array',
      items: {
        type: 'object',
        required: ['at'],
        additionalProperties: false,
        properties: { at: ref('duration'), ...usage },
      },
    },
    csv: {
      type: 'string',
      description: 'A file ending in .csv, or its text: rows of time and amounts below their names.',
    },
  },
}

function onNodes(
  description: string,
  more: Readonly<Record<string, JsonSchema>> = {},
  required: readonly string[] = [],
): JsonSchema {
  return {
    type: 'object',
    description,
    additionalProperties: false,
    properties: { ...targetFields, ...more },
    ...(required.length === 0 ? {} : { required }),
    oneOf: Object.keys(targetFields).map((name) => ({ required: [name] })),
  }
}

const target = ref('target')
const targetText: JsonSchema = {
  type: 'string',
  description: 'KIND/NAME or KIND/NAMESPACE/NAME.',
  pattern: '^[^/]+/[^/]+(/[^/]+)?$',
}

const manifest = ref('manifest')
const manifestShape: JsonSchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata'],
  properties: {
    apiVersion: { type: 'string', minLength: 1 },
    kind: { type: 'string', minLength: 1 },
    metadata: { type: 'object' },
  },
}

const objects: JsonSchema = {
  description: 'Kubernetes objects, or paths of files with objects, relative to this file.',
  oneOf: [{ type: 'string' }, manifest, { type: 'array', items: { oneOf: [{ type: 'string' }, manifest] } }],
}

const clusterAutoscaler: JsonSchema = {
  type: 'object',
  description: 'Cluster Autoscaler 1.36.',
  additionalProperties: false,
  required: ['nodeGroups'],
  properties: {
    nodeGroups: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'max'],
        properties: {
          name: { type: 'string', minLength: 1 },
          min: { type: 'integer', minimum: 0 },
          max: { type: 'integer', minimum: 0 },
          label: {
            type: 'string',
            description: 'KEY=VALUE that nodes of the group have. Default: kwok-nodegroup=NAME.',
          },
          template: { type: 'object', description: 'A Node without a name. Default: the newest node with the label.' },
          devices: {
            type: 'array',
            description:
              'ResourceSlices of a new node, without node and pool. Default: those of the nodes of the group.',
            items: {
              type: 'object',
              required: ['driver'],
              properties: {
                driver: { type: 'string' },
                devices: { type: 'array', items: { type: 'object' } },
                sharedCounters: { type: 'array', items: { type: 'object' } },
              },
            },
          },
          boot: { ...durationText, description: 'Time from the request to the Node. Default: 0s.' },
          pricePerHour: { type: 'number', minimum: 0 },
        },
      },
    },
    flags: { type: 'object', description: 'Flags of cluster-autoscaler, without dashes.' },
  },
}

const pulse = lookupTable<JsonSchema>({
  for: { ...durationText, description: 'How long it lasts. Default: until revive or recover.' },
  every: { ...durationText, description: 'Interval of repetitions.' },
  times: { type: 'integer', minimum: 1, maximum: 1000 },
})

const portion: JsonSchema = {
  description: 'A number of nodes, or a percentage of the pool.',
  oneOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^[0-9]{1,6}%?$' },
  ],
}

const karpenter: JsonSchema = {
  type: 'object',
  description: 'Karpenter v1.14. NodePools and node classes are objects of the cluster.',
  additionalProperties: false,
  properties: {
    instanceTypes: {
      type: 'array',
      description: "What the cloud offers, in the form of Karpenter's kwok provider.",
      items: { type: 'object' },
    },
    boot: {
      ...durationText,
      description: 'Time from launch to Node, for node classes other than KWOKNodeClass. Default: 45s.',
    },
    flags: { type: 'object', description: 'Flags of Karpenter, without dashes.' },
  },
}

const taint = (description: string): JsonSchema => ({ type: 'string', description })

const steps: Readonly<Record<(typeof stepKinds)[number], JsonSchema>> = {
  silence: onNodes('Stops the kubelets of these nodes: no heartbeats, no pod starts or ends.', pulse),
  revive: onNodes('Restarts the kubelets after silence.'),
  fail: onNodes('Fails the machines: as silence, but the pods start again after recover.', pulse),
  recover: onNodes('Recovers failed machines.'),
  taint: onNodes('Adds a taint.', { taint: taint('KEY=VALUE:EFFECT') }, ['taint']),
  untaint: onNodes('Removes a taint.', { taint: taint('KEY, KEY:EFFECT or KEY=VALUE:EFFECT') }, ['taint']),
  cordon: onNodes('Makes nodes unschedulable.'),
  uncordon: onNodes('Makes nodes schedulable.'),
  drain: onNodes('Cordons the nodes and evicts their pods, as kubectl drain does.', {
    oneByOne: { type: 'boolean' },
    force: { type: 'boolean' },
  }),
  upgrade: onNodes('Upgrades the nodes as a provider or a tool does, with the defaults of the preset.', {
    preset: { enum: [...presetNames] },
    maxSurge: portion,
    maxUnavailable: portion,
    drainTimeout: duration,
    onTimeout: { enum: [...timeoutOutcomes] },
    forceAfter: duration,
    blueGreen: { type: 'boolean' },
    batch: portion,
    soak: duration,
    poolSoak: duration,
    inPlace: { type: 'boolean' },
    nodeStartup: duration,
    poolLabel: { type: 'string', minLength: 1 },
  }),
  pressure: onNodes(
    'Sets the pressure conditions that the kubelets report.',
    { pressures: { type: 'array', items: { enum: ['memory', 'disk', 'pid'] } } },
    ['pressures'],
  ),
  apply: { ...objects, description: 'Creates or updates objects, as kubectl apply does.' },
  delete: {
    description: 'Deletes objects.',
    oneOf: [
      target,
      { type: 'array', items: target, minItems: 1 },
      {
        type: 'object',
        additionalProperties: false,
        properties: {
          target,
          targets: { type: 'array', items: target, minItems: 1 },
          gracePeriodSeconds: { type: 'integer', minimum: 0 },
        },
        anyOf: [{ required: ['target'] }, { required: ['targets'] }],
      },
    ],
  },
  patch: {
    type: 'object',
    additionalProperties: false,
    required: ['target', 'patch'],
    properties: { target, patch: { type: 'object' }, type: { enum: ['strategic', 'merge'] } },
  },
  scale: {
    type: 'object',
    additionalProperties: false,
    required: ['target', 'replicas'],
    properties: { target, replicas: { type: 'integer', minimum: 0 } },
  },
  restart: {
    type: 'object',
    description: 'Restarts a controller, which loses its state in memory.',
    additionalProperties: false,
    required: ['controller'],
    properties: { controller: { type: 'string', minLength: 1 } },
  },
  remove: onNodes('Deletes the Node objects, as a cloud does when it removes the machines.'),
  pause: {
    type: 'object',
    description: 'Stops a controller for a time; it keeps its state.',
    additionalProperties: false,
    required: ['controller', 'for'],
    properties: { controller: { type: 'string', minLength: 1 }, for: duration },
  },
  outage: {
    type: 'object',
    description: 'The API server does not answer. After more than 10s, controllers restart.',
    additionalProperties: false,
    required: ['for'],
    properties: { for: duration },
  },
  clock: {
    type: 'object',
    description: 'Sets the clock of the control plane forward, or back with a leading minus.',
    additionalProperties: false,
    required: ['by'],
    properties: { by: { type: 'string', minLength: 1 } },
  },
  stockOut: {
    type: 'object',
    description: 'The cloud has no machines for a node group, or of an instance type, zone or capacity type.',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      nodeGroup: { type: 'string', minLength: 1 },
      instanceType: { type: 'string', minLength: 1 },
      zone: { type: 'string', minLength: 1 },
      capacityType: { type: 'string', enum: ['on-demand', 'spot', 'reserved'] },
      for: duration,
    },
  },
  interrupt: onNodes('The cloud takes the machines back after a notice, as it does with spot capacity.', {
    notice: { ...durationText, description: 'Default: 2m.' },
  }),
}

const podFields = lookupTable<JsonSchema>({ selector: { type: 'string' }, namespace: { type: 'string' } })

const options = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  oneOf: [{ const: true }, { type: 'object', additionalProperties: false, properties }],
})

const expectations: Readonly<Record<(typeof expectationKinds)[number], JsonSchema>> = {
  noPodPending: options({ after: duration, for: duration, ...podFields }),
  workloadsAvailable: options({ for: duration, ...podFields }),
  noPodStuck: options({ for: duration, ...podFields }),
  noPodDeleted: options(podFields),
  allRunningWithin: {
    oneOf: [
      duration,
      {
        type: 'object',
        additionalProperties: false,
        required: ['within'],
        properties: { within: duration, ...podFields },
      },
    ],
  },
  maxUnavailable: {
    oneOf: [
      { type: 'integer', minimum: 0 },
      {
        type: 'object',
        additionalProperties: false,
        required: ['max'],
        properties: { max: { type: 'integer', minimum: 0 }, ...podFields },
      },
    ],
  },
  maxEvictionsPerMinute: { type: 'integer', minimum: 0 },
  pdbNeverViolated: options({ name: { type: 'string' }, namespace: { type: 'string' } }),
  settlesWithin: duration,
  drainedWithin: duration,
  minReady: {
    type: 'object',
    description: 'The workload never has fewer ready pods because of the steps.',
    additionalProperties: false,
    required: ['workload', 'count'],
    properties: {
      workload: { type: 'string', description: 'KIND/NAME, or the name alone.' },
      namespace: { type: 'string', description: 'Default: default.' },
      count: { type: 'integer', minimum: 0 },
    },
  },
  maxUnavailableTime: {
    oneOf: [
      duration,
      {
        type: 'object',
        additionalProperties: false,
        required: ['max'],
        properties: { max: duration, workload: { type: 'string' }, namespace: { type: 'string' } },
      },
    ],
  },
  noNewPending: options({}),
  noLoop: options({}),
  verdict: { enum: ['SAFE', 'DEGRADED', 'BLOCKED'], description: 'The worst verdict that is accepted.' },
}

const expectationSet = ref('expectations')
const expectationShape: JsonSchema = { type: 'object', additionalProperties: false, properties: expectations }

const flags: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(knownFlags).map(([name, { help }]) => {
    const kind = Object.hasOwn(nodeLifecycleFlags, name) ? nodeLifecycleFlags[name]?.kind : undefined
    return [name, { ...(kind === 'duration' ? durationText : {}), description: help }]
  }),
)

/** The JSON schema of scenario files; `schema/scenario.schema.json` contains this value. */
export const scenarioSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Scenario',
  description: 'A scenario for berth simulate: a cluster, steps and expectations in virtual time.',
  type: 'object',
  additionalProperties: false,
  required: ['apiVersion', 'kind', 'until'],
  $defs: { duration: durationText, target: targetText, manifest: manifestShape, expectations: expectationShape },
  properties: {
    apiVersion: { const: scenarioApiVersion },
    kind: { const: 'Scenario' },
    metadata: { type: 'object', properties: { name: { type: 'string', minLength: 1 } } },
    config: {
      type: 'object',
      description: 'Flags of kube-controller-manager and kube-scheduler.',
      additionalProperties: false,
      properties: flags,
    },
    hollow: {
      type: 'object',
      description: 'Settings of the hollow kubelets.',
      additionalProperties: false,
      properties: {
        leaseRenewInterval: duration,
        statusUpdateInterval: duration,
        pack: { enum: packNames },
        stages: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'object' }] } },
      },
    },
    autoscaling: {
      type: 'object',
      description: 'The autoscalers of the cluster. Default: none.',
      additionalProperties: false,
      properties: { clusterAutoscaler, karpenter },
    },
    load: { oneOf: [load, { type: 'array', items: load }] },
    cluster: objects,
    settle: { ...durationText, description: 'How long manifests of the cluster run before the start. Default: 0s.' },
    steps: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['at'],
        properties: { at: duration, ...steps },
        oneOf: stepKinds.map((kind) => ({ required: [kind] })),
      },
    },
    until: duration,
    expect: {
      description: 'Conditions that the whole run must meet.',
      oneOf: [expectationSet, { type: 'array', items: { oneOf: [{ enum: [...expectationKinds] }, expectationSet] } }],
    },
  },
}
