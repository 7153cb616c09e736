import type { RandomStream } from '../../../src/base/random.ts'
import { type Attack, type AttackSource, attackNamespace } from '../attack.ts'
import { attackSizes, attackString } from '../attack-strings.ts'

const maps = `/api/v1/namespaces/${attackNamespace}/configmaps`

type Maker = (random: RandomStream, size: number) => string

const jsonBodies: readonly Maker[] = [
  (random, size) => `{"metadata":{"name":"a"},"data":{"a":${JSON.stringify(attackString(random, size).text)}}}`,
  (random, size) => attackString(random, size).text,
  (random, size) => random.pick(['[', '{"a":', '[{"a":']).repeat(Math.min(size, 20_000)),
  (random, size) => `{${`"${random.pick(['a', 'metadata', 'data'])}":{},`.repeat(size / 10)}"a":1}`,
  (_, size) => `{"data":{${Array.from({ length: size / 20 }, (_, i) => `"k${i}":"v"`).join()}}}`,
  (_, size) => `{"metadata":{"name":"a","generation":${'9'.repeat(size)}}}`,
  (_, size) => `{"metadata":{"name":"a","generation":1e${'9'.repeat(size)}}}`,
  (_, size) => `{"metadata":{"name":"${'\\u0061'.repeat(size / 6)}"}}`,
]

const yamlBodies: readonly Maker[] = [
  (random, size) => `metadata:\n  name: a\ndata:\n  a: ${attackString(random, size).text}\n`,
  (random, size) => attackString(random, size).text,
  (random, size) => random.pick(['- ', '? ', '[', '{', '{a: ', '! ', '&a ', '| ', '> ']).repeat(Math.min(size, 5_000)),
  (_, size) => Array.from({ length: Math.min(size / 4, 1_000) }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
  (_, size) => `data:\n${Array.from({ length: size / 10 }, (_, i) => `  k${i}: v\n`).join('')}`,
  (_, size) => `data:\n  a: "${'x\n\n'.repeat(size / 3)}"\n`,
  (random, size) =>
    `a: ${random.pick(['1_', '0x1', '1:', '2026-', '.', '1e', '+', '<<: ', '#', '%'])}${'1'.repeat(size)}\n`,
]

/** A message whose fields claim more than they hold, or nest. */
function protobuf(random: RandomStream, size: number): Uint8Array {
  const field = random.pick([0x0a, 0x12, 0x1a, 0x22])
  const bytes: number[] = [...Buffer.from('k8s\0')]
  while (bytes.length < Math.min(size, 60_000)) {
    const sort = random.int(4)
    if (sort === 0) bytes.push(field, 0x80, 0x80, 0x01)
    else if (sort === 1) bytes.push(field, 0xff, 0xff, 0xff, 0xff, 0x0f)
    else if (sort === 2) bytes.push(field, random.int(100))
    else bytes.push(random.int(256))
  }
  return Uint8Array.from(bytes)
}

/** Bodies in JSON, YAML and protobuf that are long, deep, repeated or broken. */
export const encodings: AttackSource = {
  name: 'encodings',
  quickCount: 10,
  *attacks(random: RandomStream): Iterable<Attack> {
    for (;;) {
      const encoding = random.pick(['json', 'json', 'yaml', 'yaml', 'vnd.kubernetes.protobuf'])
      const size = random.pick(attackSizes)
      const list = encoding === 'json' ? jsonBodies : yamlBodies
      const at = random.int(list.length)
      const body = encoding.includes('proto') ? protobuf(random, size) : list[at]!(random, size)
      yield {
        name: `${encoding} ${at}: ${size} bytes: ${JSON.stringify(String(body).slice(0, 40))}`,
        method: 'POST',
        path: `${maps}?dryRun=All`,
        headers: { 'content-type': `application/${encoding}` },
        body,
      }
    }
  },
}
