import { parseGoDuration } from '../../api/go-duration.ts'
import type { NodePool } from '../../api/objects/karpenter.ts'
import type { StringMap } from '../../api/objects/meta.ts'
import type { Taint } from '../../api/objects/node.ts'

export const hashVersion = 'v3'

const offset = 0xcbf29ce484222325n
const prime = 0x100000001b3n

/** FNV-1 with 64 bits. */
function fnv64(bytes: Iterable<number>): bigint {
  let hash = offset
  for (const byte of bytes) hash = BigInt.asUintN(64, hash * prime) ^ BigInt(byte)
  return hash
}

function littleEndian(...numbers: readonly bigint[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * numbers.length))
  for (const [at, number] of numbers.entries()) view.setBigUint64(8 * at, BigInt.asUintN(64, number), true)
  return new Uint8Array(view.buffer)
}

const text = (value: string): bigint => fnv64(Buffer.from(value))
const integer = (value: bigint): bigint => fnv64(littleEndian(value))
const pair = (a: bigint, b: bigint): bigint => fnv64(littleEndian(a, b))
const finish = (value: bigint): bigint => fnv64(littleEndian(value))

/** A Go struct: its type, and its fields that are not zero, in the order of their declaration. */
function struct(type: string, fields: readonly (readonly [name: string, value: bigint | undefined])[]): bigint {
  let hash = text(type)
  for (const [name, value] of fields) if (value !== undefined) hash = finish(hash ^ pair(text(name), value))
  return hash
}

function map(values: StringMap | undefined): bigint | undefined {
  if (values === undefined) return undefined
  let hash = 0n
  for (const [key, value] of Object.entries(values)) hash ^= pair(text(key), text(value))
  return finish(hash)
}

/** Slices are hashed as sets. */
function set<T>(items: readonly T[] | undefined, hashOf: (item: T) => bigint): bigint | undefined {
  if (items === undefined) return undefined
  return items.reduce((hash, item) => hash ^ hashOf(item), 0n)
}

const some = (value: string | undefined): bigint | undefined =>
  value === undefined || value === '' ? undefined : text(value)

const taint = ({ key, value, effect }: Taint): bigint =>
  struct('Taint', [
    ['Key', some(key)],
    ['Value', some(value)],
    ['Effect', some(effect)],
  ])

function duration(type: string, value: string | undefined): bigint | undefined {
  const parsed = value === undefined || value === 'Never' ? undefined : parseGoDuration(value)
  return parsed?.ok === true ? struct(type, [['Duration', integer(parsed.value)]]) : undefined
}

/**
 * The hash of the template of a pool, which detects drifted nodes (v1.14, NodePool.Hash with
 * github.com/mitchellh/hashstructure v2). It does not include requirements.
 */
export function nodePoolHash({ spec: { template } }: NodePool): string {
  const known = hashes.get(template)
  if (known !== undefined) return known
  const hash = hashOf(template)
  hashes.set(template, hash)
  return hash
}

const hashes = new WeakMap<NodePool['spec']['template'], string>()

function hashOf(template: NodePool['spec']['template']): string {
  const { metadata, spec } = template
  const { nodeClassRef: ref } = spec
  const meta =
    metadata?.labels === undefined && metadata?.annotations === undefined
      ? undefined
      : struct('ObjectMeta', [
          ['Labels', map(metadata.labels)],
          ['Annotations', map(metadata.annotations)],
        ])
  const body = struct('NodeClaimTemplateSpec', [
    ['Taints', set(spec.taints, taint)],
    ['StartupTaints', set(spec.startupTaints, taint)],
    [
      'NodeClassRef',
      struct('NodeClassReference', [
        ['Kind', some(ref.kind)],
        ['Name', some(ref.name)],
        ['Group', some(ref.group)],
      ]),
    ],
    ['TerminationGracePeriod', duration('Duration', spec.terminationGracePeriod)],
    ['ExpireAfter', duration('NillableDuration', spec.expireAfter)],
  ])
  const hash = struct('NodeClaimTemplate', [
    ['ObjectMeta', meta],
    ['Spec', body],
  ])
  return String(hash)
}
