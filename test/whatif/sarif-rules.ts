/** The rules of the SARIF 2.1.0 schema, and those of code scanning, that concern what berth writes. */
export function sarifProblems(log: unknown): readonly string[] {
  const problems: string[] = []
  const say = (path: string, text: string) => problems.push(`${path}: ${text}`)
  const objectAt = (value: unknown, path: string, required: readonly string[], optional: readonly string[]): Fields => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      say(path, 'must be an object')
      return {}
    }
    const fields = value as Fields
    for (const name of required) if (fields[name] === undefined) say(path, `lacks ${name}`)
    // Every object of the schema has additionalProperties: false.
    for (const name of Object.keys(fields))
      if (!required.includes(name) && !optional.includes(name)) say(path, `has the unknown property ${name}`)
    return fields
  }
  const textAt = (value: unknown, path: string) => {
    if (typeof value !== 'string' || value === '') say(path, 'must be a text')
    return String(value)
  }
  const listAt = (value: unknown, path: string): readonly unknown[] => {
    if (Array.isArray(value)) return value
    say(path, 'must be a list')
    return []
  }
  const levelAt = (value: unknown, path: string) => {
    if (!['none', 'note', 'warning', 'error'].includes(String(value))) say(path, `is not a level: ${value}`)
  }
  const messageAt = (value: unknown, path: string) =>
    textAt(objectAt(value, path, ['text'], ['markdown', 'id', 'arguments', 'properties'])['text'], `${path}.text`)

  const ruleAt = (value: unknown, path: string): string => {
    const rule = objectAt(
      value,
      path,
      ['id'],
      ['name', 'shortDescription', 'fullDescription', 'defaultConfiguration', 'helpUri', 'help', 'properties'],
    )
    if (rule['shortDescription'] !== undefined) messageAt(rule['shortDescription'], `${path}.shortDescription`)
    const configuration = objectAt(
      rule['defaultConfiguration'] ?? {},
      `${path}.defaultConfiguration`,
      [],
      ['enabled', 'level', 'rank', 'parameters', 'properties'],
    )
    if (configuration['level'] !== undefined) levelAt(configuration['level'], `${path}.defaultConfiguration.level`)
    return textAt(rule['id'], `${path}.id`)
  }

  const locationAt = (value: unknown, path: string) => {
    const location = objectAt(value, path, [], ['id', 'physicalLocation', 'logicalLocations', 'message', 'properties'])
    // Code scanning shows only results with a file.
    const place = objectAt(location['physicalLocation'], `${path}.physicalLocation`, ['artifactLocation'], ['region'])
    const file = objectAt(place['artifactLocation'], `${path}.artifactLocation`, ['uri'], ['uriBaseId', 'index'])
    const uri = textAt(file['uri'], `${path}.uri`)
    if (!/^[A-Za-z0-9\-._~!$&'()*+,;=:@%/]+$/.test(uri) || /%(?![0-9A-Fa-f]{2})/.test(uri) || uri.startsWith('/'))
      say(`${path}.uri`, `is not a relative reference: ${uri}`)
    const region = objectAt(
      place['region'] ?? { startLine: 1 },
      `${path}.region`,
      ['startLine'],
      ['startColumn', 'endLine'],
    )
    if (!Number.isInteger(region['startLine']) || Number(region['startLine']) < 1)
      say(`${path}.region.startLine`, 'must be an integer from 1 on')
    for (const [at, one] of listAt(location['logicalLocations'] ?? [], `${path}.logicalLocations`).entries()) {
      const logical = objectAt(
        one,
        `${path}.logicalLocations[${at}]`,
        [],
        ['name', 'fullyQualifiedName', 'kind', 'index'],
      )
      for (const [name, text] of Object.entries(logical)) textAt(text, `${path}.logicalLocations[${at}].${name}`)
    }
  }

  const root = objectAt(log, 'log', ['version', 'runs'], ['$schema', 'inlineExternalProperties', 'properties'])
  if (root['version'] !== '2.1.0') say('log.version', 'must be 2.1.0')
  for (const [at, one] of listAt(root['runs'], 'log.runs').entries()) {
    const path = `runs[${at}]`
    const run = objectAt(one, path, ['tool'], ['results', 'properties', 'automationDetails', 'invocations'])
    const tool = objectAt(run['tool'], `${path}.tool`, ['driver'], ['extensions', 'properties'])
    const driver = objectAt(
      tool['driver'],
      `${path}.driver`,
      ['name'],
      ['semanticVersion', 'version', 'informationUri', 'rules', 'properties'],
    )
    textAt(driver['name'], `${path}.driver.name`)
    if (!/^\d+\.\d+\.\d+/.test(String(driver['semanticVersion'])))
      say(`${path}.driver.semanticVersion`, 'is not a version')
    const rules = listAt(driver['rules'] ?? [], `${path}.rules`).map((rule, index) =>
      ruleAt(rule, `${path}.rules[${index}]`),
    )
    if (new Set(rules).size !== rules.length) say(`${path}.rules`, 'are not unique')
    const prints = new Set<string>()
    for (const [number, each] of listAt(run['results'], `${path}.results`).entries()) {
      const where = `${path}.results[${number}]`
      const result = objectAt(
        each,
        where,
        ['message'],
        [
          'ruleId',
          'ruleIndex',
          'rule',
          'kind',
          'level',
          'locations',
          'partialFingerprints',
          'fingerprints',
          'properties',
        ],
      )
      messageAt(result['message'], `${where}.message`)
      levelAt(result['level'], `${where}.level`)
      if (rules[Number(result['ruleIndex'])] !== result['ruleId']) say(`${where}.ruleIndex`, 'is not that of ruleId')
      const places = listAt(result['locations'], `${where}.locations`)
      if (places.length === 0) say(`${where}.locations`, 'is empty')
      for (const [index, place] of places.entries()) locationAt(place, `${where}.locations[${index}]`)
      const print = Object.entries((result['partialFingerprints'] ?? {}) as Fields)
      for (const [name, value] of print) textAt(value, `${where}.partialFingerprints.${name}`)
      const text = JSON.stringify(print)
      if (prints.has(text)) say(`${where}.partialFingerprints`, `occurs twice: ${text}`)
      prints.add(text)
    }
  }
  return problems
}

type Fields = Readonly<Record<string, unknown>>
