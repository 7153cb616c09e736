/** One policy in a separate namespace, and objects that are written there. */
export interface PolicyStory {
  readonly validations?: readonly Readonly<Record<string, unknown>>[]
  readonly mutations?: readonly Readonly<Record<string, unknown>>[]
  readonly spec?: Readonly<Record<string, unknown>>
  readonly binding?: Readonly<Record<string, unknown>>
  readonly rules?: readonly Readonly<Record<string, unknown>>[]
  /** Objects to create first, before the policy is in force. Paths below the namespace. */
  readonly before?: readonly (readonly [string, Readonly<Record<string, unknown>>])[]
  /** Requests: method, path below the namespace, body, content type. */
  readonly requests: readonly (readonly [string, string, unknown?, string?])[]
}

const map = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { app: 'x' } },
  data: { a: '1', b: 'two' },
  ...more,
})

const pod = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'nginx' }], ...spec },
})

const deployment = (name: string, replicas = 1) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { a: name } },
    template: { metadata: { labels: { a: name } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
  },
})

const create = (body: object = map('x')): readonly [string, string, unknown] => ['POST', '/configmaps', body]
const merge = 'application/merge-patch+json'

const deny = (expression: string, more: object = {}): PolicyStory => ({
  validations: [{ expression, ...more }],
  requests: [create()],
})

const pods = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods', 'pods/*'] }]
const deployments = [
  { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments', 'deployments/*'] },
]

/** The result of the expression of a validation, and its message. */
const expressions: readonly string[] = [
  'object.data.a == "1"',
  'object.data.a == "2"',
  'object.data.missing == "2"',
  'has(object.data.missing)',
  'object.missing.field == 1',
  'oldObject == null',
  'oldObject.data.a == "1"',
  'oldObject != null',
  'request.operation == "CREATE"',
  'request.operation == "UPDATE"',
  'request.name == "y"',
  'request.namespace.startsWith("story-")',
  'request.subResource == ""',
  'has(request.subResource)',
  'request.userInfo.username == "unknown"',
  '"system:masters" in request.userInfo.groups',
  'request.resource.resource == "configmaps" && request.kind.kind == "ConfigMap" && request.kind.version == "v2"',
  'request.options.kind == "CreateOptions"',
  'request.options.fieldManager == "x"',
  'request.dryRun',
  'has(request.uid)',
  'namespaceObject.metadata.name == "nope"',
  'namespaceObject.metadata.labels.story == "nope"',
  'namespaceObject.status.phase == "Active"',
  'namespaceObject.metadata.managedFields == null',
  'size(object.metadata.managedFields) > 0',
  'has(object.metadata.uid) && has(object.metadata.creationTimestamp) && !has(object.metadata.resourceVersion)',
  'object.metadata.labels.all(k, k == "y")',
  'object.data.exists(k, object.data[k] == "three")',
  'object.data.map(k, k).size() == 3',
  'int(object.data.b) > 1',
  'object.data["a"].matches("^[0-9]$")',
  'object.data[1] == ""',
  'quantity(object.data.b).isGreaterThan(quantity("1"))',
  'url(object.data.a).getHost() == ""',
  'authorizer.group("").resource("pods").namespace("default").check("create").allowed()',
  '!authorizer.group("").resource("pods").namespace("default").check("create").allowed()',
  'authorizer.path("/healthz").check("get").reason() == "x"',
  'authorizer.requestResource.check("create").allowed()',
  '!authorizer.requestResource.check("delete").errored()',
  'authorizer.serviceAccount("default", "x").requestResource.check("get").allowed()',
  'authorizer.serviceAccount("default", "Not Valid").group("").resource("pods").check("get").allowed()',
  'object.kind == "ConfigMap" && object.apiVersion == "v1" && false',
  'type(object) == map',
  'object.metadata.creationTimestamp == timestamp("2020-01-01T00:00:00Z")',
  '[1, 2, 3].all(x, [1, 2, 3].all(y, x + y < 6))',
  'object.?data.?missing.orValue("none") == "some"',
  'object.data.b.charAt(1) == "x"',
  '1 / 0 == 1',
  'dyn("x") + dyn(1) == ""',
  'variables.a == 1',
]

/** Expressions that exceed the cost limit. */
const costly: readonly string[] = [
  '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a+b+c+d+e > 0)))))',
  'authorizer.group("").resource("a").check("get").allowed() && authorizer.group("").resource("b").check("get").allowed() && authorizer.group("").resource("c").check("get").allowed()',
]

const named = (list: readonly string[]) => Object.fromEntries(list.map((one) => [one, deny(one)]))

export const policyStories: Readonly<Record<string, PolicyStory>> = {
  ...named(expressions),
  ...named(costly),
  'a message': deny('false', { message: ' no way ' }),
  'a message expression': deny('false', { message: 'no', messageExpression: '"because " + object.metadata.name' }),
  'a message expression that fails': deny('false', { message: 'no', messageExpression: 'object.data.missing' }),
  'a message expression with a line end': deny('false', { message: 'no', messageExpression: '"a\\nb"' }),
  'a message expression that is empty': deny('false', { messageExpression: '"  "' }),
  'the reason Forbidden': deny('false', { reason: 'Forbidden' }),
  'the reason Unauthorized': deny('false', { reason: 'Unauthorized' }),
  'the reason RequestEntityTooLarge': deny('false', { reason: 'RequestEntityTooLarge' }),
  'an error with failurePolicy Ignore': { ...deny('object.missing.field == 1'), spec: { failurePolicy: 'Ignore' } },
  'several validations': {
    validations: [
      { expression: 'true' },
      { expression: 'object.data.a == "2"', message: 'one' },
      { expression: 'false' },
    ],
    requests: [create()],
  },
  warnings: {
    validations: [{ expression: 'false', message: 'careful' }, { expression: 'object.nope == 1' }],
    binding: { validationActions: ['Warn'] },
    requests: [create(), ['PATCH', '/configmaps/x', { data: { a: '2' } }, merge]],
  },
  'warnings and audit': {
    validations: [{ expression: 'false' }],
    binding: { validationActions: ['Warn', 'Audit'] },
    requests: [create()],
  },
  variables: {
    spec: {
      variables: [
        { name: 'a', expression: 'object.data.a' },
        { name: 'twice', expression: 'variables.a + variables.a' },
        { name: 'broken', expression: 'object.nope.nope' },
        { name: 'list', expression: '[1, 2]' },
      ],
    },
    validations: [
      { expression: 'variables.twice == "11"' },
      { expression: 'variables.list[0] == 1' },
      { expression: 'variables.broken == 1' },
      { expression: 'variables.twice == "x"', messageExpression: '"twice is " + variables.twice' },
    ],
    requests: [create()],
  },
  'an expensive variable': {
    spec: { variables: [{ name: 'a', expression: costly[0] as string }] },
    validations: [{ expression: 'variables.a' }],
    requests: [create()],
  },
  'match conditions': {
    spec: {
      matchConditions: [
        { name: 'not-y', expression: 'object.metadata.name != "y"' },
        { name: 'has-data', expression: 'object.data.size() > 0' },
      ],
    },
    validations: [{ expression: 'false' }],
    requests: [create(map('y')), create(map('x')), create(map('z', { data: undefined }))],
  },
  'match conditions that fail': {
    spec: {
      matchConditions: [
        { name: 'a', expression: 'object.nope == 1' },
        { name: 'b', expression: 'object.nix == 1' },
      ],
    },
    validations: [{ expression: 'false' }],
    requests: [create()],
  },
  'match conditions that fail, ignored': {
    spec: { failurePolicy: 'Ignore', matchConditions: [{ name: 'a', expression: 'object.nope == 1' }] },
    validations: [{ expression: 'false' }],
    requests: [create()],
  },
  'names of resources': {
    rules: [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'], resourceNames: ['only'] },
    ],
    validations: [{ expression: 'false' }],
    requests: [create(map('x')), create(map('only'))],
  },
  'excluded rules': {
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'], scope: 'Namespaced' },
        ],
        excludeResourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
      },
    },
    validations: [{ expression: 'false' }],
    requests: [create(), ['POST', '/secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }]],
  },
  updates: {
    validations: [{ expression: 'oldObject == null || object.data.a == oldObject.data.a', message: 'a is immutable' }],
    requests: [
      create(),
      ['PATCH', '/configmaps/x', { data: { b: '3' } }, merge],
      ['PATCH', '/configmaps/x', { data: { a: '3' } }, merge],
      ['PUT', '/configmaps/x', map('x', { data: { a: '9' } })],
      ['DELETE', '/configmaps/x'],
    ],
  },
  deletions: {
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }],
    validations: [
      {
        expression: 'object == null && oldObject.data.a != "1"',
        messageExpression: 'oldObject.metadata.name + " stays"',
      },
    ],
    requests: [
      create(),
      create(map('y', { data: { a: '2' } })),
      ['DELETE', '/configmaps/x'],
      ['DELETE', '/configmaps/y'],
      ['DELETE', '/configmaps'],
    ],
  },
  'a parameter by name': {
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    before: [['/configmaps', map('param', { data: { allowed: 'x' } })]],
    binding: { paramRef: { name: 'param', parameterNotFoundAction: 'Deny' } },
    validations: [
      { expression: 'object.metadata.name == params.data.allowed', messageExpression: '"only " + params.data.allowed' },
    ],
    requests: [create(map('x')), create(map('y'))],
  },
  'a parameter that is missing': {
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    binding: { paramRef: { name: 'param', parameterNotFoundAction: 'Deny' } },
    validations: [{ expression: 'true' }],
    requests: [create()],
  },
  'a parameter that may be missing': {
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    binding: { paramRef: { name: 'param', parameterNotFoundAction: 'Allow' } },
    validations: [{ expression: 'false' }],
    requests: [create()],
  },
  'parameters by selector': {
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    before: [
      ['/configmaps', map('p1', { metadata: { name: 'p1', labels: { p: 'y' } }, data: { not: 'x' } })],
      ['/configmaps', map('p2', { metadata: { name: 'p2', labels: { p: 'y' } }, data: { not: 'y' } })],
    ],
    binding: { paramRef: { selector: { matchLabels: { p: 'y' } }, parameterNotFoundAction: 'Deny' } },
    validations: [
      { expression: 'object.metadata.name != params.data.not', messageExpression: '"not " + params.data.not' },
    ],
    requests: [create(map('x')), create(map('y')), create(map('z'))],
  },
  'a parameter without a reference': {
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    validations: [{ expression: 'params == null' }, { expression: 'params.data.x == "1"' }],
    requests: [create()],
  },
  'a kind of parameter that does not exist': {
    spec: { paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' } },
    binding: { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } },
    validations: [{ expression: 'true' }],
    requests: [create()],
  },
  'binding with its own selector': {
    binding: { matchResources: { objectSelector: { matchLabels: { strict: 'yes' } } } },
    validations: [{ expression: 'false' }],
    requests: [create(), create(map('y', { metadata: { name: 'y', labels: { strict: 'yes' } } }))],
  },
  'subresources of pods': {
    rules: pods,
    validations: [
      {
        expression: '!has(request.subResource) || request.subResource == ""',
        messageExpression: 'request.subResource + " " + request.operation + " " + object.kind',
      },
    ],
    requests: [
      ['POST', '/pods', pod('p')],
      ['PATCH', '/pods/p/status', { status: { reason: 'x' } }, merge],
      [
        'POST',
        '/pods/p/binding',
        { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
      ],
      ['POST', '/pods/p/eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }],
      ['PATCH', '/pods/p/ephemeralcontainers', { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } }, merge],
    ],
  },
  'scale of deployments': {
    rules: deployments,
    validations: [
      {
        expression: 'object.spec.replicas <= 3',
        messageExpression: 'object.kind + " " + string(object.spec.replicas)',
      },
    ],
    requests: [
      ['POST', '/deployments', deployment('d', 4)],
      ['POST', '/deployments', deployment('d', 1)],
      ['PATCH', '/deployments/d/scale', { spec: { replicas: 5 } }, merge],
      ['PATCH', '/deployments/d/scale', { spec: { replicas: 2 } }, merge],
      ['PATCH', '/deployments/d', { spec: { replicas: 7 } }, merge],
    ],
  },
  'apply patch': {
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"by": "policy"}}}' },
      },
    ],
    requests: [create(), ['PATCH', '/configmaps/x', { metadata: { labels: { by: null } } }, merge]],
  },
  'apply patch from the object': {
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: {
          expression: 'Object{metadata: Object.metadata{annotations: {"n": object.metadata.name + variables.v}}}',
        },
      },
    ],
    spec: { variables: [{ name: 'v', expression: '"!"' }] },
    requests: [create()],
  },
  'apply patch of containers': {
    rules: pods,
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: {
          expression:
            'Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "side", image: "busybox", restartPolicy: "Always"}]}}',
        },
      },
    ],
    requests: [['POST', '/pods', pod('p')]],
  },
  'apply patch of an atomic list': {
    rules: pods,
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: {
          expression: 'Object{spec: Object.spec{containers: [Object.spec.containers{name: "c", command: ["x"]}]}}',
        },
      },
    ],
    requests: [['POST', '/pods', pod('p')]],
  },
  'apply patch with wrong type names': {
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: 'Object{metadata: Object.wrong{labels: {"a": "b"}}}' },
      },
    ],
    requests: [create()],
  },
  'apply patch of a field that is not there': {
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{nope: "x"}' } }],
    requests: [create()],
  },
  'apply patch of a wrong type': {
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{immutable: "yes"}' } }],
    requests: [create()],
  },
  'JSON patch': {
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: {
          expression:
            '[JSONPatch{op: "test", path: "/data/a", value: "1"}, JSONPatch{op: "replace", path: "/data/a", value: "9"}, JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("x~y"), value: "z"}]',
        },
      },
    ],
    requests: [create(), create(map('y', { data: { a: '2' } }))],
  },
  'JSON patch of a missing path': {
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/data/nope"}]' } }],
    requests: [create()],
  },
  'JSON patch with an object': {
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: {
          expression: '[JSONPatch{op: "add", path: "/metadata/labels", value: Object.metadata.labels{one: "1"}}]',
        },
      },
    ],
    requests: [create()],
  },
  'a mutation that fails': {
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: 'Object{metadata: Object.metadata{name: object.nope}}' },
      },
    ],
    requests: [create()],
  },
  'a mutation that fails, ignored': {
    spec: { failurePolicy: 'Ignore' },
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: 'Object{metadata: Object.metadata{name: object.nope}}' },
      },
    ],
    requests: [create()],
  },
  'mutations in order': {
    mutations: [
      { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data/step", value: "one"}]' } },
      {
        patchType: 'JSONPatch',
        jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data/step", value: object.data.step + " two"}]' },
      },
    ],
    requests: [create()],
  },
  'a mutation of deployments': {
    rules: deployments,
    mutations: [
      { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{spec: Object.spec{replicas: 3}}' } },
    ],
    requests: [
      ['POST', '/deployments', deployment('d')],
      ['PATCH', '/deployments/d/scale', { spec: { replicas: 5 } }, merge],
    ],
  },
}
