type Body = Readonly<Record<string, unknown>>

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }
const hook = (more: Body): Body => ({
  name: 'hook.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/x' },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
})

/** Invalid webhooks of many kinds, and some valid ones. */
const hooks: readonly Body[] = [
  hook({}),
  hook({ name: '' }),
  hook({ name: 'short' }),
  hook({ name: 'Upper.Case.Name' }),
  hook({ clientConfig: {} }),
  hook({ clientConfig: { url: 'https://x', service: { namespace: 'a', name: 'b' } } }),
  hook({ clientConfig: { url: 'http://x/y' } }),
  hook({ clientConfig: { url: 'https://user@x/y' } }),
  hook({ clientConfig: { url: 'https://x/y?z=1#frag' } }),
  hook({ clientConfig: { url: 'https:///y' } }),
  hook({ clientConfig: { url: 'x' } }),
  hook({ clientConfig: { url: '' } }),
  hook({ clientConfig: { service: { namespace: '', name: '' } } }),
  hook({ clientConfig: { service: { namespace: 'a', name: 'b', port: 70000, path: '//' } } }),
  hook({ clientConfig: { service: { namespace: 'a', name: 'b', path: 'x' } } }),
  hook({ clientConfig: { service: { namespace: 'a', name: 'b', path: '/a//b/' } } }),
  hook({ clientConfig: { service: { namespace: 'a', name: 'b', path: '/A_b' } } }),
  hook({ clientConfig: { service: { namespace: 'a', name: 'b', path: '/ok/path/' } } }),
  hook({ rules: [{}] }),
  hook({ rules: [{ ...rule, operations: ['*', 'CREATE'] }] }),
  hook({ rules: [{ ...rule, operations: ['PATCH'] }] }),
  hook({ rules: [{ ...rule, apiGroups: ['*', 'apps'] }] }),
  hook({ rules: [{ ...rule, apiVersions: ['*', 'v1', ''] }] }),
  hook({ rules: [{ ...rule, resources: ['*', 'pods'] }] }),
  hook({ rules: [{ ...rule, resources: ['*/*', 'pods'] }] }),
  hook({ rules: [{ ...rule, resources: ['pods/*', 'pods/status', ''] }] }),
  hook({ rules: [{ ...rule, resources: ['*/status', 'pods/status'] }] }),
  hook({ rules: [{ ...rule, scope: 'Everywhere' }] }),
  hook({ failurePolicy: 'Maybe', matchPolicy: 'Sometimes' }),
  hook({ sideEffects: undefined }),
  hook({ sideEffects: 'Some' }),
  hook({ timeoutSeconds: 31 }),
  hook({ timeoutSeconds: 0 }),
  hook({ admissionReviewVersions: [] }),
  hook({ admissionReviewVersions: ['v2', 'v2'] }),
  hook({ admissionReviewVersions: ['V1'] }),
  hook({
    namespaceSelector: { matchLabels: { 'a b': 'c' } },
    objectSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] },
  }),
  hook({ matchConditions: [{ name: '', expression: '' }] }),
  hook({ matchConditions: [{ name: 'a b', expression: 'object.x' }] }),
  hook({
    matchConditions: [
      { name: 'a', expression: 'true' },
      { name: 'a', expression: 'oops' },
    ],
  }),
  hook({ matchConditions: [{ name: 'a', expression: 'params.x == 1' }] }),
  hook({ matchConditions: [{ name: 'a', expression: '  1 +' }] }),
]

const policy = (more: Body): Body => ({
  matchConstraints: { resourceRules: [rule] },
  validations: [{ expression: 'true' }],
  ...more,
})

const policies: readonly Body[] = [
  policy({}),
  policy({ validations: [] }),
  policy({ matchConstraints: undefined }),
  policy({ matchConstraints: {} }),
  policy({
    matchConstraints: { resourceRules: [{ ...rule, resourceNames: ['a/b', 'x', 'x', '..'] }], matchPolicy: 'No' },
  }),
  policy({ failurePolicy: 'No' }),
  policy({ paramKind: {} }),
  policy({ paramKind: { apiVersion: 'a/b/c', kind: 'X' } }),
  policy({ paramKind: { apiVersion: 'A/1', kind: 'X Y' } }),
  policy({ paramKind: { apiVersion: 'a/', kind: 'X' } }),
  policy({ validations: [{ expression: '' }] }),
  policy({ validations: [{ expression: '1' }] }),
  policy({ validations: [{ expression: 'object.a' }] }),
  policy({ validations: [{ expression: 'nope' }] }),
  policy({ validations: [{ expression: 'true', message: ' ', messageExpression: ' ' }] }),
  policy({ validations: [{ expression: 'true', message: 'a\nb', messageExpression: '1' }] }),
  policy({ validations: [{ expression: 'true', messageExpression: 'authorizer.path("/").check("get").reason()' }] }),
  policy({ validations: [{ expression: 'true', reason: 'Sorry' }] }),
  policy({ validations: [{ expression: 'params.x == 1' }] }),
  policy({ variables: [{ name: '', expression: '' }] }),
  policy({
    variables: [
      { name: 'a-b', expression: '1 +' },
      { name: 'true', expression: '1' },
    ],
  }),
  policy({
    variables: [
      { name: 'a', expression: 'variables.b' },
      { name: 'b', expression: '1' },
    ],
  }),
  policy({ variables: [{ name: 'a', expression: '1' }], validations: [{ expression: 'variables.a == "x"' }] }),
  policy({ auditAnnotations: [{ key: '', valueExpression: '' }] }),
  policy({
    auditAnnotations: [
      { key: 'a', valueExpression: '1' },
      { key: 'a', valueExpression: 'null' },
    ],
  }),
  policy({ auditAnnotations: [{ key: 'a b', valueExpression: '"x"' }] }),
  policy({ matchConditions: [{ name: 'a', expression: 'variables.a' }] }),
]

const mutating = (more: Body): Body => ({
  matchConstraints: { resourceRules: [rule] },
  reinvocationPolicy: 'Never',
  mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
  ...more,
})

const mutatings: readonly Body[] = [
  mutating({}),
  mutating({ mutations: [] }),
  mutating({ reinvocationPolicy: '' }),
  mutating({ reinvocationPolicy: 'Often' }),
  mutating({ matchConstraints: { resourceRules: [{ ...rule, operations: ['DELETE'] }] } }),
  mutating({ mutations: [{ patchType: '' }] }),
  mutating({ mutations: [{ patchType: 'Other' }] }),
  mutating({ mutations: [{ patchType: 'JSONPatch' }] }),
  mutating({
    mutations: [
      { patchType: 'ApplyConfiguration', applyConfiguration: { expression: '' }, jsonPatch: { expression: '' } },
    ],
  }),
  mutating({ mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[]' } }] }),
  mutating({ mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: 1}]' } }] }),
  mutating({ mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{nope: "x"}]' } }] }),
  mutating({ mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: 'Object{}' } }] }),
  mutating({ mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object.spec{}' } }] }),
  mutating({ mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Thing{a: 1}' } }] }),
  mutating({
    mutations: [
      { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{spec: Object.spec{x: nope}}' } },
    ],
  }),
]

const binding = (more: Body): Body => ({ policyName: 'p', validationActions: ['Deny'], ...more })

const bindings: readonly Body[] = [
  binding({}),
  binding({ policyName: '' }),
  binding({ policyName: 'A B' }),
  binding({ validationActions: [] }),
  binding({ validationActions: ['Deny', 'Warn'] }),
  binding({ validationActions: ['Deny', 'Deny', 'Shout'] }),
  binding({ paramRef: {} }),
  binding({ paramRef: { name: 'a/b', selector: {}, parameterNotFoundAction: 'Deny' } }),
  binding({ paramRef: { name: 'a', parameterNotFoundAction: 'Perhaps' } }),
  binding({ matchResources: { resourceRules: [{}] } }),
]

const kinds: readonly (readonly [string, string, readonly Body[]])[] = [
  ['validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', hooks.map((one) => ({ webhooks: [one] }))],
  [
    'mutatingwebhookconfigurations',
    'MutatingWebhookConfiguration',
    [
      { webhooks: [hook({ reinvocationPolicy: 'Often' })] },
      { webhooks: [hook({}), hook({})] },
      { webhooks: [] },
      { metadata: { name: 'A B' }, webhooks: [hook({})] },
    ],
  ],
  ['validatingadmissionpolicies', 'ValidatingAdmissionPolicy', policies.map((spec) => ({ spec }))],
  ['mutatingadmissionpolicies', 'MutatingAdmissionPolicy', mutatings.map((spec) => ({ spec }))],
  ['validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', bindings.map((spec) => ({ spec }))],
  [
    'mutatingadmissionpolicybindings',
    'MutatingAdmissionPolicyBinding',
    [
      { spec: { policyName: 'p' } },
      { spec: { policyName: 'p', matchResources: { resourceRules: [{ ...rule, operations: ['DELETE'] }] } } },
    ],
  ],
]

/** Objects that configure admission: the path to create them, and the body. */
export const registrationBodies: readonly { readonly path: string; readonly body: Body }[] = kinds.flatMap(
  ([plural, kind, bodies]) =>
    bodies.map((body, i) => ({
      path: `/apis/admissionregistration.k8s.io/v1/${plural}?dryRun=All`,
      body: { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: `body-${i}` }, ...body },
    })),
)
