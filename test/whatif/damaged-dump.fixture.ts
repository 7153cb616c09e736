// Damages a dump in one place, as hand-written files, cleaned-up dumps and generated fixtures are damaged.
import type { RandomStream } from '../../src/base/random.ts'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type Dump = { [key: string]: Json }[]

interface Place {
  readonly holder: Record<string, Json> | Json[]
  readonly key: string | number
  readonly path: string
}

/** A copy of the objects with one change, and what was changed. */
export function damaged(objects: Dump, random: RandomStream): { readonly objects: Dump; readonly what: string } {
  const copy = JSON.parse(JSON.stringify(objects)) as Dump
  const object = random.pick(copy)
  const places = placesIn(object, `${String(object['kind'])}`)
  const { holder, key, path } = random.pick(places)
  const damage = random.pick(damages)
  damage.apply(holder as never, key as never, random)
  return { objects: copy, what: `${damage.name} ${path}` }
}

function placesIn(value: Json, path: string): readonly Place[] {
  if (typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value) ? value.map((inner, at) => [at, inner] as const) : Object.entries(value)
  return entries.flatMap(([key, inner]) => [
    { holder: value, key, path: `${path}.${key}` },
    ...placesIn(inner, `${path}.${key}`),
  ])
}

type Holder = Record<string | number, Json>

const damages: readonly {
  readonly name: string
  readonly apply: (holder: Holder, key: string | number, random: RandomStream) => void
}[] = [
  {
    name: 'remove',
    apply: (holder, key) => {
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else delete holder[key]
    },
  },
  { name: 'null', apply: (holder, key) => set(holder, key, null) },
  { name: 'empty text', apply: (holder, key) => set(holder, key, '') },
  { name: 'text', apply: (holder, key) => set(holder, key, 'x') },
  { name: 'hostile text', apply: (holder, key) => set(holder, key, '\u001b[2J__proto__/../%s\n') },
  { name: 'number', apply: (holder, key, random) => set(holder, key, random.pick([0, -1, 1.5, 1e300, 7])) },
  { name: 'boolean', apply: (holder, key) => set(holder, key, true) },
  { name: 'list', apply: (holder, key) => set(holder, key, []) },
  { name: 'list of null', apply: (holder, key) => set(holder, key, [null]) },
  { name: 'object', apply: (holder, key) => set(holder, key, {}) },
  { name: 'nested', apply: (holder, key) => set(holder, key, [{ a: holder[key] ?? null }]) },
]

function set(holder: Holder, key: string | number, value: Json): void {
  holder[key] = value
}
