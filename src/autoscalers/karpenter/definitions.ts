import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import { kwokGroup } from './names.ts'

// The CustomResourceDefinitions of Karpenter v1.14 with their defaults and rules.

const text: JsonObject = { type: 'string' }
const texts: JsonObject = { type: 'object', additionalProperties: text }
const quantity: JsonObject = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  'x-kubernetes-int-or-string': true,
}
const quantities: JsonObject = { type: 'object', additionalProperties: quantity }
const anything: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

const rule = (rule: string, message: string): JsonObject => ({ rule, message })
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })

const duration = (more: JsonObject = {}): JsonObject => ({ type: 'string', pattern: '^([0-9]+(s|m|h))+$', ...more })
const durationOrNever = (more: JsonObject = {}): JsonObject => ({
  type: 'string',
  pattern: '^(([0-9]+(s|m|h))+|Never)$',
  ...more,
})

const labelKey =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$'
const labelValue: JsonObject = {
  type: 'string',
  maxLength: 63,
  pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$',
}

const ownLabels = '["karpenter.sh/capacity-type", "karpenter.sh/nodepool"]'
const ownDomain = (name: string): string =>
  `${name} in ${ownLabels} || !${name}.find("^([^/]+)").endsWith("karpenter.sh")`
const domainMessage = 'label domain "karpenter.sh" is restricted'
const restrictedMessage = (key: string): string => `label "${key}" is restricted`
const hostname = 'kubernetes.io/hostname'
const nodePool = 'karpenter.sh/nodepool'

/** The labels that a requirement must not have. `more`: also the label of the pool. */
const keyRules = (more: readonly string[]): readonly JsonObject[] => [
  rule(ownDomain('self'), domainMessage),
  ...[...more, hostname].map((key) => rule(`self != "${key}"`, restrictedMessage(key))),
]

const templateLabels: JsonObject = {
  type: 'object',
  maxProperties: 100,
  additionalProperties: labelValue,
  'x-kubernetes-validations': [
    rule(`self.all(x, ${ownDomain('x')})`, domainMessage),
    ...[nodePool, hostname].map((key) => rule(`self.all(x, x != "${key}")`, restrictedMessage(key))),
  ],
}

const taints = list({
  type: 'object',
  required: ['effect', 'key'],
  properties: {
    key: { type: 'string', minLength: 1, pattern: labelKey },
    value: { type: 'string', pattern: labelKey },
    effect: { type: 'string', enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] },
    timeAdded: { type: 'string', format: 'date-time' },
  },
})

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte']
const hasValues = (operator: string): JsonObject =>
  rule(
    `self.all(x, x.operator == '${operator}' ? x.values.size() != 0 : true)`,
    `requirements with operator '${operator}' must have a value defined`,
  )
const isNumber = (message: string): JsonObject =>
  rule(
    "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt' || x.operator == 'Gte' || x.operator == 'Lte') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)",
    message,
  )

const requirementsOf = (rulesOfKey: readonly JsonObject[]): JsonObject =>
  list(
    {
      type: 'object',
      required: ['key', 'operator'],
      properties: {
        key: { type: 'string', maxLength: 316, pattern: labelKey, 'x-kubernetes-validations': rulesOfKey },
        operator: { type: 'string', enum: operators },
        values: list(labelValue, { 'x-kubernetes-list-type': 'atomic' }),
        minValues: { type: 'integer', minimum: 1, maximum: 50 },
      },
    },
    {
      maxItems: 100,
      'x-kubernetes-validations': [
        hasValues('In'),
        isNumber("requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single positive integer value"),
        rule(
          "self.all(x, (x.operator == 'In' && has(x.minValues)) ? x.values.size() >= x.minValues : true)",
          "requirements with 'minValues' must have at least that many values specified in the 'values' field",
        ),
      ],
    },
  )

const overlayRequirements: JsonObject = list(
  {
    type: 'object',
    required: ['key', 'operator'],
    properties: {
      key: { type: 'string', maxLength: 316, pattern: labelKey, 'x-kubernetes-validations': keyRules([]) },
      operator: { type: 'string', enum: operators },
      values: list(labelValue, { 'x-kubernetes-list-type': 'atomic' }),
    },
  },
  {
    maxItems: 100,
    'x-kubernetes-list-type': 'atomic',
    'x-kubernetes-validations': [
      hasValues('NotIn'),
      hasValues('In'),
      isNumber("requirements operator 'Gt', 'Lt', 'Gte' or 'Lte' must have a single positive integer value"),
    ],
  },
)

const filled = (name: string, more: JsonObject = {}): JsonObject => ({
  type: 'string',
  ...more,
  'x-kubernetes-validations': [rule("self != ''", `${name} may not be empty`)],
})

const nodeClassRef: JsonObject = {
  type: 'object',
  required: ['group', 'kind', 'name'],
  properties: { group: filled('group', { pattern: '^[^/]*$' }), kind: filled('kind'), name: filled('name') },
}

const claimSpec: JsonObject = {
  type: 'object',
  required: ['nodeClassRef', 'requirements'],
  properties: {
    taints,
    startupTaints: taints,
    requirements: requirementsOf(keyRules([nodePool])),
    nodeClassRef: {
      ...nodeClassRef,
      'x-kubernetes-validations': [
        rule('self.group == oldSelf.group', 'nodeClassRef.group is immutable'),
        rule('self.kind == oldSelf.kind', 'nodeClassRef.kind is immutable'),
      ],
    },
    terminationGracePeriod: duration(),
    expireAfter: durationOrNever({ default: '720h' }),
  },
}

const budgets = list(
  {
    type: 'object',
    required: ['nodes'],
    properties: {
      reasons: list({ type: 'string', enum: ['Underutilized', 'Empty', 'Drifted'] }, { maxItems: 50 }),
      nodes: { type: 'string', default: '10%', pattern: '^((100|[0-9]{1,2})%|[0-9]+)$' },
      schedule: {
        type: 'string',
        pattern: '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$',
      },
      duration: { type: 'string', pattern: '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$' },
    },
  },
  {
    maxItems: 50,
    default: [{ nodes: '10%' }],
    'x-kubernetes-validations': [
      rule('self.all(x, has(x.schedule) == has(x.duration))', "'schedule' must be set with 'duration'"),
    ],
  },
)

const poolSpec: JsonObject = {
  type: 'object',
  required: ['template'],
  'x-kubernetes-validations': [
    rule(
      'has(self.replicas) == has(oldSelf.replicas)',
      'Cannot transition NodePool between static (replicas set) and dynamic (replicas unset) provisioning modes',
    ),
    rule(
      "!has(self.replicas) || (!has(self.limits) || size(self.limits) == 0 || (size(self.limits) == 1 && 'nodes' in self.limits))",
      "only 'limits.nodes' is supported on static NodePools",
    ),
    rule('!has(self.replicas) || !has(self.weight)', "'weight' is not supported on static NodePools"),
  ],
  properties: {
    template: {
      type: 'object',
      required: ['spec'],
      properties: {
        metadata: { type: 'object', properties: { labels: templateLabels, annotations: texts } },
        spec: claimSpec,
      },
    },
    disruption: {
      type: 'object',
      default: { consolidateAfter: '0s' },
      required: ['consolidateAfter'],
      properties: {
        consolidateAfter: durationOrNever(),
        consolidationPolicy: {
          type: 'string',
          default: 'WhenEmptyOrUnderutilized',
          enum: ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'],
        },
        budgets,
      },
    },
    limits: quantities,
    weight: { type: 'integer', format: 'int32', minimum: 1, maximum: 100 },
    replicas: { type: 'integer', format: 'int64', minimum: 0 },
  },
}

const nodeClaimSpec: JsonObject = {
  ...claimSpec,
  'x-kubernetes-validations': [rule('self == oldSelf', 'spec is immutable')],
  properties: {
    ...(claimSpec['properties'] as JsonObject),
    requirements: requirementsOf(keyRules([])),
    nodeClassRef,
    resources: { type: 'object', properties: { requests: quantities } },
  },
}

const overlaySpec: JsonObject = {
  type: 'object',
  required: ['requirements'],
  'x-kubernetes-validations': [
    rule('!has(self.price) || !has(self.priceAdjustment)', "cannot set both 'price' and 'priceAdjustment'"),
  ],
  properties: {
    requirements: overlayRequirements,
    price: { type: 'string', pattern: '^\\d+(\\.\\d+)?$' },
    priceAdjustment: {
      type: 'string',
      pattern: '^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|(-100%))$',
    },
    capacity: {
      ...quantities,
      'x-kubernetes-validations': [
        rule("self.all(x, !(x in ['cpu', 'memory', 'ephemeral-storage', 'pods']))", 'invalid resource restricted'),
      ],
    },
    weight: { type: 'integer', format: 'int32', minimum: 1, maximum: 10000 },
  },
}

const nodeClassSpec: JsonObject = { type: 'object', properties: { nodeRegistrationDelay: duration() } }

const column = (name: string, type: string, jsonPath: string, more: JsonObject = {}): JsonObject => ({
  name,
  type,
  jsonPath,
  ...more,
})
const wide: JsonObject = { priority: 1 }
const ready = column('Ready', 'string', '.status.conditions[?(@.type=="Ready")].status')
const age = column('Age', 'date', '.metadata.creationTimestamp')

interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly spec: JsonObject
  readonly columns: readonly JsonObject[]
  readonly shortNames?: readonly string[]
}

function definition({ group, version, kind, spec, columns, shortNames }: Kind): KubeObject & JsonObject {
  const singular = kind.toLowerCase()
  const plural = singular.endsWith('s') ? `${singular}es` : `${singular}s`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        categories: ['karpenter'],
        ...(shortNames === undefined ? {} : { shortNames }),
      },
      scope: 'Cluster',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status: anything },
            },
          },
        },
      ],
    },
  }
}

export const karpenterDefinitions: readonly (KubeObject & JsonObject)[] = [
  definition({
    group: 'karpenter.sh',
    version: 'v1',
    kind: 'NodePool',
    spec: poolSpec,
    columns: [
      column('NodeClass', 'string', '.spec.template.spec.nodeClassRef.name'),
      column('Nodes', 'string', '.status.nodes'),
      ready,
      age,
      column('Weight', 'integer', '.spec.weight', wide),
      column('CPU', 'string', '.status.resources.cpu', wide),
      column('Memory', 'string', '.status.resources.memory', wide),
    ],
  }),
  definition({
    group: 'karpenter.sh',
    version: 'v1',
    kind: 'NodeClaim',
    spec: nodeClaimSpec,
    columns: [
      column('Type', 'string', '.metadata.labels.node\\.kubernetes\\.io/instance-type'),
      column('Capacity', 'string', '.metadata.labels.karpenter\\.sh/capacity-type'),
      column('Zone', 'string', '.metadata.labels.topology\\.kubernetes\\.io/zone'),
      column('Node', 'string', '.status.nodeName'),
      ready,
      age,
      column('ImageID', 'string', '.status.imageID', wide),
      column('ID', 'string', '.status.providerID', wide),
      column('NodePool', 'string', '.metadata.labels.karpenter\\.sh/nodepool', wide),
      column('NodeClass', 'string', '.spec.nodeClassRef.name', wide),
      column('Drifted', 'string', '.status.conditions[?(@.type=="Drifted")].status', wide),
    ],
  }),
  definition({
    group: 'karpenter.sh',
    version: 'v1alpha1',
    kind: 'NodeOverlay',
    spec: overlaySpec,
    columns: [ready, age, column('Weight', 'integer', '.spec.weight', wide)],
    shortNames: ['overlays'],
  }),
  definition({ group: kwokGroup, version: 'v1alpha1', kind: 'KWOKNodeClass', spec: nodeClassSpec, columns: [age] }),
]
