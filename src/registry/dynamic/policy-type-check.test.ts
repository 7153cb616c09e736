import { expect, it } from 'vitest'
import type { ValidatingAdmissionPolicy } from '../../api/objects/access.ts'
import { createRandom } from '../../base/random.ts'
import { createStore } from '../../store/memory-store.ts'
import { definitionOf } from '../custom/definition.fixture.ts'
import { createRegistry } from '../registry.ts'
import { expressionWarnings } from './policy-type-check.ts'

const registry = createRegistry({ store: createStore(), clock: { now: () => 0 }, random: createRandom(1) })
const spec = { type: 'object', properties: { replicas: { type: 'integer' } } }
registry.call({
  verb: 'create',
  resource: 'customresourcedefinitions.apiextensions.k8s.io',
  object: definitionOf({ plural: 'crontabs', kind: 'CronTab' }, [
    { schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } },
  ]),
})

const policy = (more: object, group = 'apps', resource = 'deployments'): ValidatingAdmissionPolicy =>
  ({
    metadata: { name: 'p' },
    spec: {
      matchConstraints: { resourceRules: [{ apiGroups: [group], apiVersions: ['v1'], resources: [resource] }] },
      ...more,
    },
  }) as ValidatingAdmissionPolicy

const warningsOf = (given: ValidatingAdmissionPolicy) => expressionWarnings(given, registry.kinds)

it('has no warnings for expressions that fit the types of the matched kinds', () => {
  const validations = [
    { expression: 'object.spec.replicas > 1 && object.metadata.name.startsWith("a")' },
    { expression: 'object.spec.template.spec.containers.all(c, has(c.image))', messageExpression: '"no"' },
    { expression: 'variables.many' },
  ]
  expect(
    warningsOf(policy({ variables: [{ name: 'many', expression: 'object.spec.replicas > 3' }], validations })),
  ).toEqual([])
})

it('warns about types that do not fit, by field', () => {
  const validations = [{ expression: "object.spec.replicas > '1'", messageExpression: "'got ' + object.spec.replicas" }]
  expect(warningsOf(policy({ validations }))).toEqual([
    {
      fieldRef: 'spec.validations[0].expression',
      warning:
        "apps/v1, Kind=Deployment: compilation failed: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n" +
        " | object.spec.replicas > '1'\n | .....................^\n",
    },
    {
      fieldRef: 'spec.validations[0].messageExpression',
      warning:
        "apps/v1, Kind=Deployment: compilation failed: ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(string, int)'\n" +
        " | 'got ' + object.spec.replicas\n | .......^\n",
    },
  ])
})

it('checks the types of policies for custom resources by their schema', () => {
  const validations = [{ expression: 'object.spec.foo == 1' }, { expression: 'object.spec.replicas == 1' }]
  expect(warningsOf(policy({ validations }, 'example.com', 'crontabs'))).toMatchObject([
    { fieldRef: 'spec.validations[0].expression', warning: expect.stringContaining("undefined field 'foo'") },
  ])
})

it('does not check the types of policies whose rules have wildcards', () => {
  expect(warningsOf(policy({ validations: [{ expression: "1 > '1'" }] }, '*'))).toEqual([])
})
