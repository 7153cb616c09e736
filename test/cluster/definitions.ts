/** Definitions that both servers must accept, or reject with the same message. */
type Json = Readonly<Record<string, unknown>>

export function definition(schema: Json, more: Json = {}, plural = 'widgets'): Json {
  const kind = `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }],
    },
  }
}

const int = { type: 'integer' }
const text = { type: 'string' }
const short = { type: 'string', maxLength: 20 }
const few = { type: 'array', maxItems: 10, items: short }
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** A schema whose spec has these properties. */
export const withSpec = (properties: Json, more: Json = {}): Json => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...more } },
})

/** A rule over a spec with a few fields of every type. */
const rule = (text: string, more: Json = {}): Json =>
  withSpec(
    {
      n: int,
      s: short,
      list: few,
      map: { type: 'object', maxProperties: 10, additionalProperties: short },
      either: { 'x-kubernetes-int-or-string': true },
      inner: { type: 'object', properties: { 'a-b': int, namespace: short, x__y: int } },
      when: { type: 'string', format: 'date-time' },
      free: anything,
      keyed: {
        type: 'array',
        maxItems: 5,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', required: ['k'], properties: { k: short, v: int } },
      },
    },
    { 'x-kubernetes-validations': [{ rule: text, ...more }] },
  )

const ofSpec = (change: Json): Json => {
  const plain = definition(withSpec({ n: int })) as { readonly spec: Json }
  return { ...plain, spec: { ...plain.spec, ...change } }
}
const version = (name: string, more: Json = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: withSpec({ n: int }) },
  ...more,
})

export const definitions: Readonly<Record<string, Json>> = {
  'a plain one': definition(withSpec({ n: int })),
  'no type': definition({ properties: {} }),
  'another type at the root': definition({ type: 'array', items: int }),
  'a field without a type': definition(withSpec({ n: {} })),
  'an array without items': definition(withSpec({ n: { type: 'array' } })),
  'items without a type': definition(withSpec({ n: { type: 'array', items: {} } })),
  'an unknown type': definition(withSpec({ n: { type: 'float' } })),
  'type null': definition(withSpec({ n: { type: 'null' } })),
  'properties and additionalProperties': definition(
    withSpec({ n: { type: 'object', properties: { a: int }, additionalProperties: int } }),
  ),
  'additionalProperties at the root': definition({ type: 'object', additionalProperties: int }),
  'nullable at the root': definition({ type: 'object', nullable: true }),
  uniqueItems: definition(withSpec({ n: { type: 'array', items: int, uniqueItems: true } })),
  'a broken pattern': definition(withSpec({ n: { type: 'string', pattern: '(' } })),
  'a pattern with lookahead': definition(withSpec({ n: { type: 'string', pattern: '^(?!a)b' } })),
  'a type inside anyOf': definition(withSpec({ n: { type: 'object', anyOf: [{ type: 'object' }] } })),
  'anyOf with an unknown field': definition(
    withSpec({ n: { type: 'object', anyOf: [{ required: ['x'] }, { properties: { y: { minimum: 1 } } }] } }),
  ),
  'rules inside allOf': definition(
    withSpec({ n: { type: 'integer', allOf: [{ 'x-kubernetes-validations': [{ rule: 'self > 1' }] }] } }),
  ),
  'more than names in metadata': definition({
    type: 'object',
    properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
  }),
  'names in metadata': definition({
    type: 'object',
    properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
  }),
  'an integer for a kind': definition({ type: 'object', properties: { kind: int } }),
  'an embedded resource without a type': definition(
    withSpec({ n: { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } }),
  ),
  'an embedded resource without properties': definition(
    withSpec({ n: { type: 'object', 'x-kubernetes-embedded-resource': true } }),
  ),
  'int-or-string that preserves': definition(
    withSpec({ n: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true } }),
  ),
  'int-or-string as anyOf': definition(
    withSpec({ n: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } }),
  ),
  'preserving set to false': definition(
    withSpec({ n: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } }),
  ),
  'a list type of an object': definition(withSpec({ n: { type: 'object', 'x-kubernetes-list-type': 'set' } })),
  'an unknown list type': definition(withSpec({ n: { type: 'array', items: int, 'x-kubernetes-list-type': 'bag' } })),
  'a map type of a list': definition(withSpec({ n: { type: 'array', items: int, 'x-kubernetes-map-type': 'atomic' } })),
  'an unknown map type': definition(withSpec({ n: { type: 'object', 'x-kubernetes-map-type': 'odd' } })),
  'keys without a list type': definition(
    withSpec({ n: { type: 'array', items: int, 'x-kubernetes-list-map-keys': ['k'] } }),
  ),
  'a keyed list without keys': definition(
    withSpec({
      n: { type: 'array', items: { type: 'object', properties: { k: text } }, 'x-kubernetes-list-type': 'map' },
    }),
  ),
  'a keyed list of texts': definition(
    withSpec({
      n: { type: 'array', items: text, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    }),
  ),
  'a key that is not required': definition(
    withSpec({
      n: {
        type: 'array',
        items: { type: 'object', properties: { k: text } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
    }),
  ),
  'a key that is not a property': definition(
    withSpec({
      n: {
        type: 'array',
        items: { type: 'object', properties: { k: text } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['z'],
      },
    }),
  ),
  'a set of objects': definition(
    withSpec({
      n: { type: 'array', items: { type: 'object', properties: { k: text } }, 'x-kubernetes-list-type': 'set' },
    }),
  ),
  'a set of nullable items': definition(
    withSpec({ n: { type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' } }),
  ),
  'a default of the wrong type': definition(withSpec({ n: { type: 'integer', default: 'x' } })),
  'a default out of range': definition(withSpec({ n: { type: 'integer', maximum: 3, default: 4 } })),
  'a default with unknown fields': definition(
    withSpec({ n: { type: 'object', properties: { a: int }, default: { b: 1 } } }),
  ),
  'a default that breaks a rule': definition(
    withSpec({ n: { type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'self > 2' }] } }),
  ),
  'a default in metadata': definition({
    type: 'object',
    properties: { metadata: { type: 'object', properties: { name: { type: 'string', default: 'x' } } } },
  }),
  $ref: definition(withSpec({ n: { type: 'object', $ref: '#/x' } })),
  'a scale without paths': definition(withSpec({ n: int }), { subresources: { scale: {} } }),
  'a scale elsewhere': definition(withSpec({ n: int }), {
    subresources: {
      scale: { specReplicasPath: '.status.a', statusReplicasPath: '.spec.a', labelSelectorPath: '.other' },
    },
  }),
  'a scale without dots': definition(withSpec({ n: int }), {
    subresources: { scale: { specReplicasPath: 'spec.a', statusReplicasPath: '.status.a' } },
  }),
  'an empty column': definition(withSpec({ n: int }), {
    additionalPrinterColumns: [{ name: '', type: '', jsonPath: '' }],
  }),
  'a wrong column': definition(withSpec({ n: int }), {
    additionalPrinterColumns: [{ name: 'a', type: 'int', format: 'x', jsonPath: 'spec.n' }],
  }),
  'wrong selectable fields': definition(withSpec({ n: int, o: anything }), {
    selectableFields: [
      { jsonPath: '.spec.n' },
      { jsonPath: '.spec.n' },
      { jsonPath: '.spec.o' },
      { jsonPath: '.spec.x' },
      { jsonPath: 'spec.n' },
      { jsonPath: ".spec['n']" },
    ],
  }),
  'a warning without deprecation': definition(withSpec({ n: int }), { deprecationWarning: 'old' }),
  'another name': { ...definition(withSpec({ n: int })), metadata: { name: 'gadgets.example.com' } },
  'no names': ofSpec({ names: {} }),
  'bad names': ofSpec({
    names: {
      plural: 'widgets',
      singular: 'Wid',
      kind: 'Wid_get',
      listKind: 'x y',
      shortNames: ['A'],
      categories: ['B'],
    },
  }),
  'the same kind for the list': ofSpec({ names: { plural: 'widgets', kind: 'Widget', listKind: 'Widget' } }),
  'a group without a dot': { ...ofSpec({ group: 'example' }), metadata: { name: 'widgets.example' } },
  'a protected group': { ...ofSpec({ group: 'x.k8s.io' }), metadata: { name: 'widgets.x.k8s.io' } },
  'a protected group with nonsense': {
    ...ofSpec({ group: 'x.k8s.io' }),
    metadata: { name: 'widgets.x.k8s.io', annotations: { 'api-approved.kubernetes.io': 'yes' } },
  },
  'a protected group, not approved': {
    ...ofSpec({ group: 'x.k8s.io' }),
    metadata: { name: 'widgets.x.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
  },
  'an unknown scope': ofSpec({ scope: 'Everywhere' }),
  'no scope': ofSpec({ scope: '' }),
  preserveUnknownFields: ofSpec({ preserveUnknownFields: true }),
  'a bad version': ofSpec({
    versions: [version('v1'), { ...version('V2'), schema: { openAPIV3Schema: withSpec({ s: text }) } }],
  }),
  'no schema': ofSpec({ versions: [{ name: 'v1', served: true, storage: true }] }),
  'different wrong schemas': ofSpec({
    versions: [
      version('v1', { schema: { openAPIV3Schema: withSpec({ n: {} }) } }),
      version('v2', { schema: { openAPIV3Schema: withSpec({ m: { type: 'array' } }) } }),
    ],
  }),
  'an unknown conversion': ofSpec({ conversion: { strategy: 'Magic' } }),
  'a webhook without a client': ofSpec({ conversion: { strategy: 'Webhook' } }),
  'a webhook for no conversion': ofSpec({
    conversion: { strategy: 'None', webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1'] } },
  }),
}

/** Rules: invalid and valid ones. */
export const rules: readonly (readonly [rule: string, more?: Json])[] = [
  ['self.n > 1'],
  ['self.s.startsWith("a") && self.list.all(x, x != "") && self.map.exists(k, self.map[k] == "b")'],
  ['self.nope == 1'],
  ['self.n.nope == 1'],
  ['self.n + self.s == 1'],
  ['self.n'],
  ['missing == 1'],
  ['self.s.nope()'],
  ['nope(self.s)'],
  ['self.list.all(x, x > 1)'],
  ['self.n.all(x, true)'],
  ['self.list.all(1, true)'],
  ['has(self)'],
  ['has(self.n.m)'],
  ['self.free.x == 1'],
  ['has(self.free)'],
  ['self.either == 1 || self.either == "a"'],
  ['self.either.startsWith("a")'],
  ['self.inner.a__dash__b == 1 && self.inner.__namespace__ == "x" && self.inner.x__underscores__y == 2'],
  ['self.inner.namespace == "x"'],
  ['self.when > timestamp("2020-01-01T00:00:00Z")'],
  ['self.when == "x"'],
  ['self.metadata.name == "x"'],
  ['[1, "a"].size() == 2'],
  ['{"a": 1, "b": "c"}.size() == 2'],
  ['[] == [1] && {} == {"a": 1}'],
  ['self.s.matches("(")'],
  ['self.s.matches(self.s)'],
  ['duration("x") == duration("1s")'],
  ['timestamp("x") == timestamp("2020-01-01T00:00:00Z")'],
  ['self.n == 1 &&'],
  ['self.n == 1 self.n'],
  ['self.n == (1'],
  ['self.n = 1'],
  ['self.n == 1 # comment'],
  ['self.n == 1 // comment'],
  ['"a'],
  [''],
  ['self.list[0] == "a" && self.list[?0].orValue("b") == "a" && self.?s.orValue("") == "a"'],
  ['self.list["a"] == "a"'],
  ['self.map[1] == "a"'],
  ['cel.bind(x, self.n, x == 1)'],
  ['math.greatest(1, 2) == 2'],
  ['sets.contains(self.list, ["a"]) && self.list.isSorted() && self.list.map(x, x + "b").join(",").size() < 1000'],
  ['isIP(self.s) && ip(self.s).family() == 4 && cidr("10.0.0.0/8").containsIP(ip(self.s))'],
  ['quantity(self.s).isGreaterThan(quantity("1Gi")) && sign(quantity(self.s)) == 1'],
  ['quantity(self.s).sign() == 1'],
  ['url(self.s).getHost() == "a" && isURL(self.s)'],
  ['semver(self.s).isLessThan(semver("1.0.0")) && isSemver(self.s, true)'],
  ['!format.dns1123Label().validate(self.s).hasValue() && format.named("uuid").hasValue()'],
  ['self.list.sort() == self.list.distinct() && self.list.first().hasValue()'],
  ['self.list.all(i, x, i >= 0 && x != "") && self.map.all(k, v, k == v)'],
  ['self.list.transformList(i, x, x) == self.list'],
  ['self.map.transformMap(k, v, v) == self.map'],
  ['self.n > 1 ? true : 1'],
  ['self.n > 1 ? self.s : self.n'],
  ['type(self.n) == int && type(self.either) == string'],
  ['self.keyed.all(e, e.v > 1)'],
  ['oldSelf.n == self.n'],
  ['oldSelf.hasValue() && oldSelf.value().n == self.n', { optionalOldSelf: true }],
  ['self.n == 1', { optionalOldSelf: true }],
  ['self.n > 1', { message: ' ' }],
  ['self.n > 1', { message: 'a\nb' }],
  ['self.n >\n1'],
  ['self.n > 1', { messageExpression: '"a" + self.s' }],
  ['self.n > 1', { messageExpression: 'self.n' }],
  ['self.n > 1', { messageExpression: 'self.nope' }],
  ['self.n > 1', { messageExpression: '"a" + string(self.n)' }],
  ['self.n > 1', { reason: 'Nonsense' }],
  ['self.n > 1', { reason: 'FieldValueForbidden', fieldPath: '.n' }],
  ['self.n > 1', { fieldPath: '.nope' }],
  ['self.n > 1', { fieldPath: 'n' }],
  ["self.map['a'] == 'b'", { fieldPath: ".map['a']" }],
  ['self.list.all(a, self.list.all(b, self.list.all(c, a + b + c != "")))'],
  ['dyn(self.n) == dyn("a")'],
  ['self.n == 1.0'],
  ['self.n < 1.5 && self.n >= 1u'],
  ['9223372036854775808 > 1'],
  ['self.n in [1, 2] && "a" in self.map && "a" in self.list'],
  ['self.n in ["a"]'],
  ['!self.n'],
  ['-self.s == ""'],
  ['self == oldSelf || self.n == null'],
  ['self.s == null'],
  ['self.inner == null'],
  ['Foo{a: 1} == 1'],
  ['optional.of(self.n).optMap(x, x + 1).orValue(0) == 2'],
  ['self.s.split(",").all(x, x.trim() != "") && self.s.lowerAscii() == self.s.replace("a", "b")'],
  ['"%s %d".format([self.s, dyn(self.n)]) != ""'],
  [
    'self.list.exists_one(x, x == "a") && self.list.existsOne(x, x == "a") && self.list.filter(x, x == "a").size() == 1',
  ],
]

export const ruleDefinition = ([text, more]: (typeof rules)[number]): Json => definition(rule(text, more))

/** Schemas whose rules are slightly above or below the cost limit. */
export const costly: Readonly<Record<string, Json>> = {
  'lists without limits': definition(
    withSpec(
      { l: { type: 'array', items: text } },
      { 'x-kubernetes-validations': [{ rule: 'self.l.all(a, self.l.all(b, a != b))' }] },
    ),
  ),
  'one list without a limit': definition(
    withSpec(
      { l: { type: 'array', items: text } },
      { 'x-kubernetes-validations': [{ rule: 'self.l.all(a, a != "x")' }] },
    ),
  ),
  'lists of lists': definition(
    withSpec({
      l: {
        type: 'array',
        items: {
          type: 'array',
          items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.matches("^[a-z]+$")' }] },
        },
      },
    }),
  ),
  'a list with a limit': definition(
    withSpec({
      l: {
        type: 'array',
        maxItems: 1000,
        items: { type: 'string', maxLength: 100, 'x-kubernetes-validations': [{ rule: 'self.matches("^[a-z]+$")' }] },
      },
    }),
  ),
  'texts without limits': definition(
    withSpec({ a: text, b: text }, { 'x-kubernetes-validations': [{ rule: 'self.a.contains(self.b)' }] }),
  ),
  'a text without a limit': definition(
    withSpec(
      { a: text },
      {
        'x-kubernetes-validations': [
          { rule: 'self.a.matches("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")' },
          { rule: 'self.a.startsWith("a")' },
        ],
      },
    ),
  ),
  'a factor': definition(
    withSpec(
      { l: { type: 'array', maxItems: 1200, items: { type: 'string', maxLength: 30 } } },
      { 'x-kubernetes-validations': [{ rule: 'self.l.all(a, self.l.all(b, a + b != "x"))' }] },
    ),
  ),
  'just above': definition(
    withSpec(
      { l: { type: 'array', maxItems: 1100, items: int } },
      { 'x-kubernetes-validations': [{ rule: 'self.l.all(a, self.l.exists(b, a == b + 1))' }] },
    ),
  ),
  'many maps': definition(
    withSpec({
      m: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: { x: text },
          'x-kubernetes-validations': [{ rule: 'self.x.lowerAscii() == self.x' }],
        },
      },
    }),
  ),
  'oldSelf in a list': definition(
    withSpec({
      l: {
        type: 'array',
        maxItems: 5,
        items: { type: 'string', maxLength: 5, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
      },
    }),
  ),
}
