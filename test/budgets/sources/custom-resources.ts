import type { RandomStream } from '../../../src/base/random.ts'
import { type Attack, type AttackSource, attackNamespace } from '../attack.ts'
import { attackSizes, attackString } from '../attack-strings.ts'

/** Patterns for which a backtracking engine takes superlinear time, by their field. */
const fieldPatterns: Readonly<Record<string, string>> = {
  nested: '^(a+)+$',
  alternatives: '^(a|aa|ab|a.)*$',
  overlap: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  counted: '^(a{1,20}){1,20}$',
  unanchored: '[a-z]+[0-9]*x',
  folded: '(?i)^(ſ|k)+[^a]$',
  unicode: '^[\\p{L}\\p{N}]+(\\p{P}[\\p{L}\\p{N}]+)*$',
}

const formats = [
  ...['date-time', 'date', 'duration', 'email', 'hostname', 'uri', 'uuid', 'uuid3', 'uuid4', 'byte', 'password'],
  ...['ipv4', 'ipv6', 'cidr', 'mac', 'isbn', 'isbn10', 'isbn13', 'creditcard', 'ssn', 'hexcolor', 'rgbcolor'],
  ...['bsonobjectid', 'k8s-short-name', 'k8s-long-name'],
] as const

/** Rules over one text, within the cost that a definition may have. */
const rules: readonly string[] = [
  "self.matches('^(a+)+$')",
  "self.find('[0-9]+x') == ''",
  "self.findAll('a+b').size() == 0",
  "self.split('a').size() < 10",
  "self.replace('a', 'bb').size() > 0",
  'self.lowerAscii() == self.upperAscii()',
  "self.indexOf('aaab') == -1",
  "self.lastIndexOf('baaa') == -1",
  'self.trim() == self',
  'isQuantity(self)',
  'isURL(self)',
  'isIP(self)',
  'isCIDR(self)',
  'isSemver(self)',
  "self.contains('aab')",
  "self.charAt(0) == 'a'",
]

const text = { type: 'string', maxLength: 300_000 }
const ruleFields = Object.fromEntries(
  rules.map((rule, i) => [`rule${i}`, { type: 'string', maxLength: 2_000, 'x-kubernetes-validations': [{ rule }] }]),
)
const properties = {
  ...Object.fromEntries(Object.entries(fieldPatterns).map(([name, pattern]) => [name, { ...text, pattern }])),
  ...Object.fromEntries(formats.map((format, i) => [`format${i}`, { ...text, format }])),
  ...ruleFields,
  set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  map: {
    type: 'array',
    items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, n: { type: 'integer' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  },
  unique: {
    type: 'array',
    uniqueItems: false,
    items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
  oneOf: { type: 'string', enum: Array.from({ length: 500 }, (_, i) => `v${i}`) },
}
const fields = Object.keys(properties)

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const things = `/apis/budgets.example.com/v1/namespaces/${attackNamespace}/things`
const json = { 'content-type': 'application/json' }

function definition(plural: string, spec: unknown, columns: readonly unknown[] = []): unknown {
  const kind = plural[0]!.toUpperCase() + plural.slice(1, -1)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.budgets.example.com` },
    spec: {
      group: 'budgets.example.com',
      scope: 'Namespaced',
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  }
}

const expressionParts = [
  '(',
  '!',
  '-',
  '[',
  '{',
  'a.',
  'self.',
  '1+',
  'a?',
  'true ? ',
  '"a"+',
  'has(',
  '[1].all(x, ',
  '"\\',
  "r'",
  '//',
  '0x',
  '`',
]
const patternParts = [
  '(',
  '[',
  'a{1000}',
  '(a{10})',
  'a*',
  'a|',
  '(?i)',
  '\\pL',
  '[^a]',
  '(a',
  '\\Q',
  '{',
  '(?P<n>',
  '[[:alpha:]]',
  '.{900}',
  '((a{50}){20})',
  'x*?',
  '\\x{',
]
const pathParts = ['.a', "['a']", '[*]', '..a', '[?(@.a==1)]', '.a\\.', '[', '[ ', '.*', '[-1]', '$', '[?(@', '["']

/** Definitions with long or hostile patterns, rules, columns and schemas; each is refused or removed again. */
function hostileDefinition(random: RandomStream): Attack {
  const count = random.pick([1, 10, 100, 1_000, 5_000])
  const repeated = (parts: readonly string[]) =>
    random.pick(parts).repeat(count) + random.pick(['', 'a', ')', ']', '"'])
  const sort = random.int(5)
  const chosen = sort === 0 ? repeated(patternParts) : sort === 1 ? repeated(expressionParts) : repeated(pathParts)
  const spec =
    sort === 0
      ? { type: 'string', pattern: chosen }
      : sort === 1
        ? { type: 'string', maxLength: 10, 'x-kubernetes-validations': [{ rule: chosen }] }
        : sort === 3
          ? { type: 'object', properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, text])) }
          : sort === 4
            ? nested(Math.min(count, 1_000))
            : { type: 'object' }
  const columns = sort === 2 ? [{ name: 'a', type: 'string', jsonPath: `.spec${chosen}` }] : []
  const what = ['pattern', 'rule', 'column', 'properties', 'nested schema'][sort]
  return {
    name: `definition with a ${what}, ${count} times ${chosen.slice(0, 20)}`,
    method: 'POST',
    path: `${definitions}${random.int(2) === 0 ? '?dryRun=All' : ''}`,
    headers: json,
    body: JSON.stringify(definition(`${['patterns', 'rules', 'columns', 'members', 'depths'][sort]}`, spec, columns)),
  }
}

function nested(depth: number): unknown {
  let made: unknown = { type: 'string' }
  for (let i = 0; i < depth; i++)
    made = i % 2 === 0 ? { type: 'array', items: made } : { type: 'object', properties: { a: made } }
  return made
}

function hostileThing(random: RandomStream): Attack {
  const field = random.pick(fields)
  const isRule = field.startsWith('rule')
  const { text: attack, name } = attackString(random, isRule ? 1_900 : random.pick(attackSizes))
  const count = random.pick([100, 2_000, 10_000])
  const value =
    field === 'set'
      ? Array.from({ length: count }, (_, i) => `v${i}`)
      : field === 'map'
        ? Array.from({ length: count }, (_, i) => ({ k: `k${i}`, n: i }))
        : field === 'unique'
          ? Array.from({ length: count }, (_, i) => ({ a: { b: i } }))
          : attack
  return {
    name: `Thing spec.${field}: ${Array.isArray(value) ? `${count} elements` : name}`,
    method: 'POST',
    path: `${things}${random.int(2) === 0 ? '?dryRun=All' : ''}`,
    headers: json,
    body: JSON.stringify({
      apiVersion: 'budgets.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'attack' },
      spec: { [field]: value },
    }),
  }
}

/** Custom resources and their definitions: patterns, formats, rules in CEL, lists that are sets or maps. */
export const customResources: AttackSource = {
  name: 'custom-resources',
  quickCount: 20,
  setup: [
    {
      name: 'the definition of things',
      method: 'POST',
      path: definitions,
      headers: json,
      body: JSON.stringify(definition('things', { type: 'object', properties })),
    },
  ],
  *attacks(random: RandomStream): Iterable<Attack> {
    for (;;) yield random.int(3) === 0 ? hostileDefinition(random) : hostileThing(random)
  },
}
